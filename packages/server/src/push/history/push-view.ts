import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type { Push, PushDetails as ShownPush } from '@waxwing/contract/management-api/operations/push-operations.ts';
import type { PushKind } from '@waxwing/contract/push-request.ts';
import type {
  AttemptColumns,
  PushAttemptRow,
  PushHistoryRow,
  PushRow,
  PushSettingRow,
} from '../../database/schema/push-tables.ts';
import { parseAddress } from '../../http/request/ip-address.ts';
import { mayShowAnswer } from '../../outbound/target-guard.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { readStoredContent } from '../outbox/push-event.ts';

/** A push as people and scripts see it. */
export type { Push };

export type PushDetails = Shown<ShownPush>;
type PushAttempt = PushDetails['attempt_log'][number];

export function waitingPush(row: PushRow, { kind }: PushSettingRow): Push {
  return { ...common(row, kind), state: 'waiting', due_at: toRfc3339(row.due_at), ended_at: null };
}

export function endedPush(row: PushHistoryRow, { kind }: PushSettingRow): Push {
  return { ...common(row, kind), state: row.state, due_at: null, ended_at: toRfc3339(row.ended_at) };
}

/** All recorded attempts in their order: those before, and the one that ended the push. */
export function attemptLog(earlier: readonly PushAttemptRow[], ended: PushHistoryRow | undefined): PushAttempt[] {
  const log = earlier.map(toPushAttempt);
  if (ended?.outcome == null) return log;
  // The columns of an attempt are null together or not at all.
  return [...log, toPushAttempt({ ...(ended as AttemptColumns), number: ended.attempts })];
}

function toPushAttempt(row: AttemptColumns & { readonly number: number }): PushAttempt {
  const { number, ms, address, outcome, status, error, excerpt } = row;
  const withheld = isWithheld(row);
  return { number, at: toRfc3339(row.at), ms, address, outcome, status, error, answer: excerpt, withheld };
}

/** Whether the content of an answer is not shown, because of where it came from. */
export function isWithheld({ outcome, address }: Pick<AttemptColumns, 'outcome' | 'address'>): boolean {
  if (outcome !== 'answered' || address === null) return false;
  const parsed = parseAddress(address);
  return parsed === undefined || !mayShowAnswer(parsed);
}

function common(row: PushRow | PushHistoryRow, kind: PushKind) {
  return {
    id: row.id,
    organization_id: row.organization_id,
    kind,
    parameters: parametersOf(row),
    attempts: row.attempts,
    created_at: toRfc3339(row.created_at),
  };
}

function parametersOf({ payload }: PushRow | PushHistoryRow): Push['parameters'] {
  const content = readStoredContent(payload);
  // Those that the contract names by kind; a push that is posted has none.
  return ('query' in content ? content.query : {}) as Push['parameters'];
}
