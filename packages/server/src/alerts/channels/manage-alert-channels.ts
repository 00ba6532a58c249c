import type { AlertChannelKind } from '@waxwing/contract/management-api/operations/alert-operations.ts';
import type { Ground } from '../../audit/ground.ts';
import type { Note } from '../../database/change-feed.ts';
import type { Db } from '../../database/database.ts';
import type { AlertChannelRow } from '../../database/schema/alert-tables.ts';
import { lockSealingKey } from '../../database/sealing-key.ts';
import type { Part } from '../../database/sql/bounded-search.ts';
import { createWindowLimit } from '../../http/request/window-limit.ts';
import { checkName, findOrganization, lockOrganization } from '../../organizations/organization.ts';
import type { TargetGuard } from '../../outbound/target-guard.ts';
import { newId } from '../../runtime/clock.ts';
import { absent, Problem } from '../../runtime/problem.ts';
import type { SecretText } from '../../runtime/secret-text.ts';
import { never } from '../../runtime/wait.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { SendNotices } from '../senders/send-notice.ts';
import { type AlertChannel, destinationOf, toAlertChannel } from './alert-channel.ts';
import {
  countChannels,
  deleteChannel,
  endWaiting,
  findChannel,
  insertChannel,
  listChannels,
  lockChannel,
  updateChannel,
} from './alert-channel-store.ts';
import { checkDestination, checkNewDestination, type Destination, type DestinationRequest } from './channel-request.ts';
import { openChannel, sealChannel } from './sealed-alert-channels.ts';
import { sendToChannel } from './send-to-channel.ts';

export interface NewAlertChannel extends DestinationRequest {
  /** Empty for the instance. */
  readonly organizationId: string;
  readonly kind: AlertChannelKind;
  readonly name: string;
  readonly enabled?: boolean | undefined;
}

export interface AlertChannelUpdate extends DestinationRequest {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
}

export interface TestedChannel {
  readonly sent: boolean;
  readonly to: string;
  readonly ms: number;
  /** Why it was not accepted, in the receiver's words. */
  readonly error: string | null;
}

export interface AlertChannels {
  /** `secret` was generated, and is shown this once. */
  create(by: string, request: NewAlertChannel): Promise<{ channel: AlertChannel; secret: SecretText | undefined }>;
  /** Oldest first. @param organizationId empty: the instance's; undefined: all */
  list(organizationId: string | undefined, part: Part): Promise<AlertChannel[]>;
  /** @throws Problem `not_found`, naming `alert_channel` */
  show(id: string): Promise<AlertChannel>;
  /** @param check receives the channel in the transaction, before the change */
  update(
    by: string,
    id: string,
    update: AlertChannelUpdate,
    check?: (current: AlertChannel) => void,
  ): Promise<AlertChannel>;
  delete(by: string, id: string): Promise<void>;
  /** Sends one notice, whether the channel is enabled or not. */
  test(by: string, id: string): Promise<TestedChannel>;
}

interface Needs extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
  readonly guard: TargetGuard;
  readonly send: SendNotices;
}

const mostChannels = 100;
/** How many tests a channel, its owner and all owners may make: a recipient may be anybody. */
const testsPerMinute = { channel: 10, owner: 20, all: 60 };

export function createAlertChannels(needs: Needs): AlertChannels {
  const { database, feed, audit, clock, ring, guard } = needs;
  const { db } = database;
  const tests = createWindowLimit();

  function countTest({ id, organization_id }: AlertChannelRow): void {
    const now = clock.monotonic();
    const retryAfterSeconds =
      tests.count(`channel ${id}`, now, testsPerMinute.channel) ??
      tests.count(`owner ${organization_id}`, now, testsPerMinute.owner) ??
      tests.count('all', now, testsPerMinute.all);
    if (retryAfterSeconds === undefined) return;
    throw new Problem('too_many_requests', { retryAfterSeconds, detail: 'Too many tests of alert channels.' });
  }

  const get = async (id: string) => (await findChannel(db, id)) ?? absent('alert channel', id);

  function change<T>(
    by: string,
    verb: 'create' | 'update' | 'delete',
    { organization_id: organizationId, id }: Pick<AlertChannelRow, 'organization_id' | 'id'>,
    at: number,
    write: (trx: Db, note: Note) => Promise<{ result: T; detail: object }>,
  ): Promise<T> {
    return feed.write(async (trx, note) => {
      const { result, detail } = await write(trx, note);
      note('alert-channel', id, organizationId === '' ? undefined : organizationId);
      const entry = { organizationId, actor: by, action: `alert-channel.${verb}` as const, subject: id, at };
      await audit.record(trx, [{ ...entry, detail: JSON.stringify(detail) }]);
      return result;
    });
  }

  /** The sealed columns of a channel whose URL or secret changes. */
  async function resealed(trx: Db, row: AlertChannelRow, destination: Destination): Promise<Partial<AlertChannelRow>> {
    const { url, secret } = destination;
    if (url === undefined && secret === undefined) return {};
    const keys = ring();
    const former = url === undefined || secret === undefined ? openChannel(keys, row) : undefined;
    const text = url?.text ?? former?.url;
    if (text === undefined) throw new Error(`alert channel ${row.id} has no URL`);
    const kept = secret === undefined ? former?.secret : (secret ?? undefined);
    if (!(await lockSealingKey(trx, keys.current.id))) {
      throw new Problem('service_unavailable', { detail: 'The master key is being changed. Try again in a moment.' });
    }
    return {
      sealed: sealChannel(keys, row, { url: text, secret: kept }),
      key_id: keys.current.id,
      signed: kept === undefined ? 0 : 1,
      ...(url !== undefined && { host: url.host }),
    };
  }

  return {
    async create(by, request) {
      const { organizationId, kind } = request;
      const name = checkName('name', request.name);
      const { destination, generated } = await checkNewDestination(kind, request, guard);
      const at = clock.now();
      const row: AlertChannelRow = {
        id: newId(at),
        organization_id: organizationId,
        kind,
        name,
        enabled: (request.enabled ?? true) ? 1 : 0,
        recipients: JSON.stringify(destination.to ?? []),
        host: null,
        signed: 0,
        sealed: null,
        key_id: null,
        created_at: at,
        updated_at: at,
        failures: 0,
        retry_at: 0,
        last_sent_at: null,
        last_error: null,
      };
      return change(by, 'create', row, at, async (trx) => {
        if (organizationId !== '') await lockOrganization(trx, database, organizationId);
        if ((await countChannels(trx, organizationId)) >= mostChannels) throw tooMany();
        const sealed = kind === 'email' ? {} : await resealed(trx, row, { secret: null, ...destination });
        const whole = { ...row, ...sealed };
        await insertChannel(trx, whole);
        const channel = toAlertChannel(whole);
        return { result: { channel, secret: generated }, detail: shownFacts(channel, { kind, name, ...destination }) };
      });
    },

    list: async (organizationId, part) => (await listChannels(db, organizationId, part)).map(toAlertChannel),

    show: async (id) => toAlertChannel(await get(id)),

    async update(by, id, update, check) {
      const { kind, organization_id } = await get(id);
      const destination = await checkDestination(kind, update, guard);
      const at = clock.now();
      return change(by, 'update', { id, organization_id }, at, async (trx) => {
        const current = (await lockChannel(trx, database, id)) ?? absent('alert channel', id);
        check?.(toAlertChannel(current));
        const columns: Partial<AlertChannelRow> = {
          ...(update.name !== undefined && { name: checkName('name', update.name) }),
          ...(update.enabled !== undefined && { enabled: update.enabled ? 1 : 0 }),
          ...(destination.to !== undefined && { recipients: JSON.stringify(destination.to) }),
          ...(await resealed(trx, current, destination)),
          // What waits is tried at once.
          ...{ updated_at: at, failures: 0, retry_at: 0 },
        };
        await updateChannel(trx, id, columns);
        if (update.enabled === false) await endWaiting(trx, id, 'The channel was disabled.', at);
        const result = toAlertChannel({ ...current, ...columns });
        return { result, detail: shownFacts(result, { ...update, ...destination }) };
      });
    },

    async delete(by, id) {
      const row = await get(id);
      const at = clock.now();
      await change(by, 'delete', row, at, async (trx) => {
        if (!(await deleteChannel(trx, id))) absent('alert channel', id);
        await endWaiting(trx, id, 'The channel was deleted.', at);
        return { result: undefined, detail: { kind: row.kind, name: row.name } };
      });
    },

    async test(by, id) {
      const row = await get(id);
      const { organization_id: organizationId } = row;
      countTest(row);
      const at = clock.now();
      await audit.append([{ organizationId, actor: by, action: 'alert-channel.test', subject: id, at, detail: '{}' }]);
      const organization = organizationId === '' ? undefined : await findOrganization(db, organizationId);
      const notice = {
        id: newId(at),
        type: 'alert.test',
        at,
        organization: organization === undefined ? null : { id: organizationId, name: organization.name },
        // Without a word of whoever asks: recipients may be anybody.
        subject: 'This is a test of an alert channel',
        detail: 'Alerts of Waxwing will arrive here.',
      };
      const began = clock.monotonic();
      const result = await sendToChannel(needs, row, [notice], notice.id, never);
      const ms = Math.round(clock.monotonic() - began);
      const error = result.kind === 'sent' ? null : result.words;
      return { sent: error === null, to: destinationOf(row), ms, error };
    },
  };
}

/** The fields of the change, as people see them. */
function shownFacts(channel: AlertChannel, changed: object): object {
  const { kind, name, enabled, to, host, signed } = channel;
  const shown: Readonly<Record<string, object>> = {
    ...{ kind: { kind }, name: { name }, enabled: { enabled }, to: { to } },
    ...{ url: { host }, secret: { signed } },
  };
  return Object.assign({}, ...Object.keys(changed).map((field) => shown[field])) as object;
}

function tooMany(): Problem {
  return new Problem('conflict', {
    field: 'alert_channel',
    reason: 'too_many_alert_channels',
    parameters: { most: mostChannels },
    detail: `There are ${mostChannels} alert channels already. Delete one that is not needed any more.`,
  });
}
