import type { Carrier } from '../../api/shown-carriers.ts';
import { liveSteps } from '../push-health/health-series.ts';

/** Figures of a carrier, sampled while the page is open. Pure. */
export interface CarrierSample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly waiting: number;
  readonly submitted: number;
  readonly answered: number;
  /** How long all answers took together. */
  readonly answerMs: number;
  /** Submits without an answer, on all connections together, and how many there may be. */
  readonly underWay: number;
  readonly window: number;
}

export function carrierSample(
  carrier: Pick<Carrier, 'waiting_parts' | 'submitted' | 'answered' | 'answer_ms' | 'connections' | 'window'>,
  at: number,
): CarrierSample {
  const { waiting_parts: waiting, submitted, answered, answer_ms: answerMs, connections, window } = carrier;
  const underWay = connections.reduce((sum, { window_used }) => sum + window_used, 0);
  const bound = connections.filter(({ state }) => state === 'bound').length;
  return { at, waiting, submitted, answered, answerMs, underWay, window: window * bound };
}

/** One value for each step; null where nothing was sampled. */
export function carrierSeries(samples: readonly CarrierSample[]) {
  const { times, each } = liveSteps(samples);
  const ofPair = (between: typeof rateBetween) =>
    new Map(samples.map((sample, index) => [sample.at, between(samples[index - 1], sample)]));
  const [rates, answerTimes] = [ofPair(rateBetween), ofPair(answerTimeBetween)];
  return {
    times,
    waiting: each(({ waiting }) => waiting),
    underWay: each(({ underWay }) => underWay),
    window: each(({ window }) => window),
    /** Submits per second since the sample before. */
    rate: each(({ at }) => rates.get(at) ?? null),
    /** Milliseconds to the answer, of the submits answered since the sample before; null where none was. */
    answerTime: each(({ at }) => answerTimes.get(at) ?? null),
  };
}

/** @returns null for the first sample, and where the counts began again, with another server */
function rateBetween(before: CarrierSample | undefined, after: CarrierSample): number | null {
  if (before === undefined || after.submitted < before.submitted) return null;
  return ((after.submitted - before.submitted) * 1000) / (after.at - before.at);
}

function answerTimeBetween(before: CarrierSample | undefined, after: CarrierSample): number | null {
  if (before === undefined || after.answered <= before.answered) return null;
  return (after.answerMs - before.answerMs) / (after.answered - before.answered);
}
