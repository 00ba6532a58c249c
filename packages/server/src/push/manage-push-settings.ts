import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type {
  PushSpan,
  PushHealth as ShownHealth,
  TestSample,
} from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { type PushKind, pushParameters } from '@waxwing/contract/push-request.ts';
import type { Ground } from '../audit/ground.ts';
import { type Db, isUniqueViolation } from '../database/database.ts';
import type { PushSettingRow } from '../database/schema/push-tables.ts';
import { requireSealingKey } from '../database/sealing-key.ts';
import { requireOrganization } from '../organizations/organization.ts';
import { ROTATION_MS } from '../outbound/signature.ts';
import { checkTargetUrl, type TargetGuard } from '../outbound/target-guard.ts';
import { newId, toRfc3339 } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { never } from '../runtime/wait.ts';
import { SealError } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import type { LaneStatus } from './engine/lane-status.ts';
import { readMinutes } from './history/minute-store.ts';
import { figuresOf, minuteMs, seriesOf } from './history/push-figures.ts';
import { readFigures } from './history/push-list-store.ts';
import { shardOf } from './outbox/push-shard.ts';
import { changeSecret, type NewSecret, toNewSecret } from './settings/change-signing-secret.ts';
import { type PushSetting, settingLimits, toPushSetting } from './settings/push-setting.ts';
import { auditDetail, type PushSettingRequest, toChange } from './settings/push-setting-change.ts';
import {
  findSecrets,
  findSetting,
  insertSetting,
  listSettings,
  lockSetting,
  type SettingChange,
  updateSetting,
} from './settings/push-setting-store.ts';
import { openUrl, type StoredUrl, sealUrl } from './settings/sealed-push-queries.ts';
import { readFacts } from './settings/setting-facts.ts';
import { sendTestPush, type TestPush, type TestPushNeeds } from './test-push.ts';

export type PushHealth = Omit<Shown<ShownHealth>, 'windows' | 'series'>;

/** The attempts of a setting in the last day, over all nodes. */
export type PushFigures = Pick<Shown<ShownHealth>, 'windows' | 'series'>;

/** The two push settings of each organization. */
export interface PushSettings {
  /**
   * Makes or changes a setting. A generated secret is shown here and never again.
   * @param requireSame as in `Deployments.update`; undefined: there is none yet
   * @throws Problem `invalid_parameter` naming the field; `conflict` naming `secret` when too many sign; `not_found` for an organization; `not_found` naming `url` when there is nothing to change yet
   */
  set(
    actor: string,
    request: PushSettingRequest,
    requireSame?: (current: PushSetting | undefined) => void,
  ): Promise<{ setting: PushSetting; secret?: SecretText }>;
  find(organizationId: string, kind: PushKind): Promise<PushSetting | undefined>;
  /** One push with sample values over the very same path, whether the switch is on or off. */
  test(actor: string, organizationId: string, kind: PushKind, sample?: TestSample): Promise<TestPush>;
  health(organizationId: string, laneStatus?: (settingId: string) => LaneStatus | undefined): Promise<PushHealth[]>;
  /** @param settingId null: of a setting that is none yet */
  figures(organizationId: string, settingId: string | null, span: PushSpan): Promise<PushFigures>;
}

interface Needs extends TestPushNeeds, Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
  readonly guard: TargetGuard;
}

const figuresBound = 10_000;

export function createPushSettings(needs: Needs): PushSettings {
  const { database, feed, audit, clock, ring, guard } = needs;
  const { db } = database;

  async function show(row: PushSettingRow, reader = db): Promise<PushSetting> {
    const [current, former] = await findSecrets(reader, [row]);
    const signed = current?.replaced_at === null;
    const formerUntil = signed && former?.replaced_at != null ? former.replaced_at + ROTATION_MS : 0;
    return toPushSetting(row, shownUrl(row, ring()), {
      signed,
      formerUntil: formerUntil > clock.now() ? formerUntil : null,
    });
  }

  async function get(organizationId: string, kind: PushKind): Promise<PushSettingRow> {
    await requireOrganization(db, organizationId);
    const row = await findSetting(db, organizationId, kind);
    if (row !== undefined) return row;
    throw new Problem('not_found', {
      field: 'kind',
      detail: `Organization ${organizationId} has no push setting for ${kind}. "push-setting set --url" makes one.`,
    });
  }

  async function checkUrl(url: string, kind: PushKind): Promise<string> {
    if (url.endsWith(hiddenQuery)) {
      const detail = 'The query of this URL is hidden here: give the whole URL with its own query.';
      throw new Problem('invalid_parameter', { field: 'url', detail });
    }
    const checked = await checkTargetUrl(url, { guard, ourParameters: pushParameters[kind] });
    if (checked.ok) return url;
    const { code, message } = checked.fault;
    throw new Problem('invalid_parameter', { field: 'url', reason: code.replaceAll('-', '_'), detail: message });
  }

  async function sealed(trx: Db, { organizationId }: PushSettingRequest, id: string, url: string): Promise<StoredUrl> {
    const keys = ring();
    const stored = sealUrl(keys, { organization_id: organizationId, id }, url);
    if (stored.sealed_query !== null) await requireSealingKey(trx, keys.current.id);
    return stored;
  }

  async function store(
    actor: string,
    request: PushSettingRequest,
    existing: PushSettingRow | undefined,
    change: SettingChange,
    secret: NewSecret,
    requireSame?: (current: PushSetting | undefined) => void,
  ): Promise<PushSettingRow> {
    const at = clock.now();
    return feed.write(async (trx, note) => {
      if (requireSame !== undefined) {
        const current = await lockSetting(database, trx, request.organizationId, request.kind);
        requireSame(current && (await show(current, trx)));
      }
      const id = existing?.id ?? newId(at);
      const stored = { ...change, ...(change.url !== undefined && (await sealed(trx, request, id, change.url))) };
      const row =
        existing === undefined ? await make(trx, request, id, stored, at) : await alter(trx, existing, stored, at);
      const secretChange = secret && (await changeSecret(trx, row, secret, { database, ring: ring(), at }));
      note('push-setting', row.id, row.organization_id);
      const action = existing === undefined ? 'push-setting.create' : 'push-setting.update';
      const detail = JSON.stringify(auditDetail(request, change, secretChange));
      await audit.record(trx, [{ organizationId: row.organization_id, actor, action, subject: row.id, at, detail }]);
      return row;
    });
  }

  return {
    async set(actor, request, requireSame) {
      const { organizationId, kind } = request;
      await requireOrganization(db, organizationId);
      const existing = await findSetting(db, organizationId, kind);
      const secret = toNewSecret(request.secret);
      const change = toChange(request);
      if (existing === undefined && request.url === undefined) {
        throw new Problem('invalid_parameter', {
          field: 'url',
          detail: `There is no push setting for ${kind} yet; name the url it shall push to.`,
        });
      }
      if (existing !== undefined && Object.keys(change).length === 0 && secret === undefined) {
        throw new Problem('invalid_parameter', { field: 'update', detail: 'Name at least one thing to change.' });
      }
      if (request.url !== undefined) await checkUrl(request.url, kind);
      const row = await store(actor, request, existing, change, secret, requireSame);
      const shown = await show(row);
      return request.secret === 'generate' && typeof secret === 'object'
        ? { setting: shown, secret: secret.text }
        : { setting: shown };
    },

    async find(organizationId, kind) {
      const row = await findSetting(db, organizationId, kind);
      return row && show(row);
    },

    async test(actor, organizationId, kind, sample) {
      const row = await get(organizationId, kind);
      const facts = (await readFacts(db, [row.id], ring())).get(row.id);
      const at = clock.now();
      await audit.append([{ organizationId, actor, action: 'push-setting.test', subject: row.id, at, detail: '{}' }]);
      const result = facts && (await sendTestPush(needs, facts, never, sample));
      if (result !== undefined) return result;
      throw new Problem('conflict', {
        field: 'url',
        reason: 'url_not_accepted',
        detail: 'The stored URL is not accepted any more; set it anew.',
      });
    },

    async health(organizationId, laneStatus) {
      await requireOrganization(db, organizationId);
      const rows = await listSettings(db, organizationId);
      return Promise.all(
        rows.map(async (row) => {
          const { waiting, failed, oldestDueAt } = await readFigures(db, row, figuresBound);
          return {
            kind: row.kind,
            enabled: row.enabled === 1,
            waiting,
            failed,
            oldest_due_at: oldestDueAt === null ? null : toRfc3339(oldestDueAt),
            lane: laneStatus?.(row.id) ?? null,
          };
        }),
      );
    },

    async figures(organizationId, id, span) {
      const now = Math.floor(clock.now() / minuteMs);
      const day = id === null ? [] : await readMinutes(db, { organization_id: organizationId, id }, now - minutesOfDay);
      return {
        windows: [5, 60, 360, minutesOfDay].map((minutes) => {
          const figures = figuresOf(day.filter(({ minute }) => minute > now - minutes));
          const { attempts, delivered } = figures;
          return { minutes, ...figures, success_rate: attempts === 0 ? null : delivered / attempts };
        }),
        series: seriesOf(day, span, now),
      };
    },
  };
}

const minutesOfDay = 1_440;

/** Instead of a query that does not open. */
const hiddenQuery = '?***';

/** Also where its query does not open: it can be replaced all the same. */
function shownUrl(row: PushSettingRow, ring: KeyRing): string {
  try {
    return openUrl(row, ring);
  } catch (error) {
    if (error instanceof SealError) return row.url + hiddenQuery;
    throw error;
  }
}

async function make(
  trx: Db,
  request: PushSettingRequest,
  id: string,
  change: SettingChange,
  at: number,
): Promise<PushSettingRow> {
  const row: PushSettingRow = {
    organization_id: request.organizationId,
    id,
    kind: request.kind,
    shard: shardOf(id),
    url: change.url ?? '',
    sealed_query: change.sealed_query ?? null,
    query_key_id: change.query_key_id ?? null,
    enabled: change.enabled ?? 0,
    timeout_ms: change.timeout_ms ?? settingLimits.timeout.standard * 1000,
    retries: change.retries ?? settingLimits.retries.standard,
    concurrency: change.concurrency ?? settingLimits.concurrency.standard,
    created_at: at,
    updated_at: at,
    switched_at: at,
  };
  try {
    await insertSetting(trx, row);
    return row;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem('conflict', {
      field: 'kind',
      reason: 'setting_made_meanwhile',
      detail: 'Somebody made this setting at the same time. Try again.',
    });
  }
}

async function alter(trx: Db, existing: PushSettingRow, change: SettingChange, at: number): Promise<PushSettingRow> {
  const row = await updateSetting(trx, existing, change, at);
  if (row === undefined) throw new Error(`push setting ${existing.id} has vanished`);
  return row;
}
