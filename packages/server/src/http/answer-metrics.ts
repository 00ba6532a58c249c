import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { createCollectedCounter } from '../runtime/collected-counter.ts';

/** The route of a request with an unknown path or method: strangers must not be able to invent labels. */
const unknownRoute = 'unknown';

/** Counts what is answered, by the pattern of the route and the first digit of the status. Call it before any route is registered. */
export function countAnswers(app: FastifyInstance, count: CountAnswer): void {
  app.addHook('onResponse', (request, reply, done) => {
    count(request.routeOptions.url ?? unknownRoute, reply.raw.statusCode);
    done();
  });
}

export type CountAnswer = (route: string, status: number) => void;

export function createAnswerMetrics(registry: Registry): CountAnswer {
  const count = createCollectedCounter(registry, {
    name: 'waxwing_http_answers_total',
    help: 'Answers, by the pattern of their route (`unknown` for a path or a method that does not exist) and by `2xx`, `3xx`, `4xx`, `5xx`.',
    labelNames: ['route', 'status_class'],
  });
  return (route, status) => count(route, `${Math.floor(status / 100)}xx`);
}
