import { drawn, drawnOf } from './drawn.ts';

/** What a receiver does with one request. All but the first two are failures of the attempt. */
export type Answer = 'ok' | 'slow' | '201' | '204' | '302' | '500' | 'hang' | 'reset' | 'close' | 'cut';

/**
 * How a receiver answers: of a hundred pushes `hopeless` fail every time and `troubled` once or twice; of a hundred
 * answers with 200 `slow` take a while.
 */
export interface AnswerPlan {
  readonly seed: number;
  readonly hopeless: number;
  readonly troubled: number;
  readonly slow: number;
}

/** Hardly any of them hangs: the attempts of a lane in which many do would take the time of the test. */
const failures = [
  ...(['500', '500', '500', '201', '204', '302', '302', 'reset', 'close', 'cut'] as const),
  ...(['500', '201', '204', '302', 'reset', 'close', 'cut', 'hang'] as const),
] as const;

/**
 * @param push what tells it from the others and is the same in every run
 * @param arrival which request for this push it is, from 1
 */
export function answerTo({ seed, hopeless, troubled, slow }: AnswerPlan, push: string, arrival: number): Answer {
  const fate = drawn(seed, 'fate', push) * 100;
  const failing =
    fate < hopeless ? Number.POSITIVE_INFINITY : fate < hopeless + troubled ? 1 + (fate % 2 < 1 ? 0 : 1) : 0;
  if (arrival <= failing) return drawnOf(failures, seed, 'failure', push, arrival);
  return drawn(seed, 'slow', push, arrival) * 100 < slow ? 'slow' : 'ok';
}
