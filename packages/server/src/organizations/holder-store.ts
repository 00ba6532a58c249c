/** The rows of token holders. What a kind has beyond the common columns is read by its own store. */
import type { Database, Db } from '../database/database.ts';
import { lockingRows } from '../database/row-lock.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';
import type { DeploymentRow } from '../database/schema/certificate-tables.ts';
import type { MessagingKeyRow } from '../database/schema/message-tables.ts';
import type { TokenKind } from '../secrets/token.ts';
import { holderTables } from './token-registry.ts';

/** By the kind of their tokens. */
export interface HolderRows {
  readonly deployment: DeploymentRow;
  readonly messaging: MessagingKeyRow;
  readonly management: ManagementKeyRow;
}

type Key = Pick<MessagingKeyRow, 'organization_id' | 'id'>;

/** Kysely cannot type a query on one of several tables. All have the columns that this file names, so one stands for them. */
const tableOf = (kind: TokenKind) => holderTables[kind] as 'messaging_key';

export async function insertHolder<Kind extends TokenKind>(trx: Db, kind: Kind, row: HolderRows[Kind]): Promise<void> {
  await trx
    .insertInto(tableOf(kind))
    .values(row as MessagingKeyRow)
    .execute();
}

export async function findHolder<Kind extends TokenKind>(
  db: Db,
  kind: Kind,
  id: string,
): Promise<HolderRows[Kind] | undefined> {
  const row = await db.selectFrom(tableOf(kind)).selectAll().where('id', '=', id).executeTakeFirst();
  return row as HolderRows[Kind] | undefined;
}

/** As it is, and locked until the transaction ends. */
export async function lockHolder<Kind extends TokenKind>(
  database: Database,
  trx: Db,
  kind: Kind,
  id: string,
): Promise<HolderRows[Kind] | undefined> {
  const row = await trx
    .selectFrom(tableOf(kind))
    .selectAll()
    .where('id', '=', id)
    .modifyEnd(lockingRows(database, tableOf(kind)))
    .executeTakeFirst();
  return row as HolderRows[Kind] | undefined;
}

/** Also locks the row until the transaction ends. @returns the row as it is now; undefined when there is none */
export async function updateHolder<Kind extends TokenKind>(
  trx: Db,
  kind: Kind,
  { organization_id, id }: Key,
  change: Partial<HolderRows[Kind]>,
  at: number,
): Promise<HolderRows[Kind] | undefined> {
  const row = await trx
    .updateTable(tableOf(kind))
    .set({ ...(change as Partial<MessagingKeyRow>), updated_at: at })
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row as HolderRows[Kind] | undefined;
}

/** @returns whether it was there */
export async function deleteHolder(trx: Db, kind: TokenKind, { organization_id, id }: Key): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom(tableOf(kind))
    .where('organization_id', '=', organization_id)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
