import { networkMemos, refusalMemos } from '@waxwing/contract/memos.ts';
import type { TFunction } from 'i18next';

/** The server's own reasons, which are in English, in the reader's language. Pure. */

const texts = { ...refusalMemos, ...networkMemos };

type MemoReason = keyof typeof texts;

/** The sign between a reason and what may follow it. */
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

/** The reason in the reader's language; the words of a carrier unchanged. */
export function memoText(t: TFunction, memo: string): string {
  const known = readMemo(memo);
  return known === undefined ? memo : t(`messaging.memoNames.${known.reason}`, { rest: known.rest }).trim();
}

/** The reason of a refusal by the service itself; undefined for all others. */
export function refusalReason(memo: string | undefined): keyof typeof refusalMemos | undefined {
  const known = memo === undefined ? undefined : readMemo(memo)?.reason;
  return known !== undefined && known in refusalMemos ? (known as keyof typeof refusalMemos) : undefined;
}
