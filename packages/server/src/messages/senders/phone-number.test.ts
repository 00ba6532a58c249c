import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { isRegion, type PhoneReading, type Region, readPhoneNumber } from './phone-number.ts';

const runs = { seed: 164, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 1_000 };

/** Again, until it is read as itself. */
function readByLibrary(text: string): string | undefined {
  const parsed = parsePhoneNumberFromString(text, { extract: false });
  if (!parsed?.isPossible()) return undefined;
  return parsed.number === text ? text : readByLibrary(parsed.number);
}

function numberOf(reading: PhoneReading): string | undefined {
  return 'number' in reading ? reading.number : undefined;
}

test('a number is read in each of its spellings', () => {
  const spellings: readonly (readonly [string, Region | undefined, string])[] = [
    ['+8613800138000', undefined, '+8613800138000'],
    ['+86 138 0013 8000', undefined, '+8613800138000'],
    ['+86 138 0013 8000', 'US', '+8613800138000'],
    ['13800138000', 'CN', '+8613800138000'],
    ['138-0013-8000', 'CN', '+8613800138000'],
    [' 13800138000 ', 'CN', '+8613800138000'],
    [' +8613800138000 ', 'CN', '+8613800138000'],
    ['  +86 138-0013-8000', undefined, '+8613800138000'],
    ['8613800138000', 'CN', '+8613800138000'],
    ['008613800138000', 'CN', '+8613800138000'],
    ['(020) 7946 0018', 'GB', '+442079460018'],
    ['07911 123456', 'GB', '+447911123456'],
    ['+390612345678', undefined, '+390612345678'],
    ['+88213300655', undefined, '+88213300655'],
  ];
  for (const [text, region, number] of spellings) assert.equal(numberOf(readPhoneNumber(text, region)), number, text);
});

test('a possible number suffices, assigned or not', () => {
  assert.equal(numberOf(readPhoneNumber('+8613800000000', undefined)), '+8613800000000');
  assert.equal(numberOf(readPhoneNumber('+15550000000', undefined)), '+15550000000');
  assert.equal(numberOf(readPhoneNumber('10000000000', 'CN')), '+8610000000000');
});

test('zeros that are put before a number make it no other one', () => {
  for (const text of ['+8613877770000', '+86013877770000', '+860013877770000', '+86 00 138 7777 0000']) {
    assert.equal(numberOf(readPhoneNumber(text, undefined)), '+8613877770000', text);
  }
  assert.equal(numberOf(readPhoneNumber('+4900 15123456789', undefined)), '+4915123456789');
  // Seven digits are possible within a place of Canada, but no number of the world.
  assert.ok('fault' in readPhoneNumber('099 2334', 'CA'));
});

test('what is no number at all is refused', () => {
  const refused = [
    '',
    '+',
    '()',
    '+12345',
    '+999123456789',
    '++8613800138000',
    '+86+13800138000',
    'call 13800138000',
    '1-800-FLOWERS',
    '13800138000 ext 5',
    '13800138000#12',
    'tel:+8613800138000',
    '13800138000\u0000',
    '１３８００１３８０００',
    '13800138000\n',
    '95588',
    `+86138001380${'0'.repeat(40)}`,
    `${' '.repeat(40)}+8613800138000`,
  ];
  for (const text of refused) {
    const reading = readPhoneNumber(text, 'CN');
    assert.ok('fault' in reading && reading.fault.startsWith('is '), text);
  }
});

test('a national number without a default region is told apart from a wrong one', () => {
  assert.match(JSON.stringify(readPhoneNumber('13800138000', undefined)), /no default region/);
  assert.match(JSON.stringify(readPhoneNumber('+861', undefined)), /not a possible/);
});

test('regions are known by their codes', () => {
  assert.ok(isRegion('CN'));
  for (const text of ['cn', 'XX', '', '86']) assert.equal(isRegion(text), false);
});

test(`mobile numbers of every region are read from each way to write them (seed ${runs.seed})`, () => {
  const region = fc.constantFrom(...getCountries());
  const ending = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(region, region, ending, (home, other, lastTwo) => {
      const example = getExampleNumber(home, examples);
      assert.ok(example !== undefined);
      const number = example.number.slice(0, -2) + lastTwo;
      assert.equal(numberOf(readPhoneNumber(number, undefined)), number);
      assert.equal(numberOf(readPhoneNumber(number, other)), number);
      const varied = parsePhoneNumber(number, home);
      assert.equal(numberOf(readPhoneNumber(varied.formatInternational(), other)), number);
      // Of a shared country code the region is known by the digits alone, and changing them may change it.
      if (varied.country === home) assert.equal(numberOf(readPhoneNumber(varied.formatNational(), home)), number);
    }),
    runs,
  );
});

test(`no text makes it throw (seed ${runs.seed})`, () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...'0123456789+-(). '), maxLength: 34 }),
  );
  fc.assert(
    fc.property(text, fc.option(fc.constantFrom(...getCountries()), { nil: undefined }), (given, region) => {
      const reading = readPhoneNumber(given, region);
      if ('number' in reading) assert.match(reading.number, /^\+[1-9]\d{4,19}$/);
      else assert.ok(reading.fault.startsWith('is '));
    }),
    runs,
  );
});

test(`what was read is read as itself (seed ${runs.seed})`, () => {
  const region = fc.constantFrom(...getCountries());
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 3, maxLength: 14 });
  const prefix = fc.constantFrom('', '0', '00', '000', '1', '8', '80', '06', '1790');
  let read = 0;
  fc.assert(
    fc.property(region, fc.boolean(), prefix, digits, region, (home, isNational, before, rest, other) => {
      const text = isNational ? `${before}${rest}` : `+${getCountryCallingCode(home)}${before}${rest}`;
      const number = numberOf(readPhoneNumber(text, home));
      if (number === undefined) return;
      read += 1;
      for (const again of [undefined, home, other])
        assert.equal(numberOf(readPhoneNumber(number, again)), number, text);
    }),
    { ...runs, numRuns: 10 * runs.numRuns },
  );
  assert.ok(read > runs.numRuns, `only ${read} of them were read`);
});

test(`numbers in E.164 are read as the library reads them, whatever their country code (seed ${runs.seed})`, () => {
  const code = fc.constantFrom(...new Set(getCountries().map((region) => getCountryCallingCode(region))), '999', '882');
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 3, maxLength: 14 });
  // What national prefixes look like, and what only looks like one.
  const prefix = fc.constantFrom('', '0', '1', '8', '06', '00', '17', '1790', '0800');
  let possible = 0;
  fc.assert(
    fc.property(code, prefix, digits, (countryCode, before, rest) => {
      const text = `+${countryCode}${before}${rest}`;
      const expected = readByLibrary(text);
      if (expected !== undefined) possible += 1;
      assert.equal(numberOf(readPhoneNumber(text, undefined)), expected, text);
    }),
    { ...runs, numRuns: 20 * runs.numRuns },
  );
  assert.ok(possible > runs.numRuns, `only ${possible} of them were possible`);
});
