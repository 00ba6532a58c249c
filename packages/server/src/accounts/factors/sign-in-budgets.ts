import type { Database } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { lockGuesses, recordGuesses, takeBackGuess } from '../store/sign-in-limit-store.ts';
import { type Guesser, type GuessPurpose, guessBudgets, guessVerdict } from './sign-in-limit.ts';

/** A guess that was let through, and is counted as wrong until somebody says otherwise. */
export interface Guess {
  /** It was right, or was never looked at: it does not count. */
  takeBack(): Promise<void>;
}

export interface SignInBudgets {
  /**
   * Counts a guess before it is looked at, so that many at the same time cannot slip through together.
   * @throws Problem `too_many_requests` with the seconds to wait
   */
  take(purpose: GuessPurpose, guesser: Guesser): Promise<Guess>;
}

export function createSignInBudgets(database: Database, clock: Clock): SignInBudgets {
  return {
    async take(purpose, guesser) {
      const budgets = guessBudgets(purpose, guesser);
      await database.transaction(async (trx) => {
        const subjects = budgets.map((budget) => budget.subject);
        const verdict = guessVerdict(budgets, await lockGuesses(trx, subjects), clock.now());
        if (verdict.kind === 'refused') throw tooMany(verdict.waitMs);
        await recordGuesses(trx, verdict.emptyAt);
      });
      return {
        async takeBack() {
          for (const { subject, leakMs } of budgets) await takeBackGuess(database.db, subject, leakMs);
        },
      };
    },
  };
}

function tooMany(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  return new Problem('too_many_requests', {
    retryAfterSeconds: seconds,
    detail: `Too many wrong guesses. Wait ${seconds} s, or use a browser from which you have signed in before, or a passkey.`,
  });
}
