import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportBudget } from '../import-budget.ts';
import { derivePkcs12, pkcs12Password, pkcs12Purpose } from './pkcs12-kdf.ts';

// Test vectors known since the scheme's first drafts.
const vectors = [
  ['smeg', '0A58CF64530D823F', 1, 'key', 24, '8AAAE6297B6CB04642AB5B077851284EB7128F1A2A7FBCA3'],
  ['smeg', '0A58CF64530D823F', 1, 'iv', 8, '79993DFE048D3B76'],
  ['smeg', '3D83C0E4546AC140', 1, 'mac', 20, '8D967D88F6CAA9D714800AB3D48051D63F73A312'],
  ['queeg', '05DEC959ACFF72F7', 1000, 'key', 24, 'ED2034E36328830FF09DF1E1A07DD357185DAC0D4F9EB3D4'],
  ['queeg', '05DEC959ACFF72F7', 1000, 'iv', 8, '11DEDAD7758D4860'],
  ['queeg', '263216FCC2FAB31C', 1000, 'mac', 20, '5EC4C7A80DF652294C3925B6489A7AB857C83476'],
] as const;

test('the derivation gives the known values', async () => {
  for (const [password, salt, iterations, purpose, length, expected] of vectors) {
    const derived = await derivePkcs12(
      {
        hash: 'sha1',
        purpose: pkcs12Purpose[purpose],
        password: pkcs12Password(password),
        salt: Buffer.from(salt, 'hex'),
        iterations,
        length,
      },
      new ImportBudget(),
    );
    assert.equal(derived.toString('hex').toUpperCase(), expected);
  }
});

const costly = {
  hash: 'sha1',
  purpose: pkcs12Purpose.key,
  password: pkcs12Password('x'),
  salt: Buffer.alloc(8),
  length: 20,
} as const;

test('more iterations than anybody writes are refused before the work is begun', async () => {
  await assert.rejects(derivePkcs12({ ...costly, iterations: 600_001 }, new ImportBudget()), { reason: 'too_costly' });
  await assert.rejects(derivePkcs12({ ...costly, iterations: 2 ** 31 - 1 }, new ImportBudget()), {
    reason: 'too_costly',
  });
});

test('several derivations share one budget', async () => {
  const budget = new ImportBudget(50);
  await derivePkcs12({ ...costly, iterations: 10 }, budget);
  await derivePkcs12({ ...costly, iterations: 10 }, budget);
  await assert.rejects(derivePkcs12({ ...costly, iterations: 10 }, budget), { reason: 'too_costly' });
});

test('the event loop runs on while a key is derived', async () => {
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
  }, 0);
  await derivePkcs12({ ...costly, iterations: 50_000 }, new ImportBudget());
  clearInterval(count);
  assert.ok(turns > 0);
});
