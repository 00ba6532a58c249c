import { isDeepStrictEqual } from 'node:util';
import type { ReasonOf } from '@waxwing/contract/management-api/problem-reasons.ts';
import { Problem } from '../runtime/problem.ts';

/** How far work has come, in the work's own unit. */
export type OnProgress = (done: number, total: number) => void;

export interface WorkUnderWay {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly done: number;
  /** 0 until known. */
  readonly total: number;
}

/** Long work that runs once at a time, with its progress. */
export interface LongWork<Input, Result> {
  /** Callers with the same input share one run. @throws Problem `conflict` while it runs with another input */
  run(input: Input): Promise<Result>;
  underWay(): WorkUnderWay | undefined;
}

/** @param reason, detail the Problem for a caller with another input */
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
