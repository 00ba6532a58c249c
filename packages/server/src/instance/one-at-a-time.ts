import type { ReasonOf } from '@waxwing/contract/management-api/problem-reasons.ts';
import { Problem } from '../runtime/problem.ts';

/**
 * Work that takes long and that nobody needs twice at once.
 * @returns the same work, which throws a Problem `conflict` with the reason and the detail while it is under way
 */
export function oneAtATime<Input extends readonly unknown[], Result>(
  { reason, detail }: { readonly reason: ReasonOf<'conflict'>; readonly detail: string },
  work: (...input: Input) => Promise<Result>,
): (...input: Input) => Promise<Result> {
  let isUnderWay = false;
  return async (...input) => {
    if (isUnderWay) throw new Problem('conflict', { reason, detail });
    isUnderWay = true;
    try {
      return await work(...input);
    } finally {
      isUnderWay = false;
    }
  };
}
