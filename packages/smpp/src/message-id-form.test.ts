import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type FormTally,
  formsToTry,
  learnedForm,
  learnForm,
  messageIdForms,
  messageIdKey,
  noMatches,
  receiptKeys,
} from './message-id-form.ts';

const runs = { seed: 16, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500 };

/** Whether a receipt with one id finds the submit answer with another, by this form alone. */
function finds(form: (typeof messageIdForms)[number], submitId: string, receiptId: string): boolean {
  return receiptKeys(receiptId, [form]).some(({ key }) => key === messageIdKey(submitId));
}

for (const [form, submitId, receiptId, isFound] of [
  ['text', 'a1b2c3', 'a1b2c3', true],
  ['text', '00A1B2C3', 'a1b2c3', true],
  ['text', 'a1b2c3', '00A1B2C3', true],
  ['text', '0000', '0', true],
  ['text', ' 123 ', '123', true],
  ['text', '4c73a0f8-6e3b-4d0e', '4C73A0F8-6E3B-4D0E', true],
  ['text', '489708364', '1d305b4c', false],
  ['decimal-to-hex', '489708364', '1d305b4c', true],
  ['decimal-to-hex', '0489708364', '1D305B4C', true],
  ['decimal-to-hex', '489708364', '00000000001D305B4C', true],
  ['decimal-to-hex', '489708364', '489708364', false],
  ['hex-to-decimal', '1d305b4c', '0489708364', true],
  ['hex-to-decimal', '1D305B4C', '489708364', true],
  ['hex-to-decimal', '1D305B4C', '1D305B4C', false],
  ['decimal-to-hex', '18446744073709551615', 'FFFFFFFFFFFFFFFF', true],
  ['hex-to-decimal', 'ffffffffffffffff', '18446744073709551615', true],
  ['decimal-to-hex', '12', 'xyz', false],
  ['hex-to-decimal', '12', '1a', false],
] as const) {
  test(`as ${form}, ${receiptId} ${isFound ? 'finds' : 'does not find'} ${submitId.trim()}`, () => {
    assert.equal(finds(form, submitId, receiptId), isFound);
  });
}

test(`a number of any size is found in both ways of writing it (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n }), fc.nat(6), (number, zeros) => {
      const [decimal, hex] = [number.toString(10), '0'.repeat(zeros) + number.toString(16).toUpperCase()];
      assert.ok(finds('decimal-to-hex', decimal, hex));
      assert.ok(finds('hex-to-decimal', hex, decimal));
      assert.ok(finds('text', hex, hex.toLowerCase()));
    }),
    runs,
  );
});

test(`any id yields at most one key for each form, and none of them is long (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 2_000, size: 'max' }), fc.stringMatching(/^[0-9a-f]{0,90}$/)), (id) => {
      const keys = receiptKeys(id, messageIdForms);
      assert.equal(new Set(keys.map(({ key }) => key)).size, keys.length);
      assert.ok(keys.length <= 3 && keys[0]?.form === 'text');
      for (const { key } of keys.slice(1)) assert.ok(key.length <= 80);
    }),
    runs,
  );
});

test('a digit is the same number in each form, and is looked up once', () => {
  assert.deepEqual(receiptKeys('007', messageIdForms), [{ form: 'text', key: '7' }]);
});

test('a setting names the only form', () => {
  const learned: FormTally = { ...noMatches, text: 100 };
  for (const form of messageIdForms) assert.deepEqual(formsToTry(form, learned), [form]);
});

test('while nothing is learned, each form is tried, as text first', () => {
  assert.deepEqual(formsToTry('auto', noMatches), ['text', 'decimal-to-hex', 'hex-to-decimal']);
});

test('three matches by one form alone teach it', () => {
  let tally = noMatches;
  for (let count = 0; count < 3; count++) {
    assert.equal(learnedForm(tally), undefined);
    tally = learnForm(tally, ['hex-to-decimal']);
  }
  assert.deepEqual(formsToTry('auto', tally), ['hex-to-decimal']);
});

test('a receipt that nothing matches, or several forms, teaches nothing', () => {
  assert.equal(learnForm(noMatches, []), noMatches);
  assert.equal(learnForm(noMatches, ['text', 'decimal-to-hex']), noMatches);
});

test('a coincidence delays the learning, and does not prevent it', () => {
  let tally = learnForm(noMatches, ['text']);
  for (let count = 0; count < 5; count++) tally = learnForm(tally, ['decimal-to-hex']);
  assert.deepEqual(formsToTry('auto', tally), ['decimal-to-hex', 'text', 'hex-to-decimal']);
  tally = learnForm(tally, ['decimal-to-hex']);
  assert.deepEqual(formsToTry('auto', tally), ['decimal-to-hex']);
});
