import { Counter, Gauge, type Registry } from 'prom-client';
import type { RetrievalFacts } from './retrieval-facts.ts';
import type { RetrievalMetrics } from './retrieve-certificate.ts';

/** Counts answers by representation and status, and refusals by code. No label holds anything of a caller. */
export function createRetrievalMetrics(registry: Registry, facts: RetrievalFacts): RetrievalMetrics {
  const answers = new Counter({
    name: 'waxwing_retrievals_total',
    help: 'Answered retrievals.',
    labelNames: ['representation', 'status'],
    registers: [registry],
  });
  const refusals = new Counter({
    name: 'waxwing_retrievals_refused_total',
    help: 'Refused retrievals, unknown tokens included.',
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
  return {
    answered: (representation, status) => answers.inc({ representation, status }),
    refused: (code) => refusals.inc({ code }),
  };
}
