import type { PushState } from '@waxwing/contract/messaging-api.ts';
import type { PushKind, StatusPush, UplinkPush } from '@waxwing/contract/push-request.ts';
import type {
  AttemptColumns,
  PushAttemptRow,
  PushHistoryRow,
  PushRow,
  PushSettingRow,
} from '../database/push-tables.ts';
import { parseAddress } from '../http/ip-address.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { mayShowAnswer } from './target-guard.ts';

/** A push as people and scripts see it. */
export interface Push {
  /** Also its `Webhook-Id`. */
  readonly id: string;
  readonly organization_id: string;
  readonly kind: PushKind;
  readonly state: PushState;
  readonly parameters: StatusPush | UplinkPush;
  /** Recorded attempts. */
  readonly attempts: number;
  readonly created_at: string;
  /** When the next attempt is due; null when it has ended. */
  readonly due_at: string | null;
  readonly ended_at: string | null;
}

export interface PushDetails extends Push {
  readonly attempt_log: readonly PushAttempt[];
}

export interface PushAttempt {
  readonly number: number;
  readonly at: string;
  readonly ms: number;
  /** The address dialled, as far as it came to that. */
  readonly address: string | null;
  /** `answered`, `timedOut`, `refused`, `blocked`, `broken`, `badCertificate` or `unresolved`. */
  readonly outcome: string;
  readonly status: number | null;
  readonly error: string | null;
  /** The first 1 KiB of the answer; null where it was empty or withheld. */
  readonly answer: string | null;
  readonly withheld: boolean;
}

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
    parameters: JSON.parse(row.payload) as StatusPush | UplinkPush,
    attempts: row.attempts,
    created_at: toRfc3339(row.created_at),
  };
}
