import type { Carrier, PartToSubmit, SubmitResult } from './carrier.ts';

/** A carrier that answers by a test's script. */
export interface ScriptedCarrier extends Carrier {
  readonly submitted: PartToSubmit[];
  /** The most submits in flight at one time. */
  readonly most: number;
  /** Answers the oldest open submit. */
  answer(result?: SubmitResult): void;
  /** Ends every open submit as unanswered. */
  giveUp(): void;
}

export function scriptedCarrier(options: {
  readonly window?: number;
  readonly rate?: number;
  readonly mostUnanswered?: number;
  /** Answers at once, or waits for `answer` if undefined. */
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
    rate: options.rate,
    mostUnanswered: options.mostUnanswered ?? 3,
    downSince: undefined,
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

/** Accepts at once. */
export const taken = (part: PartToSubmit): SubmitResult => ({ kind: 'accepted', carrierMessageId: `m ${part.id}` });
