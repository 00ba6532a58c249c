import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBlockedWords, type PolicyFacts, refusalOf } from './content-policy.ts';

const welcome: PolicyFacts = { numberBlocked: false, optedOut: false, blockedWord: undefined, hasCarrier: true };

test('each reason refuses with its memo, in this order', () => {
  assert.equal(refusalOf(welcome), undefined);
  const worst = { numberBlocked: true, optedOut: true, blockedWord: '赌博', hasCarrier: false };
  const cases: readonly (readonly [PolicyFacts, string])[] = [
    [worst, 'number blocked'],
    [{ ...worst, numberBlocked: false }, 'recipient opted out'],
    [{ ...worst, numberBlocked: false, optedOut: false }, 'blocked word: 赌博'],
    [{ ...welcome, hasCarrier: false }, 'no carrier'],
  ];
  for (const [facts, memo] of cases) assert.deepEqual(refusalOf(facts), { status: 'REJECTED', memo });
});

test('a blocked word is found in every disguise that folding takes off', () => {
  const { find } = createBlockedWords(['赌博', 'Casino', 'free money', '€uro', 'a+', 'win \t big\u3000now']);
  const hidden: readonly (readonly [string, string])[] = [
    ['来赌博吧', '赌博'],
    ['赌\u200b博', '赌博'],
    ['CASINO', 'Casino'],
    ['the Ｃａｓｉｎｏ.', 'Casino'],
    ['ca\u00adsi\u200dno', 'Casino'],
    ['去casino玩', 'Casino'],
    ['Free money!', 'free money'],
    ['free  money', 'free money'],
    ['free\tmoney', 'free money'],
    ['FREE \r\n Money', 'free money'],
    ['free\u00a0\u200b\u3000money', 'free money'],
    ['win big\nnow', 'win \t big\u3000now'],
    ['1 €URO', '€uro'],
    ['grade A+b', 'a+'],
    ['casino 赌博', 'Casino'],
  ];
  for (const [content, word] of hidden) assert.equal(find(content), word, content);
});

test('a word is found in every case it has, also where that changes its letters', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['ΦΟΡΟΣ', ['ΦΟΡΟΣ', 'φορος', 'φοροσ', 'ΦΟΡΟΣ.ΝΕΟΣ', 'νεος-ΦΟΡΟΣ, ΝΕΟΣ', 'ΦΟΡΟΣ!']],
    ['φορος', ['ΦΟΡΟΣ.ΝΕΟΣ', 'φοροσ']],
    ['STRASSE', ['straße', 'Straße 1', 'STRAẞE']],
    ['straße', ['STRASSE', 'Strasse']],
    ['istanbul', ['İSTANBUL', 'Istanbul', 'ISTANBUL']],
    ['İSTANBUL', ['istanbul', 'İstanbul']],
  ];
  for (const [word, contents] of cases) {
    for (const content of contents) assert.equal(createBlockedWords([word]).find(content), word, content);
  }
  assert.equal(createBlockedWords(['ΦΟΡΟΣ']).find('φοροστασιο'), undefined);
});

test('a word within another of a spaced script is not the word', () => {
  const { find } = createBlockedWords(['ass', '18', '赌']);
  for (const content of ['class', 'assume', 'Ass1', '2018', '180', 'émass', '']) {
    assert.equal(find(content), undefined, content);
  }
  for (const content of ['ass', 'an ass!', '满18岁', 'class ass', '赌'])
    assert.notEqual(find(content), undefined, content);
});

test('with no words nothing is found, and empty words are no words', () => {
  assert.equal(createBlockedWords([]).find('anything'), undefined);
  assert.equal(createBlockedWords(['free money']).find('freemoney, free-money'), undefined);
  assert.equal(createBlockedWords(['', ' ', '\u200b', '\u200b \u200b']).find('any thing'), undefined);
});

test('the cost of a search hardly depends on the number of words', () => {
  const words = Array.from({ length: 10_000 }, (_, index) => `word${index}`);
  const { find } = createBlockedWords(words);
  const content = `${'word '.repeat(300)}word9999`;
  const started = performance.now();
  for (let run = 0; run < 50; run++) assert.equal(find(content), 'word9999');
  // Trying each word at each place takes half a second a run.
  assert.ok(performance.now() - started < 2_000);
});

test('nor on how much they look alike', () => {
  // Of one first character and of 1,600 lengths: U+FDFA is compared as eighteen characters, U+2057 as four.
  const words = Array.from(
    { length: 1_600 },
    (_, index) => `\u2032${'\uFDFA'.repeat(1 + index / 18)}${'x'.repeat(index % 18)}`,
  );
  const { find } = createBlockedWords(words);
  const started = performance.now();
  for (let run = 0; run < 20; run++) assert.equal(find('\u2057'.repeat(670)), undefined);
  // Trying each length at each place takes fifteen seconds.
  assert.ok(performance.now() - started < 5_000);
});

test('what is found is what trying each word at each place finds', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '☆', '赌', ' '), minLength: 1, maxLength: 5 });
  const wanted = (words: readonly string[], content: string) => {
    const isSpaced = (character: string | undefined) => /^[ab]$/.test(character ?? '');
    const folded = content.replace(/ +/g, ' ');
    return words
      .map((word) => word.replace(/ +/g, ' ').trim())
      .filter((word) => word !== '')
      .some((word) =>
        [...folded].some(
          (_, at) =>
            folded.startsWith(word, at) &&
            !(isSpaced(word.at(0)) && at > 0 && isSpaced(folded.at(at - 1))) &&
            !(isSpaced(word.at(-1)) && isSpaced(folded.at(at + word.length))),
        ),
      );
  };
  const property = fc.property(
    fc.array(letters, { maxLength: 8 }),
    fc.string({ unit: fc.constantFrom('a', 'b', '☆', '赌', ' '), maxLength: 16 }),
    (words, content) => {
      assert.equal(createBlockedWords(words).find(content) !== undefined, wanted(words, content));
    },
  );
  fc.assert(property, { seed: 5, numRuns: 2_000 });
});
