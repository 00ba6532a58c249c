import type { FastifyInstance, FastifyReply } from 'fastify';

/** Whether this node can serve now: reads what it decides on, and records what it hands out. Rejecting counts as no. */
export type Readiness = () => boolean | Promise<boolean>;

/**
 * `/healthz`: the process answers; nothing else is asked, so that a lost database does not restart every node.
 * `/readyz`: this node can serve, else 503, and a balancer sends its traffic elsewhere.
 */
export function registerProbes(app: FastifyInstance, isReady: Readiness): void {
  app.get('/healthz', (_request, reply) => answer(reply, 200, 'ok'));
  app.get('/readyz', async (_request, reply) => {
    const ready = await Promise.try(isReady).catch(() => false);
    return ready ? answer(reply, 200, 'ready') : answer(reply, 503, 'unavailable');
  });
}

function answer(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').send({ status: text });
}
