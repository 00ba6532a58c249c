import { rejected, type Verdict } from './message-state.ts';
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

/** Customers see these in `memo` and match on them. */
export const refusalMemos = {
  numberBlocked: 'number blocked',
  optedOut: 'recipient opted out',
  blockedWord: 'blocked word',
  noCarrier: 'no carrier',
  dailyQuota: 'daily quota exceeded',
} as const;

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
 * A word is found whatever its case, width, white space and invisible characters. Where it begins or ends with a letter or
 * digit of an alphabet, that must be the beginning or end of a word of the content: "ass" is not in "class". Chinese,
 * Japanese and Thai write no spaces between words, so there it is found anywhere.
 *
 * Words are looked up by their first character and length, so that the cost hardly depends on how many there are.
 */
export function createBlockedWords(words: readonly string[]): BlockedWords {
  const known = words.map(toBlockedWord).filter(({ folded }) => folded !== '');
  const shelves = new Map([...Map.groupBy(known, ({ folded }) => folded.charAt(0))].map(toShelf));
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

/** The words that begin with one character. */
interface Shelf {
  readonly lengths: readonly number[];
  readonly words: ReadonlyMap<string, BlockedWord>;
}

function toShelf([first, words]: [string, readonly BlockedWord[]]): [string, Shelf] {
  const lengths = [...new Set(words.map(({ folded }) => folded.length))];
  return [first, { lengths, words: new Map(words.map((word) => [word.folded, word])) }];
}

function findAt(text: string, at: number, { lengths, words }: Shelf): BlockedWord | undefined {
  for (const length of lengths) {
    const word = words.get(text.slice(at, at + length));
    if (word !== undefined && isWhole(text, at, word)) return word;
  }
  return undefined;
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
