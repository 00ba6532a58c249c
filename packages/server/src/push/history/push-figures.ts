import type { PushSpan } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import type { AttemptBuckets, PushMinuteRow } from '../../database/schema/push-tables.ts';
import { toRfc3339 } from '../../runtime/clock.ts';

/**
 * The longest attempt that each bucket counts, milliseconds; none takes longer than the last one's by more than a moment.
 * Twice as long is another bucket or two: a percentile from them is as exact as anybody can use it.
 */
export const bucketBounds = [10, 20, 35, 50, 75, 100, 200, 350, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

export const bucketNames = bucketBounds.map((_, index) => `b${index}` as keyof AttemptBuckets);

export const minuteMs = 60_000;

/** Which bucket counts an attempt that took so long. */
export function bucketOf(ms: number): number {
  const index = bucketBounds.findIndex((bound) => ms <= bound);
  return index === -1 ? bucketBounds.length - 1 : index;
}

/** What attempts of some time came to. */
export interface AttemptFigures {
  readonly attempts: number;
  readonly delivered: number;
  /** Milliseconds; null where there was no attempt. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
}

export function figuresOf(rows: readonly PushMinuteRow[]): AttemptFigures {
  const counts = bucketNames.map((name) => rows.reduce((sum, row) => sum + row[name], 0));
  return {
    attempts: counts.reduce((sum, count) => sum + count, 0),
    delivered: rows.reduce((sum, row) => sum + row.delivered, 0),
    p50_ms: percentile(counts, 0.5),
    p95_ms: percentile(counts, 0.95),
    p99_ms: percentile(counts, 0.99),
  };
}

/** No more steps than a plot can show. */
const stepsOf: Readonly<Record<PushSpan, { readonly minutes: number; readonly steps: number }>> = {
  '1h': { minutes: 1, steps: 60 },
  '6h': { minutes: 5, steps: 72 },
  '24h': { minutes: 15, steps: 96 },
};

/**
 * The figures of a span step by step, those steps left out in which nothing was attempted.
 * @param rows oldest first. @param now epoch minutes: the last step is the one that it lies in
 */
export function seriesOf(rows: readonly PushMinuteRow[], span: PushSpan, now: number) {
  const { minutes, steps } = stepsOf[span];
  const first = Math.floor(now / minutes) - steps + 1;
  const byStep = Map.groupBy(rows, ({ minute }) => Math.floor(minute / minutes));
  const at = (number: number) => toRfc3339(number * minutes * minuteMs);
  return {
    from: at(first),
    step_minutes: minutes,
    steps,
    points: [...byStep].flatMap(([number, some]) => (number < first ? [] : [{ at: at(number), ...figuresOf(some) }])),
  };
}

/** As if the attempts of a bucket were spread evenly over it. */
function percentile(counts: readonly number[], share: number): number | null {
  const rank = share * counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const from = index === 0 ? 0 : (bucketBounds[index - 1] ?? 0);
      const to = bucketBounds[index] ?? from;
      return Math.round(from + ((to - from) * (rank - below)) / count);
    }
    below += count;
  }
  return null;
}
