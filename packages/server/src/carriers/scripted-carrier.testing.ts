import type { Carrier, PartToSubmit, SubmitResult } from './carrier.ts';

/** A carrier that answers as it is told. */
export interface ScriptedCarrier extends Carrier {
  readonly submitted: PartToSubmit[];
  /** The most that were submitted and not answered at one time. */
  readonly most: number;
  /** Answers the oldest submit that waits. */
  answer(result?: SubmitResult): void;
  /** Answers all that wait: none of them ever came to an answer. */
  giveUp(): void;
}

export function scriptedCarrier(options: {
  readonly window?: number;
  /** Answers at once; undefined: waits for `answer`. */
  readonly reply?: (part: PartToSubmit) => SubmitResult | undefined;
}): ScriptedCarrier {
  const submitted: PartToSubmit[] = [];
  const waiting: ((result?: SubmitResult) => void)[] = [];
  let most = 0;
  return {
    id: 'simulator',
    name: 'carrier',
    simulated: true,
    window: options.window ?? 10,
    submitted,
    get most() {
      return most;
    },
    submit(part) {
      submitted.push(part);
      const now = options.reply?.(part);
      if (now !== undefined) return Promise.resolve(now);
      return new Promise((resolve) => {
        waiting.push((result = { kind: 'accepted', carrierMessageId: `m ${part.id}` }) => resolve(result));
        most = Math.max(most, waiting.length);
      });
    },
    answer: (result) => waiting.shift()?.(result),
    giveUp() {
      for (const resolve of waiting.splice(0)) resolve({ kind: 'unanswered' });
    },
    async run(signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  };
}

/** Takes everything, at once. */
export const taken = (part: PartToSubmit): SubmitResult => ({ kind: 'accepted', carrierMessageId: `m ${part.id}` });
