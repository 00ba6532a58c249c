import { refusalMemos } from '@waxwing/contract/memos.ts';
import { rejected, type Verdict } from '../state/message-state.ts';
import { foldText } from './text-folding.ts';

/** What is known when a message is accepted. A message that we refuse ourselves is accepted, settled and pushed like any other. */
export interface PolicyFacts {
  readonly numberBlocked: boolean;
  readonly optedOut: boolean;
  /** The first blocked word that the content holds. */
  readonly blockedWord: string | undefined;
  /** Whether a carrier takes messages to this number. */
  readonly hasCarrier: boolean;
}

/**
 * Why we refuse a message, or undefined when it may go to a carrier. The daily quota is asked after this: a message
 * refused here uses none of it.
 */
export function refusalOf(facts: PolicyFacts): Verdict | undefined {
  if (facts.numberBlocked) return rejected(refusalMemos.numberBlocked);
  if (facts.optedOut) return rejected(refusalMemos.optedOut);
  if (facts.blockedWord !== undefined) return rejected(`${refusalMemos.blockedWord}: ${facts.blockedWord}`);
  return facts.hasCarrier ? undefined : rejected(refusalMemos.noCarrier);
}

export interface BlockedWords {
  /** The first blocked word in the content, as it was configured. */
  find(content: string): string | undefined;
}

interface BlockedWord {
  readonly shown: string;
  readonly folded: string;
  readonly startsBound: boolean;
  readonly endsBound: boolean;
}

/**
 * A word is found whatever its case, width, white space and invisible characters. Where it begins or ends with a letter
 * or digit of an alphabet, a word of the content must begin or end there: "ass" is not in "class". Chinese, Japanese
 * and Thai write no spaces between words, so there it is found anywhere.
 *
 * Words are sorted, so that one search at each place of the content finds all that begin there, however many there are
 * and however much they look alike.
 */
export function createBlockedWords(words: readonly string[]): BlockedWords {
  const known = words
    .map(toBlockedWord)
    .filter(({ folded }) => folded !== '')
    .sort((one, other) => (one.folded < other.folded ? -1 : Number(one.folded !== other.folded)));
  const prefixes = prefixesOf(known);
  const shelves = new Map<string, Shelf>();
  for (const [index, { folded }] of known.entries()) {
    const first = folded.charAt(0);
    const { from, longest } = shelves.get(first) ?? { from: index, longest: 0 };
    shelves.set(first, { from, to: index, longest: Math.max(longest, folded.length) });
  }

  function findAt(text: string, at: number, shelf: Shelf): BlockedWord | undefined {
    const part = text.slice(at, at + shelf.longest);
    // What begins `part` comes before it, and between the two there is nothing that does not begin with the same.
    let index = lastUpTo(known, part, shelf);
    const most = index === undefined ? 0 : sharedLength(known[index]?.folded ?? '', part);
    for (; index !== undefined; index = prefixes[index]) {
      const word = known[index] as BlockedWord;
      if (word.folded.length <= most && isWhole(text, at, word)) return word;
    }
    return undefined;
  }

  return {
    find(content) {
      if (shelves.size === 0) return undefined;
      const folded = foldText(content);
      for (let at = 0; at < folded.length; at++) {
        const shelf = shelves.get(folded.charAt(at));
        const found = shelf === undefined ? undefined : findAt(folded, at, shelf);
        if (found !== undefined) return found.shown;
      }
      return undefined;
    },
  };
}

/** Where the words that begin with one character stand. */
interface Shelf {
  readonly from: number;
  readonly to: number;
  readonly longest: number;
}

/** Of each word, in their order, the longest other one that it begins with. */
function prefixesOf(words: readonly BlockedWord[]): readonly (number | undefined)[] {
  const open: number[] = [];
  return words.map(({ folded }, index) => {
    while (open.length > 0 && !folded.startsWith(words[open.at(-1) as number]?.folded ?? '')) open.pop();
    const prefix = open.at(-1);
    open.push(index);
    return prefix;
  });
}

/** The last word of the shelf that does not come after `text`. */
function lastUpTo(words: readonly BlockedWord[], text: string, { from, to }: Shelf): number | undefined {
  let low = from;
  let high = to + 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle]?.folded ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  return low === from ? undefined : low - 1;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** What a blocked word is looked for by: words that have it in common are one word, and without any is none. */
export function foldWord(word: string): string {
  return foldText(word).trim();
}

function toBlockedWord(word: string): BlockedWord {
  const folded = foldWord(word);
  return { shown: word.trim(), folded, startsBound: isSpaced(folded.at(0)), endsBound: isSpaced(folded.at(-1)) };
}

function isWhole(text: string, at: number, { folded, startsBound, endsBound }: BlockedWord): boolean {
  if (startsBound && at > 0 && isSpaced(text.charAt(at - 1))) return false;
  return !(endsBound && isSpaced(text.charAt(at + folded.length)));
}

/** A letter or digit of a script that puts spaces between words. */
function isSpaced(character: string | undefined): boolean {
  return /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{N}]$/u.test(character ?? '');
}
