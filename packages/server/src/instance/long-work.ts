import { isDeepStrictEqual } from 'node:util';
import type { ReasonOf } from '@waxwing/contract/management-api/problem-reasons.ts';
import { Problem } from '../runtime/problem.ts';

/** How far work has come: `done` of `total`, in whatever the work counts. */
export type OnProgress = (done: number, total: number) => void;

export interface WorkUnderWay {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly done: number;
  /** 0 until the work knows. */
  readonly total: number;
}

/** Work that takes long and that nobody needs twice at once; whoever waits for it can be told how far it has come. */
export interface LongWork<Input, Result> {
  /**
   * While it is under way, who asks for the same gets the same answer: also whoever asks again because a connection did not
   * live as long as the work.
   * @throws Problem `conflict` while it is under way with another input
   */
  run(input: Input): Promise<Result>;
  underWay(): WorkUnderWay | undefined;
}

/** @param reason, detail what whoever asks for something else of it meanwhile is told */
export function longWork<Input, Result>(
  { reason, detail }: { readonly reason: ReasonOf<'conflict'>; readonly detail: string },
  now: () => number,
  work: (input: Input, onProgress: OnProgress) => Promise<Result>,
): LongWork<Input, Result> {
  let current: { readonly input: Input; readonly result: Promise<Result> } | undefined;
  let progress: WorkUnderWay | undefined;

  async function begin(input: Input): Promise<Result> {
    const startedAt = now();
    progress = { startedAt, done: 0, total: 0 };
    try {
      return await work(input, (done, total) => {
        progress = { startedAt, done, total };
      });
    } finally {
      current = undefined;
      progress = undefined;
    }
  }

  return {
    async run(input) {
      if (current !== undefined && !isDeepStrictEqual(current.input, input)) {
        throw new Problem('conflict', { reason, detail });
      }
      current ??= { input, result: begin(input) };
      return current.result;
    },
    underWay: () => progress,
  };
}
