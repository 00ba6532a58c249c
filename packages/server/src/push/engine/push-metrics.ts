import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Outcome } from '../../outbound/outcome.ts';
import { createCollectedCounter } from '../../runtime/collected-counter.ts';

export interface PushMetrics {
  attempted(outcome: Outcome): void;
  ended(state: 'delivered' | 'failed' | 'off'): void;
  retried(): void;
  notRecorded(): void;
}

export interface PushGauges {
  readonly shards: number;
  readonly lanes: number;
  readonly running: number;
  readonly inMemory: number;
  readonly probing: number;
}

/**
 * Counts attempts, ends and what is in memory. No label holds anything of a customer.
 * @param lastLookAge seconds; undefined while this process looks for nothing
 */
export function createPushMetrics(
  registry: Registry,
  gauges: () => PushGauges,
  lastLookAge: () => number | undefined,
): PushMetrics {
  const registers = [registry];
  const countAttempt = createCollectedCounter(registry, {
    name: 'waxwing_push_attempts_total',
    help: 'Attempts to deliver a push, by what they came to.',
    labelNames: ['outcome'],
  });
  const duration = new Histogram({
    name: 'waxwing_push_attempt_seconds',
    help: 'How long attempts took.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers,
  });
  const countEnd = createCollectedCounter(registry, {
    name: 'waxwing_pushes_ended_total',
    help: 'Pushes that ended, by their state.',
    labelNames: ['state'],
  });
  const retries = new Counter({
    name: 'waxwing_push_retries_total',
    help: 'Failed attempts that another one follows.',
    registers,
  });
  const unrecorded = new Counter({
    name: 'waxwing_push_outcomes_not_recorded_total',
    help: 'Outcomes that could not be recorded: the push comes again.',
    registers,
  });
  for (const [key, help] of Object.entries(gaugeHelp) as [keyof PushGauges, string][]) {
    new Gauge({
      name: `waxwing_push_${key === 'inMemory' ? 'in_memory' : key}`,
      help,
      registers,
      collect() {
        this.set(gauges()[key]);
      },
    });
  }
  new Gauge({
    name: 'waxwing_push_last_look_age_seconds',
    help: 'How long ago retries, and pushes that other servers accepted, were last looked for. Seconds while all is well.',
    registers,
    collect() {
      const age = lastLookAge();
      if (age === undefined) this.remove();
      else this.set(age);
    },
  });
  return {
    attempted(outcome) {
      countAttempt(labelOf(outcome));
      duration.observe(outcome.ms / 1000);
    },
    ended: countEnd,
    retried: () => retries.inc(),
    notRecorded: () => unrecorded.inc(),
  };
}

const gaugeHelp: Readonly<Record<keyof PushGauges, string>> = {
  shards: 'Shards that this server pushes for.',
  lanes: 'Push settings with something in memory.',
  running: 'Attempts that are running.',
  inMemory: 'Pushes in memory.',
  probing: 'Push settings whose receiver does not answer.',
};

function labelOf(outcome: Outcome): string {
  return outcome.kind === 'answered' ? `${Math.floor(outcome.status / 100)}xx` : outcome.kind;
}
