/**
 * How many wrong guesses are borne, decided from what is recorded of them. A budget is a leaking bucket: each wrong guess
 * weighs until it has leaked out, one after the other, and a guess is let through while there is room for it. What is
 * recorded is one moment: when the bucket will be empty (the generic cell rate algorithm, ITU-T I.371).
 *
 * Who guesses decides which budgets count:
 *
 * - From a *familiar* browser (one from which this person has signed in, told by its own cookie): its own budget alone.
 *   No stranger has that cookie, so no stranger can use the budget up.
 * - From anywhere else: the address's, the one of this address for this account, and the one of this account for all
 *   strangers together. A stranger with one address uses up only what concerns that address; one with very many can
 *   slow down other strangers, which keeps them from guessing from everywhere at once. Passkeys, familiar browsers
 *   and links from an administrator go on regardless.
 *
 * The budgets exist for accounts that do not: refusals must not tell them apart.
 */
export interface GuessBudget {
  /** Where its figure is recorded. */
  readonly subject: string;
  /** Wrong guesses at once. */
  readonly burst: number;
  /** How long one weighs, milliseconds. */
  readonly leakMs: number;
}

export type Guesser =
  | { readonly kind: 'familiar'; readonly account: string; readonly device: string }
  | { readonly kind: 'stranger'; readonly account: string; readonly address: string };

export type GuessPurpose = 'password' | 'second-factor';

const minute = 60_000;

/**
 * Of a million codes three are right at any time, so few guesses may be wrong: strangers who know the password find one
 * in about three years of guessing without a pause.
 */
const sizes: Readonly<
  Record<GuessPurpose, Readonly<Record<'own' | 'pair' | 'account', Omit<GuessBudget, 'subject'>>>>
> = {
  password: {
    own: { burst: 10, leakMs: minute },
    pair: { burst: 10, leakMs: minute },
    account: { burst: 50, leakMs: minute },
  },
  'second-factor': {
    own: { burst: 5, leakMs: 5 * minute },
    pair: { burst: 5, leakMs: 5 * minute },
    account: { burst: 5, leakMs: 5 * minute },
  },
};
/** Many people may share an address. */
const perAddress: Omit<GuessBudget, 'subject'> = { burst: 60, leakMs: 10_000 };

/** @param account anything that stands for the account alone, also where there is none */
export function guessBudgets(purpose: GuessPurpose, guesser: Guesser): readonly GuessBudget[] {
  const { own, pair, account } = sizes[purpose];
  const mark = purpose === 'password' ? 'p' : 's';
  if (guesser.kind === 'familiar') return [{ subject: `${mark}:d:${guesser.account}:${guesser.device}`, ...own }];
  return [
    { subject: `a:${guesser.address}`, ...perAddress },
    { subject: `${mark}:s:${guesser.account}`, ...account },
    { subject: `${mark}:x:${guesser.account}:${guesser.address}`, ...pair },
  ];
}

export type GuessVerdict =
  /** What to record while the guess is checked, as if it were wrong. */
  | { readonly kind: 'allowed'; readonly emptyAt: ReadonlyMap<string, number> }
  | { readonly kind: 'refused'; readonly waitMs: number };

/**
 * @param recorded when each budget will be empty; those that are not in it are
 * @param now epoch milliseconds
 */
export function guessVerdict(
  budgets: readonly GuessBudget[],
  recorded: ReadonlyMap<string, number>,
  now: number,
): GuessVerdict {
  const emptyAt = new Map<string, number>();
  let waitMs = 0;
  for (const { subject, burst, leakMs } of budgets) {
    const next = Math.max(now, recorded.get(subject) ?? 0) + leakMs;
    waitMs = Math.max(waitMs, next - now - burst * leakMs);
    emptyAt.set(subject, next);
  }
  return waitMs > 0 ? { kind: 'refused', waitMs } : { kind: 'allowed', emptyAt };
}
