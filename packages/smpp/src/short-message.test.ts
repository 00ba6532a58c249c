import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeGsm } from './gsm-alphabet.ts';
import { type ContentAlphabet, canHold, dataCodingOf, decodeContent, encodeContent } from './short-message.ts';

const runs = { seed: 23038, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 500 };

const hex = (octets: Uint8Array) => Buffer.from(octets).toString('hex');
const octetsOf = (digits: string) => Buffer.from(digits, 'hex');

test('texts are encoded as published examples have it', () => {
  assert.equal(hex(encodeContent('hellohello', 'gsm7-packed')), 'e8329bfd4697d9ec37');
  assert.equal(hex(encodeContent('1234567', 'gsm7-packed')), '31d98c56b3dd1a');
  assert.equal(hex(encodeContent('12345678', 'gsm7-packed')), '31d98c56b3dd70');
  assert.equal(hex(encodeContent('€[', 'gsm7')), '1b651b3c');
  assert.equal(hex(encodeContent('été', 'latin1')), 'e974e9');
  assert.equal(hex(encodeContent('中€', 'ucs2')), '4e2d20ac');
  assert.equal(hex(encodeContent('abc', 'ascii')), '616263');
});

test('behind a header the first packed septet begins at a multiple of 7 bits', () => {
  const six = octetsOf('050003010201');
  const seven = octetsOf('06080400010201');
  assert.equal(hex(encodeContent('a', 'gsm7-packed', { udh: six })), '050003010201c2');
  assert.equal(hex(encodeContent('a', 'gsm7-packed', { udh: seven })), '0608040001020161');
  assert.equal(encodeContent('a'.repeat(153), 'gsm7-packed', { udh: six }).length, 140);
  assert.equal(encodeContent('a'.repeat(152), 'gsm7-packed', { udh: seven }).length, 140);
  assert.equal(encodeContent('a'.repeat(160), 'gsm7-packed').length, 140);
});

const gsmUnit = fc.constantFrom(...'@£$èéòÇ\nØ_ΦΩ !"#%&AZaz09äöñüà^{}\\[~]|€');

test(`packed text survives behind a header of any length (seed ${runs.seed})`, () => {
  fc.assert(
    fc.property(fc.string({ unit: gsmUnit, maxLength: 80 }), fc.nat(20), (text, headerLength) => {
      const udh = new Uint8Array(headerLength).fill(0x55);
      const octets = encodeContent(text, 'gsm7-packed', { udh }).subarray(headerLength);
      const read = decodeContent(octets, 0, 'gsm7-packed', { headerLength });
      // A text that ends in the place of spare bits may end in zeros, which are `@`.
      if (text.endsWith('@')) assert.ok(text === read || text === `${read}@`);
      else assert.equal(read, text);
    }),
    runs,
  );
});

test('seven spare bits are no character, whether the peer fills them with zeros or with a carriage return', () => {
  const filled = encodeContent('1234567', 'gsm7-packed');
  const zeros = Uint8Array.from(filled);
  zeros[6] = (zeros[6] ?? 0) & 1;
  assert.notEqual(hex(filled), hex(zeros));
  for (const octets of [filled, zeros]) assert.equal(decodeContent(octets, 0, 'gsm7-packed'), '1234567');
});

test('the last septet of a full message is a character', () => {
  const text = `${'x'.repeat(159)}@`;
  assert.equal(decodeContent(encodeContent(text, 'gsm7-packed'), 0, 'gsm7-packed'), text);
  const udh = octetsOf('050003010201');
  const part = `${'x'.repeat(152)}@`;
  const octets = encodeContent(part, 'gsm7-packed', { udh }).subarray(6);
  assert.equal(decodeContent(octets, 0, 'gsm7-packed', { headerLength: 6 }), part);
});

const units: Readonly<Record<ContentAlphabet, fc.Arbitrary<string>>> = {
  gsm7: gsmUnit,
  'gsm7-packed': gsmUnit.filter((unit) => unit !== '@'),
  latin1: fc.nat(0xff).map((code) => String.fromCharCode(code)),
  ascii: fc.nat(0x7f).map((code) => String.fromCharCode(code)),
  ucs2: fc.nat(0xffff).map((code) => String.fromCharCode(code)),
};

for (const [name, unit] of Object.entries(units)) {
  const alphabet = name as ContentAlphabet;
  test(`${alphabet} keeps every text that it can hold (seed ${runs.seed})`, () => {
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 160 }), (text) => {
        assert.ok(canHold(alphabet, text));
        const octets = encodeContent(text, alphabet);
        const defaultAlphabet = alphabet === 'ucs2' ? 'gsm7' : alphabet;
        assert.equal(decodeContent(octets, dataCodingOf(alphabet), defaultAlphabet), text);
      }),
      runs,
    );
  });
}

test('a text is not written in an alphabet that lacks one of its characters', () => {
  for (const [alphabet, text] of [
    ['gsm7', 'ç'],
    ['gsm7-packed', '中'],
    ['latin1', '€'],
    ['latin1', 'Ω'],
    ['ascii', 'é'],
  ] as const) {
    assert.equal(canHold(alphabet, `a${text}`), false);
    assert.throws(() => encodeContent(`a${text}`, alphabet), RangeError);
  }
});

const eight = octetsOf('00410042');

for (const [codings, octets, text, what] of [
  [[0x00, 0x05, 0x09, 0x0a, 0x0d, 0x0e, 0x0f, 0x20, 0x80, 0xbf], encodeGsm('£@'), '£@', 'the default alphabet'],
  [[0x10, 0x11, 0x13, 0x1f, 0xc0, 0xc8, 0xd0, 0xf0, 0xf1, 0xf3, 0xf8], encodeGsm('£@'), '£@', 'the default alphabet'],
  [[0x01, 0x03], octetsOf('61e9'), 'aé', 'ASCII or Latin-1'],
  [[0x02, 0x04, 0x14, 0x17, 0xf4, 0xf5, 0xf7], octetsOf('61e900'), 'aé\0', 'binary data, as Latin-1'],
  [[0x06], octetsOf('bfe0d8d2d5e2'), 'Привет', 'Cyrillic'],
  [[0x07], octetsOf('f9ececed'), 'שללם', 'Hebrew'],
  [[0x08, 0x18, 0x19, 0x1b, 0xe0, 0xe8, 0xef], eight, 'AB', 'UCS-2'],
] as const) {
  const names = codings.map((coding) => `0x${coding.toString(16).padStart(2, '0')}`);
  test(`data_coding ${names.join(', ')} is ${what}`, () => {
    for (const coding of codings) assert.equal(decodeContent(octets, coding, 'gsm7'), text, String(coding));
  });
}

test('the default alphabet is that of the carrier', () => {
  assert.equal(decodeContent(octetsOf('24'), 0, 'gsm7'), '¤');
  assert.equal(decodeContent(octetsOf('24'), 0, 'latin1'), '$');
  assert.equal(decodeContent(octetsOf('31d98c'), 0xf1, 'gsm7-packed'), '123');
  assert.equal(decodeContent(octetsOf('24'), 3, 'gsm7'), '$');
});

test(`any octets are read without throwing (seed ${runs.seed})`, () => {
  const alphabets = fc.constantFrom('gsm7', 'gsm7-packed', 'latin1', 'ascii');
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(255),
      alphabets,
      fc.nat(140),
      (octets, coding, alphabet, n) => {
        const text = decodeContent(octets, coding, alphabet, { headerLength: n });
        assert.ok(text.length <= Math.ceil((octets.length * 8) / 7));
      },
    ),
    runs,
  );
});
