import type { PushHealth } from '../../api/shown-pushes.ts';

type Point = PushHealth['series']['points'][number];

/** One value for each step of the span; null for steps without an attempt. */
export function healthSeries({ from, step_minutes, steps, points }: PushHealth['series']) {
  const stepMs = step_minutes * 60_000;
  const first = Date.parse(from);
  const times = Array.from({ length: steps }, (_, index) => first + index * stepMs);
  const known = new Map(points.map((point) => [Date.parse(point.at), point]));
  const each = (pick: (point: Point) => number | null) =>
    times.map((time) => {
      const point = known.get(time);
      return point === undefined || point.attempts === 0 ? null : pick(point);
    });
  return {
    /** Epoch milliseconds: every step of the span. */
    times,
    delivered: each(({ delivered }) => delivered),
    failed: each(({ attempts, delivered }) => attempts - delivered),
    /** Percent. */
    success: each(({ attempts, delivered }) => (100 * delivered) / attempts),
    p50: each(({ p50_ms }) => p50_ms),
    p95: each(({ p95_ms }) => p95_ms),
    p99: each(({ p99_ms }) => p99_ms),
  };
}

/** Present figures, sampled while the page is open. */
export interface LaneSample {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly waiting: number;
  readonly running: number;
  readonly window: number | null;
}

export function sampleOf({ waiting, lane }: PushHealth, at: number): LaneSample {
  return { at, waiting, running: lane?.running ?? 0, window: lane?.window ?? null };
}

/** The steps cover five minutes. */
export const liveStepMs = 4_000;
const shownSteps = 75;

export function withSample<Sample extends { readonly at: number }>(
  samples: readonly Sample[],
  sample: Sample,
): readonly Sample[] {
  return samples.at(-1)?.at === sample.at ? samples : [...samples, sample].slice(-shownSteps);
}

/** The steps of the last minutes up to the latest sample. @returns their times, and a value of each; null without a sample */
export function liveSteps<Sample extends { readonly at: number }>(samples: readonly Sample[]) {
  const last = samples.at(-1)?.at ?? 0;
  const slotOf = (at: number) => shownSteps - 1 - Math.round((last - at) / liveStepMs);
  const known = new Map(samples.map((sample) => [slotOf(sample.at), sample]));
  const times = Array.from({ length: shownSteps }, (_, slot) => last - (shownSteps - 1 - slot) * liveStepMs);
  const each = (pick: (sample: Sample) => number | null) =>
    times.map((_time, slot) => {
      const sample = known.get(slot);
      return sample === undefined ? null : pick(sample);
    });
  return { times, each };
}

export function liveSeries(samples: readonly LaneSample[]) {
  const { times, each } = liveSteps(samples);
  return {
    times,
    waiting: each(({ waiting }) => waiting),
    running: each(({ running }) => running),
    window: each(({ window }) => window),
  };
}
