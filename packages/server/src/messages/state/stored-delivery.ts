import type { MessageRow } from '../../database/schema/message-tables.ts';
import { type Delivery, delivered, type PartState, undelivered, type Verdict } from './message-state.ts';

/** A delivery as the columns of a message hold it. */
export type StoredDelivery = Pick<MessageRow, 'parts' | 'memos' | 'status' | 'memo'>;

const letters = { queued: 'q', sent: 's', DELIVRD: 'D', UNDELIV: 'U', REJECTED: 'R' } as const;

export function toColumns({ parts, verdict }: Delivery): StoredDelivery {
  const memos = parts.flatMap((part) => (typeof part === 'object' && part.status === 'REJECTED' ? [part.memo] : []));
  return {
    parts: parts.map((part) => letters[typeof part === 'object' ? part.status : part]).join(''),
    memos: memos.length === 0 ? null : JSON.stringify(memos),
    status: verdict?.status ?? null,
    memo: verdict?.status === 'REJECTED' ? verdict.memo : null,
  };
}

export function toDelivery({ parts, memos, status, memo }: StoredDelivery): Delivery {
  const reasons = memos === null ? [] : (JSON.parse(memos) as string[]);
  let refusals = 0;
  return {
    parts: [...parts].map((letter) => toPart(letter, letter === 'R' ? reasons[refusals++] : undefined)),
    verdict: status === null ? undefined : toVerdict(status, memo),
  };
}

function toPart(letter: string, memo: string | undefined): PartState {
  switch (letter) {
    case 'q':
      return 'queued';
    case 's':
      return 'sent';
    case 'D':
      return delivered;
    case 'U':
      return undelivered;
    case 'R':
      return toVerdict('REJECTED', memo ?? null);
    default:
      throw new RangeError(`a message has a part in the unknown state ${letter}`);
  }
}

/** The verdict that two columns hold. */
export function toVerdict(status: Verdict['status'], memo: string | null): Verdict {
  if (status !== 'REJECTED') return status === 'DELIVRD' ? delivered : undelivered;
  if (memo === null) throw new RangeError('a rejection is stored without its reason');
  return { status, memo };
}
