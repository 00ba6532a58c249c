import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Guesser, type GuessPurpose, guessBudgets, guessVerdict } from './sign-in-limit.ts';

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const day = 86_400_000;

/** Guesses that are all wrong, as the database would record them. */
function createRecord() {
  const recorded = new Map<string, number>();
  return (guesser: Guesser, now: number, purpose: GuessPurpose = 'password'): boolean => {
    const verdict = guessVerdict(guessBudgets(purpose, guesser), recorded, now);
    if (verdict.kind === 'refused') return false;
    for (const [subject, at] of verdict.emptyAt) recorded.set(subject, at);
    return true;
  };
}

const stranger = (address: string, account = 'ann'): Guesser => ({ kind: 'stranger', account, address });
const familiar = (device: string, account = 'ann'): Guesser => ({ kind: 'familiar', account, device });

test('from one address ten wrong passwords are borne at once, then one a minute', () => {
  const guess = createRecord();
  const let_through = Array.from({ length: 15 }, () => guess(stranger('a'), start)).filter(Boolean).length;
  assert.equal(let_through, 10);
  assert.equal(guess(stranger('a'), start + minute - 1), false);
  assert.equal(guess(stranger('a'), start + minute), true);
  assert.equal(guess(stranger('a'), start + minute), false);
});

test('a refusal says how long to wait, and then the wait is over', () => {
  const budgets = guessBudgets('password', familiar('d'));
  const recorded = new Map(budgets.map(({ subject, burst, leakMs }) => [subject, start + burst * leakMs]));
  const verdict = guessVerdict(budgets, recorded, start);
  assert.deepEqual(verdict, { kind: 'refused', waitMs: minute });
  assert.equal(guessVerdict(budgets, recorded, start + minute).kind, 'allowed');
});

test('no stranger can keep somebody from a familiar browser, from however many addresses', () => {
  const guess = createRecord();
  for (let n = 0; n < 5_000; n++) guess(stranger(`a${n}`), start + n);
  assert.equal(guess(stranger('fresh'), start + 5_000), false, 'strangers are slowed all together');
  assert.equal(guess(familiar('own'), start + 5_000), true);
});

test('a stranger with one address keeps nobody else from the account', () => {
  const guess = createRecord();
  for (let now = start; now < start + day; now += 1_000) guess(stranger('attacker'), now);
  assert.equal(guess(stranger('owner elsewhere'), start + day), true);
});

test('one address is limited over all accounts, so that nobody tries one password everywhere', () => {
  const guess = createRecord();
  const through = Array.from({ length: 500 }, (_, n) => guess(stranger('a', `person ${n}`), start)).filter(Boolean);
  assert.equal(through.length, 60);
});

test('in a day strangers get fewer than 1,600 guesses at a password and 300 at a code, from wherever', () => {
  for (const [purpose, most] of [
    ['password', 1_600],
    ['second-factor', 300],
  ] as const) {
    const guess = createRecord();
    let through = 0;
    for (let n = 0; n < day / 1_000; n++) if (guess(stranger(`a${n}`), start + n * 1_000, purpose)) through++;
    assert.ok(through < most, `${purpose}: ${through}`);
    assert.ok(through > most / 2, `${purpose}: ${through}`);
  }
});

test('whatever the pace, no span holds more guesses than the burst and what leaks in it', () => {
  const seed = 20_260_402;
  const numRuns = process.env.WAXWING_TEST_SCALE === 'full' ? 10_000 : 300;
  const pauses = fc.array(fc.integer({ min: 0, max: 3 * minute }), { maxLength: 100 });
  fc.assert(
    fc.property(pauses, (waits) => {
      const guess = createRecord();
      const at: number[] = [];
      let now = start;
      for (const pause of waits) {
        now += pause;
        if (guess(familiar('d'), now)) at.push(now);
      }
      for (const [first, from] of at.entries()) {
        for (let last = first; last < at.length; last++) {
          assert.ok(last - first + 1 <= 10 + Math.floor(((at[last] ?? 0) - from) / minute));
        }
      }
    }),
    { seed, numRuns },
  );
});
