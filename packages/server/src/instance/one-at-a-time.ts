import { Problem } from '../runtime/problem.ts';

/**
 * Work that takes long and that nobody needs twice at once.
 * @returns the same work, which throws a Problem `conflict` with `complaint` while it is under way
 */
export function oneAtATime<Input extends readonly unknown[], Result>(
  complaint: string,
  work: (...input: Input) => Promise<Result>,
): (...input: Input) => Promise<Result> {
  let isUnderWay = false;
  return async (...input) => {
    if (isUnderWay) throw new Problem('conflict', { detail: complaint });
    isUnderWay = true;
    try {
      return await work(...input);
    } finally {
      isUnderWay = false;
    }
  };
}
