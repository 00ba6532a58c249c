import type { PushKind } from '@waxwing/contract/push-request.ts';
import { sql } from 'kysely';
import type { Database, Db } from '../../database/database.ts';
import { lockingRows } from '../../database/row-lock.ts';
import type { Flag } from '../../database/schema/column-types.ts';
import type { PushSecretRow, PushSettingRow } from '../../database/schema/push-tables.ts';

export async function findSetting(db: Db, organizationId: string, kind: PushKind): Promise<PushSettingRow | undefined> {
  return db
    .selectFrom('push_setting')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

/** The setting as it is now, for this transaction alone. */
export async function lockSetting(
  database: Database,
  trx: Db,
  organizationId: string,
  kind: PushKind,
): Promise<PushSettingRow | undefined> {
  return trx
    .selectFrom('push_setting')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .modifyEnd(lockingRows(database, 'push_setting'))
    .executeTakeFirst();
}

export async function findSettings(db: Db, ids: readonly string[]): Promise<PushSettingRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('push_setting').selectAll().where('id', 'in', ids).execute();
}

/** Of one organization, or of all, in the order they were made. */
export async function listSettings(db: Db, organizationId?: string): Promise<PushSettingRow[]> {
  let query = db.selectFrom('push_setting').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return query.orderBy('id').execute();
}

/** Ids of the organizations that have any setting. */
export async function listPushingOrganizations(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('push_setting').select('organization_id').distinct().execute();
  return rows.map((row) => row.organization_id);
}

export async function insertSetting(trx: Db, row: PushSettingRow): Promise<void> {
  await trx.insertInto('push_setting').values(row).execute();
}

export type SettingChange = Partial<
  Pick<PushSettingRow, 'url' | 'sealed_query' | 'query_key_id' | 'enabled' | 'timeout_ms' | 'retries' | 'concurrency'>
>;

/** Also locks the row until the transaction ends. @returns the row as it is now; undefined when there is none. */
export async function updateSetting(
  trx: Db,
  setting: { organization_id: string; id: string },
  change: SettingChange,
  at: number,
): Promise<PushSettingRow | undefined> {
  return trx
    .updateTable('push_setting')
    .set({
      ...change,
      updated_at: at,
      ...(change.enabled !== undefined && { switched_at: turnedAt(change.enabled, at) }),
    })
    .where('organization_id', '=', setting.organization_id)
    .where('id', '=', setting.id)
    .returningAll()
    .executeTakeFirst();
}

/** The moment of this change where it turns the switch; else as it was. */
function turnedAt(enabled: Flag, at: number) {
  return sql<number>`case when enabled = ${enabled} then switched_at else cast(${at} as bigint) end`;
}

/** The secrets of settings: the current one of each first, then former ones, the one replaced last first. */
export async function findSecrets(db: Db, settings: readonly PushSettingRow[]): Promise<PushSecretRow[]> {
  if (settings.length === 0) return [];
  return db
    .selectFrom('push_secret')
    .selectAll()
    .where('organization_id', 'in', [...new Set(settings.map((row) => row.organization_id))])
    .where(
      'setting_id',
      'in',
      settings.map((row) => row.id),
    )
    .orderBy((order) => order.fn.coalesce('replaced_at', order.val(Number.MAX_SAFE_INTEGER)), 'desc')
    .execute();
}

export async function insertSecret(trx: Db, row: PushSecretRow): Promise<void> {
  await trx.insertInto('push_secret').values(row).execute();
}

type Owner = { readonly organization_id: string; readonly id: string };

/** Lets the current secret, if there is one, be a former one from now on. */
export async function replaceSecret(trx: Db, setting: Owner, at: number): Promise<void> {
  await trx
    .updateTable('push_secret')
    .set({ replaced_at: at })
    .where('organization_id', '=', setting.organization_id)
    .where('setting_id', '=', setting.id)
    .where('replaced_at', 'is', null)
    .execute();
}

/** Removes secrets replaced at or before `before`; all of them when it is undefined. */
export async function deleteSecrets(trx: Db, setting: Owner, before?: number): Promise<void> {
  let query = trx
    .deleteFrom('push_secret')
    .where('organization_id', '=', setting.organization_id)
    .where('setting_id', '=', setting.id);
  if (before !== undefined) query = query.where('replaced_at', '<=', before);
  await query.execute();
}

export async function deleteSecret(trx: Db, secret: PushSecretRow): Promise<void> {
  await trx
    .deleteFrom('push_secret')
    .where('organization_id', '=', secret.organization_id)
    .where('setting_id', '=', secret.setting_id)
    .where('id', '=', secret.id)
    .execute();
}

/** Ids of the master keys that any secret is sealed with. */
export async function listSecretKeys(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('push_secret').select('key_id').distinct().execute();
  return rows.map((row) => row.key_id);
}

/** Secrets sealed with another master key than `keyId`, in chunks for re-wrapping. */
export async function listSecretsSealedOtherwise(db: Db, keyId: string, limit: number): Promise<PushSecretRow[]> {
  return db.selectFrom('push_secret').selectAll().where('key_id', '!=', keyId).orderBy('id').limit(limit).execute();
}

/** Replaces a sealed secret by the same secret under another key, unless the row has changed meanwhile. */
export async function replaceSealedSecret(
  trx: Db,
  secret: PushSecretRow,
  sealed: Uint8Array,
  keyId: string,
): Promise<void> {
  await trx
    .updateTable('push_secret')
    .set({ sealed, key_id: keyId })
    .where('organization_id', '=', secret.organization_id)
    .where('setting_id', '=', secret.setting_id)
    .where('id', '=', secret.id)
    .where('key_id', '=', secret.key_id)
    .execute();
}

/** In the order of their ids, after `after`. */
export async function listSecrets(db: Db, after: string, limit: number): Promise<PushSecretRow[]> {
  return db.selectFrom('push_secret').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute();
}

/** Ids of the master keys that any query is sealed with. */
export async function listQueryKeys(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('push_setting').select('query_key_id').distinct().execute();
  return rows.flatMap((row) => row.query_key_id ?? []);
}

/** Settings whose query is sealed with another master key than `keyId`, in chunks for re-wrapping. */
export async function listQueriesSealedOtherwise(db: Db, keyId: string, limit: number): Promise<PushSettingRow[]> {
  return db.selectFrom('push_setting').selectAll().where('query_key_id', '!=', keyId).limit(limit).execute();
}

/** Settings with a query that is not sealed. */
export async function listClearQueries(db: Db, limit: number): Promise<PushSettingRow[]> {
  return db
    .selectFrom('push_setting')
    .selectAll()
    .where((where) => where.or([where('url', 'like', '%?%'), where('url', 'like', '%#%')]))
    .limit(limit)
    .execute();
}

/** Settings with a sealed query in the order of their ids, after `after`. */
export async function listQueries(db: Db, after: string, limit: number): Promise<PushSettingRow[]> {
  return db
    .selectFrom('push_setting')
    .selectAll()
    .where('query_key_id', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Replaces a sealed URL by the same URL under another key, unless the row has changed meanwhile. */
export async function replaceUrl(
  trx: Db,
  setting: PushSettingRow,
  stored: Pick<PushSettingRow, 'url' | 'sealed_query' | 'query_key_id'>,
): Promise<void> {
  await trx
    .updateTable('push_setting')
    .set(stored)
    .where('organization_id', '=', setting.organization_id)
    .where('id', '=', setting.id)
    .where('url', '=', setting.url)
    .where((where) =>
      setting.sealed_query === null
        ? where('sealed_query', 'is', null)
        : where('sealed_query', '=', setting.sealed_query),
    )
    .execute();
}
