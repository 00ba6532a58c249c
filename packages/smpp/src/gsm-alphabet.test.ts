import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeGsm, encodeGsm, isGsm, septetCount } from './gsm-alphabet.ts';

const runs = { seed: 38, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500 };

/** Typed again from the code chart, column by column, to find slips in the table. */
const chart: Readonly<Record<string, string>> = {
  '00': '@Δ 0¡P¿p',
  '01': '£_!1AQaq',
  '02': '$Φ"2BRbr',
  '03': '¥Γ#3CScs',
  '04': 'èΛ¤4DTdt',
  '05': 'éΩ%5EUeu',
  '06': 'ùΠ&6FVfv',
  '07': "ìΨ'7GWgw",
  '08': 'òΣ(8HXhx',
  '09': 'ÇΘ)9IYiy',
  '0a': '\nΞ*:JZjz',
  '0b': 'Ø\u001b+;KÄkä',
  '0c': 'øÆ,<LÖlö',
  '0d': '\ræ-=MÑmñ',
  '0e': 'Åß.>NÜnü',
  '0f': 'åÉ/?O§oà',
};
const extension = { '\f': 0x0a, '^': 0x14, '{': 0x28, '}': 0x29, '\\': 0x2f, '[': 0x3c, '~': 0x3d, ']': 0x3e };
const extensionTail = { '|': 0x40, '€': 0x65 };
const escapeCode = 0x1b;

test('every code of the chart stands for its character, both ways', () => {
  let checked = 0;
  for (const [row, characters] of Object.entries(chart)) {
    for (const [column, character] of [...characters].entries()) {
      const code = column * 16 + Number.parseInt(row, 16);
      if (code === escapeCode) continue;
      assert.deepEqual([...encodeGsm(character)], [code], character);
      assert.equal(decodeGsm(Uint8Array.of(code)), character);
      assert.equal(septetCount(character), 1);
      checked += 1;
    }
  }
  assert.equal(checked, 127);
});

test('extended characters take an escape and their code', () => {
  for (const [character, code] of Object.entries({ ...extension, ...extensionTail })) {
    assert.deepEqual([...encodeGsm(character)], [escapeCode, code], character);
    assert.equal(decodeGsm(Uint8Array.of(escapeCode, code)), character);
    assert.equal(septetCount(character), 2);
  }
});

test('of all Unicode, the alphabet has 137 characters', () => {
  let known = 0;
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    assert.equal(isGsm(character), septetCount(character) > 0);
    if (!isGsm(character)) continue;
    assert.equal(decodeGsm(encodeGsm(character)), character);
    known += 1;
  }
  assert.equal(known, 127 + 10);
});

test('a character outside the alphabet is never encoded as another', () => {
  for (const character of ['ç', '`', '中', '\u001b', '\0', '😀']) {
    assert.equal(isGsm(`a${character}`), false);
    assert.throws(() => encodeGsm(`a${character}`), RangeError);
  }
});

test('an escape that leads nowhere is read as a handset reads it', () => {
  assert.equal(decodeGsm(Uint8Array.of(escapeCode, 0x41)), 'A');
  assert.equal(decodeGsm(Uint8Array.of(0x41, escapeCode)), 'A ');
  assert.equal(decodeGsm(Uint8Array.of(escapeCode, escapeCode, 0x41)), ' A');
  assert.equal(decodeGsm(Uint8Array.of(0xc1)), 'A');
});

test(`any octets are read without throwing, into text that the alphabet has (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (octets) => {
      assert.ok(isGsm(decodeGsm(octets)));
    }),
    runs,
  );
});
