import { sql } from 'kysely';
import type { Database, Db } from '../../../database/database.ts';
import { lockingRows } from '../../../database/row-lock.ts';
import type { AcmeOrderRow, AcmeStepRow } from '../../../database/schema/acme-tables.ts';
import type { CertificateVersionRow } from '../../../database/schema/certificate-tables.ts';
import { orderSpacingMs } from './next-step.ts';
import type { PlacedOrder } from './order-limit.ts';

export async function insertOrder(trx: Db, row: AcmeOrderRow): Promise<void> {
  await trx.insertInto('acme_order').values(row).execute();
}

export async function findOrder(db: Db, id: string): Promise<AcmeOrderRow | undefined> {
  return db.selectFrom('acme_order').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The order that is under way for a certificate, for this transaction alone. */
export async function lockRunningOrder(
  trx: Db,
  database: Pick<Database, 'dialect'>,
  certificateId: string,
): Promise<AcmeOrderRow | undefined> {
  return trx
    .selectFrom('acme_order')
    .selectAll()
    .where('certificate_id', '=', certificateId)
    .where('next_at', 'is not', null)
    .modifyEnd(lockingRows(database, 'acme_order'))
    .executeTakeFirst();
}

/** Where these orders stand. */
export async function findOrders(
  db: Db,
  ids: readonly string[],
): Promise<readonly Pick<AcmeOrderRow, 'id' | 'step' | 'next_at'>[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('acme_order').select(['id', 'step', 'next_at']).where('id', 'in', ids).execute();
}

/** @returns whether the order was still as `revision` says: only then anything is written */
export async function advanceOrder(
  trx: Db,
  order: Pick<AcmeOrderRow, 'id' | 'revision'>,
  columns: Partial<AcmeOrderRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('acme_order')
    .set({ ...columns, revision: order.revision + 1 })
    .where('id', '=', order.id)
    .where('revision', '=', order.revision)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Has a running order looked at. The revision stays: an answer that is on its way is still written. */
export async function setOrderDue(trx: Db, id: string, at: number): Promise<void> {
  await trx
    .updateTable('acme_order')
    .set({ next_at: at })
    .where('id', '=', id)
    .where('next_at', 'is not', null)
    .execute();
}

export interface DueOrders {
  readonly now: number;
  readonly limit: number;
  /** Those under way here, and those whose authority or organization has enough under way. */
  readonly except: {
    readonly ids: readonly string[];
    readonly organizations: readonly string[];
    readonly authorities: readonly string[];
  };
}

/** Orders whose next step is due, that which waits longest first. */
export async function listDueOrders(db: Db, { now, limit, except }: DueOrders): Promise<AcmeOrderRow[]> {
  let query = db
    .selectFrom('acme_order')
    .selectAll()
    .where('next_at', 'is not', null)
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(limit);
  if (except.ids.length > 0) query = query.where('id', 'not in', except.ids);
  if (except.organizations.length > 0) query = query.where('organization_id', 'not in', except.organizations);
  if (except.authorities.length > 0) query = query.where('authority_id', 'not in', except.authorities);
  return query.execute();
}

/** Orders whose version was revoked, and whose authority has not been told. */
export async function listDueRevocations(db: Db, { now, limit, except }: DueOrders): Promise<AcmeOrderRow[]> {
  let query = db
    .selectFrom('acme_order')
    .selectAll()
    .where('revoke_at', 'is not', null)
    .where('revoke_at', '<=', now)
    .orderBy('revoke_at')
    .limit(limit);
  if (except.ids.length > 0) query = query.where('id', 'not in', except.ids);
  if (except.organizations.length > 0) query = query.where('organization_id', 'not in', except.organizations);
  if (except.authorities.length > 0) query = query.where('authority_id', 'not in', except.authorities);
  return query.execute();
}

/**
 * The order rests until then, unless it is planned later anyway. Its revision stays: whoever acts on it meanwhile may
 * write what follows.
 */
export async function postponeOrder(db: Db, id: string, column: 'next_at' | 'revoke_at', until: number): Promise<void> {
  await db
    .updateTable('acme_order')
    .set({ [column]: until })
    .where('id', '=', id)
    .where(column, '<', until)
    .execute();
}

/** @returns ids of the orders whose authority is to be told */
export async function wantRevocation(
  trx: Db,
  certificateId: string,
  versionId: string | undefined,
  at: number,
): Promise<string[]> {
  let query = trx
    .updateTable('acme_order')
    .set({ revoke_at: at, revoke_attempts: 0 })
    .where('certificate_id', '=', certificateId)
    .where('version_id', 'is not', null);
  if (versionId !== undefined) query = query.where('version_id', '=', versionId);
  return (await query.returning('id').execute()).map(({ id }) => id);
}

/** @param order as it was read; @returns whether nobody else has told its authority meanwhile */
export async function setRevocation(
  trx: Db,
  order: Pick<AcmeOrderRow, 'id' | 'revoke_at'>,
  columns: Partial<AcmeOrderRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('acme_order')
    .set(columns)
    .where('id', '=', order.id)
    .where('revoke_at', '=', order.revoke_at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** An order of the certificate whose authority has still to be told that its version is revoked. */
export async function findUntoldRevocation(db: Db, certificateId: string): Promise<AcmeOrderRow | undefined> {
  return db
    .selectFrom('acme_order')
    .selectAll()
    .where('certificate_id', '=', certificateId)
    .where('revoke_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
}

/** When an order for these names was last placed with an authority; null: never. */
export async function findLastIntent(db: Db, authorityId: string, namesHash: string): Promise<number | null> {
  const row = await db
    .selectFrom('acme_order')
    .select('intent_at')
    .where('authority_id', '=', authorityId)
    .where('names_hash', '=', namesHash)
    .where('intent_at', 'is not', null)
    .orderBy('intent_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.intent_at ?? null;
}

/** When the order was placed by which an authority last issued this certificate; null: it never did. */
export async function findLastIssue(db: Db, certificateId: string, authorityId: string): Promise<number | null> {
  const row = await db
    .selectFrom('acme_order')
    .select('intent_at')
    .where('certificate_id', '=', certificateId)
    .where('authority_id', '=', authorityId)
    .where('version_id', 'is not', null)
    .orderBy('intent_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.intent_at ?? null;
}

/** The orders of an organization for these names, placed with an authority after that time. */
export async function listPlaced(
  db: Db,
  order: { readonly organizationId: string; readonly authorityId: string; readonly namesHash: string },
  after: number,
): Promise<PlacedOrder[]> {
  const rows = await db
    .selectFrom('acme_order')
    .select(['intent_at', 'version_id'])
    .where('authority_id', '=', order.authorityId)
    .where('names_hash', '=', order.namesHash)
    .where('organization_id', '=', order.organizationId)
    .where('intent_at', '>', after)
    .orderBy('intent_at', 'desc')
    .limit(mostRead)
    .execute();
  return rows.map(({ intent_at, version_id }) => ({ placedAt: intent_at ?? 0, isIssued: version_id !== null }));
}

/** Far more than people may place in an hour. */
const mostRead = 100;

/** Which of these orders of an authority are in our table already. @param urls {@link mostUrls} at most */
export async function findKnownUrls(
  db: Db,
  authorityId: string,
  urls: readonly string[],
): Promise<ReadonlySet<string>> {
  if (urls.length === 0) return new Set();
  const rows = await db
    .selectFrom('acme_order')
    .select('url')
    .where('authority_id', '=', authorityId)
    .where('url', 'in', urls)
    .execute();
  return new Set(rows.flatMap(({ url }) => url ?? []));
}

/** Each is a parameter, of which a statement of SQLite takes 32,766, and one of PostgreSQL 65,535. */
export const mostUrls = 1_000;

export async function insertStep(trx: Db, step: Omit<AcmeStepRow, 'number'>): Promise<void> {
  await sql`insert into acme_step (organization_id, order_id, number, at, step, domain, words, ok)
    select cast(${step.organization_id} as text), cast(${step.order_id} as text),
      coalesce(max(number), 0) + 1, cast(${step.at} as bigint), cast(${step.step} as text),
      cast(${step.domain} as text), cast(${step.words} as text), cast(${step.ok} as integer)
    from acme_step where order_id = ${step.order_id}`.execute(trx);
}

/** In the order in which they were taken. */
export async function listSteps(db: Db, orderId: string, limit: number): Promise<AcmeStepRow[]> {
  const rows = await db
    .selectFrom('acme_step')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse();
}

/**
 * Removes an order whose certificate is gone, with its steps and proofs. One that was placed still counts for its names,
 * so its row stays for the rest of the hour.
 */
export async function deleteOrder(trx: Db, id: string): Promise<void> {
  const order = await findOrder(trx, id);
  if (order === undefined) return;
  const { intent_at } = order;
  if (intent_at === null || isDetached(order)) return removeOrder(trx, id);
  await removeProgress(trx, id);
  const columns = { certificate_id: id, step: 'clean', next_at: intent_at + orderSpacingMs, attempts: 0 };
  await advanceOrder(trx, order, { ...columns, sealed_key: null, key_id: null });
}

/**
 * Only its row is left, under an id of no certificate: several orders of one certificate may be left so. It is due when
 * it no longer counts, and whoever acts on it then finds no certificate, and deletes it.
 */
function isDetached(order: Pick<AcmeOrderRow, 'id' | 'certificate_id'>): boolean {
  return order.certificate_id === order.id;
}

async function removeOrder(trx: Db, id: string): Promise<void> {
  await removeProgress(trx, id);
  await trx.deleteFrom('acme_order').where('id', '=', id).execute();
}

async function removeProgress(trx: Db, id: string): Promise<void> {
  await trx.deleteFrom('acme_step').where('order_id', '=', id).execute();
  await trx.deleteFrom('acme_challenge').where('order_id', '=', id).execute();
}

/** Removes the orders of a certificate that have ended, when it is deleted. Those placed after `before` still count. */
export async function deleteEndedOrders(trx: Db, certificateId: string, before: number): Promise<void> {
  const ended = await trx
    .selectFrom('acme_order')
    .select(['id', 'intent_at'])
    .where('certificate_id', '=', certificateId)
    .where('next_at', 'is', null)
    .execute();
  for (const { id, intent_at } of ended) {
    await ((intent_at ?? 0) <= before ? removeOrder(trx, id) : deleteOrder(trx, id));
  }
}

/** The order that brought the certificate of a version; with a longer chain it is another version. */
export async function findOrderOfVersion(
  db: Db,
  version: Pick<CertificateVersionRow, 'organization_id' | 'certificate_id' | 'fingerprint'>,
): Promise<AcmeOrderRow | undefined> {
  return db
    .selectFrom('acme_order')
    .innerJoin('certificate_version', (join) =>
      join
        .onRef('certificate_version.organization_id', '=', 'acme_order.organization_id')
        .onRef('certificate_version.certificate_id', '=', 'acme_order.certificate_id')
        .onRef('certificate_version.id', '=', 'acme_order.version_id'),
    )
    .selectAll('acme_order')
    .where('acme_order.certificate_id', '=', version.certificate_id)
    .where('certificate_version.organization_id', '=', version.organization_id)
    .where('certificate_version.fingerprint', '=', version.fingerprint)
    .executeTakeFirst();
}

/** Removes ended orders that brought no version, unless they were placed after `before`. */
export async function deleteFruitlessOrders(trx: Db, certificateId: string, before: number): Promise<void> {
  const rows = await trx
    .selectFrom('acme_order')
    .select(['id', 'intent_at'])
    .where('certificate_id', '=', certificateId)
    .where('next_at', 'is', null)
    .where('version_id', 'is', null)
    .execute();
  for (const { id, intent_at } of rows) if ((intent_at ?? 0) <= before) await removeOrder(trx, id);
}
