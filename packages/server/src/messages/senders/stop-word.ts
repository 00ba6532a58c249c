import { foldText } from './text-folding.ts';

export interface StopWords {
  /** Whether the reply asks not to be sent anything any more. */
  isStop(reply: string): boolean;
}

/**
 * A reply is a stop word when it says that and nothing else, in any case and width, with any quotes and punctuation around
 * it: 「退订」, "Stop!". "Don't stop" is a reply like any other: a person reads it and may add the opt-out by hand.
 */
export function createStopWords(words: readonly string[]): StopWords {
  const known = new Set(words.map(bare).filter((word) => word !== ''));
  return { isStop: (reply) => reply.length <= longestReply && known.has(bare(reply)) };
}

/** Characters; nobody surrounds a stop word by more. */
const longestReply = 100;

function bare(text: string): string {
  return foldText(text).replace(/^[\p{P}\p{S} ]+|[\p{P}\p{S} ]+$/gu, '');
}
