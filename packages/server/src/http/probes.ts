import type { FastifyInstance, FastifyReply } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import { within } from '../runtime/wait.ts';

type Look = () => boolean | Promise<boolean>;

export interface ReadinessLooks {
  /** The needs of a serving node, by name: it reads the facts that it decides on, and records its hand-outs. */
  readonly needed: Readonly<Record<string, Look>>;
  /** Faults that need attention although the node serves, by name. */
  readonly wished?: Readonly<Record<string, Look>>;
}

export interface Readiness {
  readonly ready: boolean;
  /** The names of what is needed and is not there. */
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** @returns looks at everything now. A look that rejects finds nothing in order. */
export function createReadiness({ needed, wished = {} }: ReadinessLooks): () => Promise<Readiness> {
  return async () => {
    const [reasons, warnings] = await Promise.all([missing(needed), missing(wished)]);
    return { ready: reasons.length === 0, reasons, warnings };
  };
}

async function missing(looks: Readonly<Record<string, Look>>): Promise<readonly string[]> {
  const names = Object.keys(looks);
  const found = await Promise.all(
    Object.values(looks).map((look) => within(lookMs, 'no answer', Promise.try<boolean, []>(look)).catch(() => false)),
  );
  return names.filter((_, index) => found[index] === false);
}

/** A balancer waits for a second or a few: a disk that does not answer must not keep it waiting for longer. */
const lookMs = 2_000;

/**
 * `/healthz`: the process answers; nothing else is asked, so that a lost database does not restart every node.
 * `/readyz`: this node can serve, else 503, and a balancer sends its traffic elsewhere.
 */
export function registerProbes(app: FastifyInstance, readiness: () => Promise<Readiness>): void {
  app.get('/healthz', (_request, reply) => answer(reply, 200, { status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const found = await readiness();
    return answer(reply, found.ready ? 200 : 503, probeOf(found));
  });
}

/** The answer of `/readyz`. */
export interface Probe {
  readonly status: 'ready' | 'unavailable';
  readonly reasons?: readonly string[];
  readonly warnings?: readonly string[];
}

export function probeOf({ ready, reasons, warnings }: Readiness): Probe {
  return {
    status: ready ? 'ready' : 'unavailable',
    ...(reasons.length > 0 && { reasons }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function answer(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').send(body);
}

/** The results of the probes as metrics. Neither look may reject or take long. */
export function createProbeMetrics(
  registry: Registry,
  looks: { readonly isReady: () => Promise<boolean>; readonly isDatabaseUp: () => Promise<boolean> },
): void {
  const gauge = (name: string, help: string, look: () => Promise<boolean>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set((await look()) ? 1 : 0);
      },
    });
  gauge('waxwing_ready', '1 while this server can serve, as `/readyz` answers; else 0.', () => looks.isReady());
  gauge('waxwing_database_up', '1 while the database answers this server; else 0.', () => looks.isDatabaseUp());
}
