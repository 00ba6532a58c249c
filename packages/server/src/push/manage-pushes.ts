import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type * as contract from '@waxwing/contract/management-api/operations/push-operations.ts';
import type { PushState } from '@waxwing/contract/messaging-api.ts';
import type { PushKind } from '@waxwing/contract/push-request.ts';
import type { Ground } from '../audit/ground.ts';
import type { PushHistoryRow, PushResendRow, PushSettingRow } from '../database/schema/push-tables.ts';
import { type Found, searchBounded } from '../database/sql/bounded-search.ts';
import { requireOrganization } from '../organizations/organization.ts';
import { firstIdAt, newId, toRfc3339 } from '../runtime/clock.ts';
import { absent, Problem } from '../runtime/problem.ts';
import {
  findEnded,
  findEndedOf,
  findWaiting,
  findWaitingIds,
  type ListPart,
  listAttempts,
  listHistory,
  listUndelivered,
  listWaiting,
} from './history/push-list-store.ts';
import { pushSearch } from './history/push-search.ts';
import { attemptLog, endedPush, type Push, type PushDetails, waitingPush } from './history/push-view.ts';
import { countUndelivered, insertResend, listResendsOf, moveBack } from './history/resend-store.ts';
import type { MissedEvents } from './outbox/outbox.ts';
import { findSetting, findSettings, listSettings } from './settings/push-setting-store.ts';

export interface PushFilter {
  readonly organizationId: string;
  readonly kind?: PushKind | undefined;
  readonly state?: PushState | undefined;
  /** The id of a batch, or a phone number or a part of it; only of `find`. */
  readonly search?: string | undefined;
  /** Goes on before this id: the order is from new to old. */
  readonly before?: string | undefined;
  /** Those accepted at this moment or later, and before `until`, epoch ms. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
}

export interface ResendRequest {
  readonly organizationId: string;
  readonly kind: PushKind;
  /** What happened at or after this moment, epoch ms; all that is kept when left out. */
  readonly since?: number | undefined;
  /**
   * `failed`: pushes that have failed. `undelivered`: also events that ended, or were never queued, because the switch
   * was off.
   */
  readonly which: 'failed' | 'undelivered';
}

/** Pushes that are being sent again, at a bounded rate. */
export type Resend = Shown<contract.Resend>;

/** What people and scripts do with pushes. */
export interface Pushes {
  /** The same of what can be looked through at once: see `searchBounded`. */
  find(filter: PushFilter): Promise<Found<Push>>;
  /** @param organizationId looked for in this one alone. @throws Problem `not_found`, naming `push` */
  show(id: string, organizationId?: string): Promise<PushDetails>;
  /**
   * Sends an ended push again, whatever its end was, with a new budget and under its `Webhook-Id`.
   * @throws Problem `not_found`; `conflict` when it still waits, or the switch of its kind is off
   */
  resendOne(actor: string, id: string): Promise<Push>;
  /**
   * The same for many pushes. @returns the ids that are sent again: pushes that wait, that do not exist, or whose
   * switch is off are left out
   */
  resendSome(actor: string, organizationId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** @throws Problem `not_found` without a setting; `conflict` when its switch is off, or ten are under way */
  resend(actor: string, request: ResendRequest): Promise<Resend>;
  /** With what is left of each, counted to 10,000 at most. */
  resendProgress(organizationId: string): Promise<(Resend & { readonly left: number })[]>;
}

interface Needs extends Pick<Ground, 'database' | 'audit' | 'clock'> {
  readonly missed: MissedEvents;
}

/** They are worked on one after the other: more would only pile up. */
const resendsAtOnce = 10;
const leftBound = 10_000;

export function createPushes({ database, audit, clock, missed }: Needs): Pushes {
  const { db } = database;

  async function settingOf(id: string): Promise<PushSettingRow> {
    const [setting] = await findSettings(db, [id]);
    if (setting === undefined) throw new Error(`there is no push setting ${id}`);
    return setting;
  }

  async function find(
    id: string,
    organizationId?: string,
  ): Promise<{ readonly push: Push; readonly ended: PushHistoryRow | undefined }> {
    // Waiting first: what ends between the two looks is then found as ended.
    const waiting = await findWaiting(db, id);
    if (waiting !== undefined)
      return { push: waitingPush(waiting, await settingOf(waiting.setting_id)), ended: undefined };
    const ended =
      organizationId === undefined ? await findEnded(db, id) : (await findEndedOf(db, organizationId, [id]))[0];
    if (ended !== undefined) return { push: endedPush(ended, await settingOf(ended.setting_id)), ended };
    return absent('push', id);
  }

  return {
    async find({ organizationId, kind, state, search, limit, ...times }) {
      const part = { ...idsOf(times), limit };
      const all = await listSettings(db, organizationId);
      const settings = new Map(all.flatMap((row) => (kind === undefined || row.kind === kind ? [[row.id, row]] : [])));
      const isFound = search === undefined ? undefined : pushSearch(search);
      /** A list as it is, or what is searched for in a bounded part of it. */
      const read = async <Row extends { readonly id: string; readonly payload: string }>(
        list: (part: ListPart) => Promise<readonly Row[]>,
      ): Promise<Found<Row>> =>
        isFound === undefined
          ? { rows: await list(part) }
          : searchBounded<Row>({
              read: (after, take) => list({ ...part, before: after?.id ?? part.before, limit: take }),
              wanted: isFound,
              take: limit,
            });
      const waits = state === undefined || state === 'waiting' ? [...settings.values()] : [];
      const waiting = waits.map((setting) => read((each) => listWaiting(db, setting, each)));
      const ended =
        state === 'waiting'
          ? []
          : state === 'failed' || state === 'off'
            ? [...settings.values()].map((setting) => read((each) => listUndelivered(db, setting, { state, ...each })))
            : [
                searchBounded<PushHistoryRow>({
                  read: (after, take) =>
                    listHistory(db, organizationId, { ...part, before: after?.id ?? part.before, limit: take }),
                  wanted: (row) =>
                    settings.has(row.setting_id) &&
                    (state === undefined || row.state === state) &&
                    (isFound === undefined || isFound(row)),
                  take: limit,
                }),
              ];
      const settingsById = new Map(all.map((setting) => [setting.id, setting]));
      const found = [
        ...(await shownAs(waiting, settingsById, waitingPush)),
        ...(await shownAs(ended, settingsById, endedPush)),
      ];
      const rows = newestFirst(found.flatMap((each) => each.rows));
      // Rows behind the nearest place that was reached come with those that the other lists have behind it.
      const [reached] = newestFirst(found.flatMap((each) => each.reached ?? []));
      if (reached === undefined) return { rows: rows.slice(0, limit) };
      return { rows: rows.filter(({ id }) => id >= reached.id).slice(0, limit), reached };
    },

    async show(id, organizationId) {
      const { push, ended } = await find(id, organizationId);
      return { ...push, attempt_log: attemptLog(await listAttempts(db, push), ended) };
    },

    async resendOne(actor, id) {
      const { push } = await find(id);
      if (push.state === 'waiting') {
        throw new Problem('conflict', {
          field: 'push',
          reason: 'push_waiting',
          detail: `Push ${id} still waits; it needs no re-send.`,
        });
      }
      requireOn(await findSetting(db, push.organization_id, push.kind), push.organization_id, push.kind);
      const at = clock.now();
      const { organization_id: organizationId } = push;
      await database.transaction(async (trx) => {
        for (const query of moveBack(database, [{ organizationId, id }], at)) await query.execute(trx);
        await audit.record(trx, [{ organizationId, actor, action: 'push.resend', subject: id, at, detail: '{}' }]);
      });
      return (await find(id)).push;
    },

    async resendSome(actor, organizationId, ids) {
      const at = clock.now();
      return database.transaction(async (trx) => {
        const ended = (await findEndedOf(trx, organizationId, ids)).map(({ id }) => id);
        if (ended.length === 0) return [];
        const pushes = ended.map((id) => ({ organizationId, id }));
        for (const query of moveBack(database, pushes, at)) await query.execute(trx);
        const resent = await findWaitingIds(trx, organizationId, ended);
        await audit.record(
          trx,
          resent.map((id) => ({ organizationId, actor, action: 'push.resend', subject: id, at, detail: '{}' })),
        );
        return resent;
      });
    },

    async resend(actor, { organizationId, kind, since, which }) {
      await requireOrganization(db, organizationId);
      const setting = requireOn(await findSetting(db, organizationId, kind), organizationId, kind);
      const underWay = await listResendsOf(db, organizationId);
      if (underWay.filter(({ setting_id }) => setting_id === setting.id).length >= resendsAtOnce) {
        const detail = `${resendsAtOnce} re-sends of pushes of kind ${kind} are under way; wait for one of them to end.`;
        throw new Problem('conflict', {
          field: 'kind',
          reason: 'too_many_resends',
          parameters: { most: resendsAtOnce },
          detail,
        });
      }
      const at = clock.now();
      const row: PushResendRow = {
        organization_id: organizationId,
        id: newId(at),
        setting_id: setting.id,
        shard: setting.shard,
        states: statesOf[which].join(','),
        reached: firstIdAt(since ?? 0),
        ...(which === 'failed'
          ? { missed_since: null, missed_after: null }
          : { missed_since: since ?? 0, missed_after: await missed.markBefore(organizationId, since ?? 0) }),
        moved: 0,
        created_at: at,
      };
      await database.transaction(async (trx) => {
        await insertResend(trx, row);
        const detail = JSON.stringify({ kind, which, ...(since === undefined ? {} : { since: toRfc3339(since) }) });
        await audit.record(trx, [{ organizationId, actor, action: 'push.resend', subject: setting.id, at, detail }]);
      });
      return toResend(row);
    },

    async resendProgress(organizationId) {
      const rows = await listResendsOf(db, organizationId);
      return Promise.all(
        rows.map(async (row) => ({ ...toResend(row), left: await countUndelivered(db, row, leftBound) })),
      );
    },
  };
}

const statesOf: Readonly<Record<ResendRequest['which'], readonly PushHistoryRow['state'][]>> = {
  failed: ['failed'],
  undelivered: ['failed', 'off'],
};

/** An id begins with its time, so times are a part of the list. */
function idsOf({ before, since, until }: Pick<PushFilter, 'before' | 'since' | 'until'>) {
  const end = until === undefined ? undefined : firstIdAt(until);
  return {
    before: before !== undefined && (end === undefined || before < end) ? before : end,
    from: since === undefined ? undefined : firstIdAt(since),
  };
}

/** A push that ended between the two readings is in both: it counts as ended. */
function newestFirst(pushes: readonly Push[]): Push[] {
  const byId = new Map(pushes.map((push) => [push.id, push]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
}

function requireOn(setting: PushSettingRow | undefined, organizationId: string, kind: PushKind): PushSettingRow {
  if (setting === undefined) {
    throw new Problem('not_found', {
      field: 'kind',
      detail: `Organization ${organizationId} has no push setting for ${kind}. "push-setting set" makes one.`,
    });
  }
  if (setting.enabled === 1) return setting;
  throw new Problem('conflict', {
    field: 'kind',
    reason: 'pushes_off',
    detail: `Pushes of kind ${kind} are switched off. Switch them on first: "push-setting set --enable".`,
  });
}

function toResend(row: PushResendRow): Resend {
  return {
    id: row.id,
    organization_id: row.organization_id,
    setting_id: row.setting_id,
    states: row.states.split(',') as PushHistoryRow['state'][],
    moved: row.moved,
    created_at: toRfc3339(row.created_at),
  };
}

/** Rows as people see them. Pushes whose setting is gone are left out. */
async function shownAs<Row extends { readonly setting_id: string }>(
  reading: readonly Promise<Found<Row>>[],
  settings: ReadonlyMap<string, PushSettingRow>,
  show: (row: Row, setting: PushSettingRow) => Push,
): Promise<Found<Push>[]> {
  const shown = (row: Row): Push[] => {
    const setting = settings.get(row.setting_id);
    return setting === undefined ? [] : [show(row, setting)];
  };
  const found = await Promise.all(reading);
  return found.map(({ rows, reached }) => {
    const [place] = reached === undefined ? [] : shown(reached);
    return { rows: rows.flatMap(shown), ...(place !== undefined && { reached: place }) };
  });
}
