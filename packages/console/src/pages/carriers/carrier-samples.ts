import type { Carrier } from '../../api/shown-carriers.ts';
import { liveSteps } from '../push-health/health-series.ts';

/** Figures of a carrier, sampled while the page is open. Pure. */
export interface CarrierSample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly waiting: number;
  readonly submitted: number;
  /** Submits without an answer, on all connections together, and how many there may be. */
  readonly underWay: number;
  readonly window: number;
}

export function carrierSample(
  carrier: Pick<Carrier, 'waiting_parts' | 'submitted' | 'connections' | 'window'>,
  at: number,
): CarrierSample {
  const { waiting_parts: waiting, submitted, connections, window } = carrier;
  const underWay = connections.reduce((sum, { window_used }) => sum + window_used, 0);
  const bound = connections.filter(({ state }) => state === 'bound').length;
  return { at, waiting, submitted, underWay, window: window * bound };
}

/** One value for each step; null where nothing was sampled. */
export function carrierSeries(samples: readonly CarrierSample[]) {
  const { times, each } = liveSteps(samples);
  const rates = new Map(samples.map((sample, index) => [sample.at, rateBetween(samples[index - 1], sample)]));
  return {
    times,
    waiting: each(({ waiting }) => waiting),
    underWay: each(({ underWay }) => underWay),
    window: each(({ window }) => window),
    /** Submits per second since the sample before. */
    rate: each(({ at }) => rates.get(at) ?? null),
  };
}

/** @returns null for the first sample, and where the counts began again, with another server */
function rateBetween(before: CarrierSample | undefined, after: CarrierSample): number | null {
  if (before === undefined || after.submitted < before.submitted) return null;
  return ((after.submitted - before.submitted) * 1000) / (after.at - before.at);
}
