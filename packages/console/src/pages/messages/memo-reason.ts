import { networkMemos, refusalMemos } from '@waxwing/contract/memos.ts';
import type { TFunction } from 'i18next';

/** Reasons that the server itself gives, in English, and how they are told in the reader's language. Pure. */

const texts = { ...refusalMemos, ...networkMemos };

type MemoReason = keyof typeof texts;

/** What may follow a reason, after which sign. */
const followedBy: { readonly [Reason in MemoReason]?: string } = { blockedWord: ': ', networkError: ' ' };

const reasons = Object.keys(texts) as MemoReason[];

interface KnownMemo {
  readonly reason: MemoReason;
  /** The blocked word, or the network's code. */
  readonly rest: string;
}

function readMemo(memo: string): KnownMemo | undefined {
  for (const reason of reasons) {
    if (memo === texts[reason]) return { reason, rest: '' };
    const beginning = `${texts[reason]}${followedBy[reason] ?? '\0'}`;
    if (memo.startsWith(beginning)) return { reason, rest: memo.slice(beginning.length) };
  }
  return undefined;
}

/** In the reader's language; the words of a carrier, which nobody can translate, as they are. */
export function memoText(t: TFunction, memo: string): string {
  const known = readMemo(memo);
  return known === undefined ? memo : t(`messaging.memoNames.${known.reason}`, { rest: known.rest }).trim();
}

/** What to do about a refusal of our own. Undefined for all others: their words say it. */
export function refusalReason(memo: string | undefined): keyof typeof refusalMemos | undefined {
  const known = memo === undefined ? undefined : readMemo(memo)?.reason;
  return known !== undefined && known in refusalMemos ? (known as keyof typeof refusalMemos) : undefined;
}
