import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { foldText } from './text-folding.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 200_000 : 2_000, seed: 20_260_402 };

test('texts that differ in case, width and what shows nothing are one', () => {
  const alike: readonly (readonly string[])[] = [
    ['ΦΟΡΟΣ', 'φορος', 'φοροσ', 'Φόρος'.normalize('NFD').replaceAll('\u0301', '')],
    ['ΦΟΡΟΣ.ΝΕΟΣ', 'φορος.νεος', 'φοροσ.νεοσ'],
    ['STRASSE', 'strasse', 'straße', 'STRAẞE', 'ſtraſſe', 'ＳＴＲＡＳＳＥ'],
    ['istanbul', 'ISTANBUL', 'İSTANBUL', 'ıstanbul', 'i\u0307stanbul', 'I\u0307STANBUL'],
    ['ị', 'Ị', 'İ\u0323', 'I\u0323\u0307'],
    ['ﬃ', 'FFI', 'ffi'],
    ['ŉ', 'ʼN'],
    ['free money', 'FREE\t\r\n\u00a0Money', 'fr\u200bee\u3000money'],
  ];
  for (const [first = '', ...others] of alike) {
    for (const other of others) assert.equal(foldText(other), foldText(first), other);
  }
  for (const [one, other] of [
    ['ṡ', 's'],
    ['é', 'e'],
    ['j\u0307', 'j'],
    ['ї', 'і'],
  ] as const) {
    assert.notEqual(foldText(one), foldText(other), one);
  }
});

test('every character has one folded form in whatever case, alone and within a word', () => {
  const around = [
    ['', ''],
    ['Ο', ''],
    ['', 'σ'],
    ['ο', '.Ν'],
    ['Σ', 'Σ'],
    ['İ', ''],
  ] as const;
  const unlike: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point);
    // Nine of ten have neither case nor another form, and fold to themselves wherever they stand.
    if (character !== foldText(character) || character !== character.toUpperCase()) {
      for (const [before, behind] of around) {
        if (!isOneInAnyCase(before + character + behind)) unlike.push(`${before}U+${point.toString(16)}${behind}`);
      }
    } else if (character !== character.toLowerCase()) unlike.push(`U+${point.toString(16)}`);
  }
  assert.deepEqual(unlike, []);
});

test('a mark behind an iota subscript is beyond folding: the capital of that is a letter, which takes the mark', () => {
  assert.ok(isOneInAnyCase('ᾴ'));
  // Which no text has: an accent stands on the vowel, before the subscript.
  assert.ok(!isOneInAnyCase('ι\u0345\u0342'));
});

test('folding a folded text changes nothing', () => {
  const characters = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('ς', 'Σ', 'İ', 'i', '\u0307', '\u0323', '\u0345', '\u034f', 'ẞ', 'ﬅ', '\u1160', '\u00a8'),
  );
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 6 }), (parts) => {
      const folded = foldText(parts.join(''));
      assert.equal(foldText(folded), folded);
    }),
    runs,
  );
});

test('a text of nothing but dots takes no longer than another', () => {
  const started = performance.now();
  for (const letter of ['i', 'x']) foldText(letter + '\u0307'.repeat(100_000));
  // Looking back from each dot for its letter takes a minute.
  assert.ok(performance.now() - started < 5_000);
});

function isOneInAnyCase(text: string): boolean {
  const folded = foldText(text);
  return (
    foldText(text.toUpperCase()) === folded && foldText(text.toLowerCase()) === folded && foldText(folded) === folded
  );
}
