import { drawn, drawnOf } from '../drawn.ts';

/** A receiver's answer to one request. All but the first two are failures of the attempt. */
export type Answer = 'ok' | 'slow' | '201' | '204' | '302' | '500' | 'hang' | 'reset' | 'close' | 'cut';

/**
 * Of a hundred pushes `hopeless` fail every time and `troubled` once or twice; of a hundred answers 200 `slow` take a
 * while.
 */
export interface AnswerPlan {
  readonly seed: number;
  readonly hopeless: number;
  readonly troubled: number;
  readonly slow: number;
}

/** Hardly any hang: many hanging attempts in a lane would take the test's time. */
const failures = [
  ...(['500', '500', '500', '201', '204', '302', '302', 'reset', 'close', 'cut'] as const),
  ...(['500', '201', '204', '302', 'reset', 'close', 'cut', 'hang'] as const),
] as const;

/**
 * @param push identifies it, the same in every run
 * @param arrival the number of the request for this push, from 1
 */
export function answerTo({ seed, hopeless, troubled, slow }: AnswerPlan, push: string, arrival: number): Answer {
  const fate = drawn(seed, 'fate', push) * 100;
  const failing =
    fate < hopeless ? Number.POSITIVE_INFINITY : fate < hopeless + troubled ? 1 + (fate % 2 < 1 ? 0 : 1) : 0;
  if (arrival <= failing) return drawnOf(failures, seed, 'failure', push, arrival);
  return drawn(seed, 'slow', push, arrival) * 100 < slow ? 'slow' : 'ok';
}
