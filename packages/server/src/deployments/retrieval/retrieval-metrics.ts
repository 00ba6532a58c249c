import { Counter, Gauge, type Registry } from 'prom-client';
import { createCollectedCounter } from '../../runtime/collected-counter.ts';
import type { RetrievalFacts } from './known-tokens.ts';
import type { RetrievalMetrics } from './retrieve-certificate.ts';

export interface AllRetrievalMetrics extends RetrievalMetrics {
  /** So many refused requests found no place to be counted by deployment. */
  uncounted(requests: number): void;
}

/** Counts answers by representation and status, and refusals by code. No label holds anything of a caller. */
export function createRetrievalMetrics(registry: Registry, facts: RetrievalFacts): AllRetrievalMetrics {
  const countAnswer = createCollectedCounter(registry, {
    name: 'waxwing_retrievals_total',
    help: 'Answered retrievals.',
    labelNames: ['representation', 'status'],
  });
  const refusals = new Counter({
    name: 'waxwing_retrievals_refused_total',
    help: 'Refused retrievals by error code, unknown tokens included. `service_unavailable` and `internal_error` are faults of this side.',
    labelNames: ['code'],
    registers: [registry],
  });
  new Gauge({
    name: 'waxwing_retrieval_tokens_in_memory',
    help: 'Tokens whose facts are held in memory.',
    registers: [registry],
    collect() {
      this.set(facts.size);
    },
  });
  new Gauge({
    name: 'waxwing_retrieval_memory_bytes',
    help: 'What certificates, sealed keys, deployments and allow-lists held in memory take, about.',
    registers: [registry],
    collect() {
      this.set(facts.bytes);
    },
  });
  const uncounted = new Counter({
    name: 'waxwing_refusals_uncounted_total',
    help: 'Refused requests missing from the counts of their deployments, because these could not be written for too long.',
    registers: [registry],
  });
  return {
    uncounted: (requests) => uncounted.inc(requests),
    answered: (representation, status) => countAnswer(representation, String(status)),
    refused: (code) => refusals.inc({ code }),
  };
}
