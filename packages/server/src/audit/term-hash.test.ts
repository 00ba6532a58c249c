import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { hashTerm, type TermKind } from './term-hash.ts';

const whole = (kind: TermKind, text: string) => hashTerm(kind, text, 0, text.length);

test('a hash is a whole number of 40 bits, the same for the same term', () => {
  for (const text of ['', 'a', 'x'.repeat(1_000), 'Ünï😀']) {
    const hash = whole('s', text);
    assert.ok(Number.isSafeInteger(hash) && hash >= 0 && hash < 2 ** 40, `${hash}`);
    assert.equal(hashTerm('s', `<${text}>`, 1, 1 + text.length), hash);
  }
});

test('terms that differ in little have hashes of their own, also those of another kind', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `s${index}`);
  const ids = Array.from({ length: 10_000 }, () => randomUUID());
  const hashes = (['s', 'o', 'c'] as const).flatMap((kind) => [...names, ...ids].map((text) => whole(kind, text)));
  // Of 60,000 among 10^12 one pair in 600 such tests is expected.
  assert.ok(new Set(hashes).size >= hashes.length - 1);
});

test('hashes are spread evenly, from their first bits to their last', () => {
  const count = 64_000;
  const hashes = Array.from({ length: count }, (_, index) => whole('s', `deployment-${index}`));
  for (const divisor of [2 ** 34, 2 ** 17, 1]) {
    const seen = new Array<number>(64).fill(0);
    for (const hash of hashes) seen[Math.floor(hash / divisor) % 64] = (seen[Math.floor(hash / divisor) % 64] ?? 0) + 1;
    // A thousand in each, with a deviation of 32.
    for (const each of seen) assert.ok(Math.abs(each - count / 64) < 200, `${each}`);
  }
});
