import type { FastifyInstance } from 'fastify';
import { Counter, type Registry } from 'prom-client';

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
  /** Of each route, by the first digit of the status. Handed over when somebody reads: finding a label's counter costs more than counting. */
  const uncollected = new Map<string, number[]>();
  new Counter({
    name: 'waxwing_http_answers_total',
    help: 'Answers, by the pattern of their route (`unknown` for a path or a method that does not exist) and by `2xx`, `3xx`, `4xx`, `5xx`.',
    labelNames: ['route', 'status_class'],
    registers: [registry],
    collect() {
      for (const [route, counts] of uncollected) {
        for (const [digit, count] of counts.entries()) {
          if (count > 0) this.inc({ route, status_class: `${digit}xx` }, count);
        }
      }
      uncollected.clear();
    },
  });
  return (route, status) => {
    const counts = uncollected.get(route) ?? [0, 0, 0, 0, 0, 0];
    const digit = Math.floor(status / 100);
    counts[digit] = (counts[digit] ?? 0) + 1;
    uncollected.set(route, counts);
  };
}
