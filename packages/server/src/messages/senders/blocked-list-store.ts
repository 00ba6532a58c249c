import type { Db } from '../../database/database.ts';
import type { BlockedNumberRow, BlockedWordRow, OptOutRow } from '../../database/schema/message-tables.ts';

/** Adds an opt-out, or leaves the one there is. @returns whether it is new */
export async function addOptOut(db: Db, row: OptOutRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('opt_out')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function removeOptOut(db: Db, organizationId: string, number: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('opt_out')
    .where('organization_id', '=', organizationId)
    .where('number', '=', number)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Which part of a list of numbers: so many behind `after`. */
export interface NumberPart {
  readonly after?: string | undefined;
  readonly limit: number;
  /** Only this one, E.164 with `+`. */
  readonly number?: string | undefined;
}

/** By number. */
export async function listOptOuts(
  db: Db,
  organizationId: string,
  { after, limit, number }: NumberPart,
): Promise<OptOutRow[]> {
  let query = db.selectFrom('opt_out').selectAll().where('organization_id', '=', organizationId);
  if (number !== undefined) query = query.where('number', '=', number);
  if (after !== undefined) query = query.where('number', '>', after);
  return query.orderBy('number').limit(limit).execute();
}

export async function addBlockedNumber(db: Db, row: BlockedNumberRow): Promise<void> {
  await db
    .insertInto('blocked_number')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeBlockedNumber(db: Db, organizationId: string, number: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('blocked_number')
    .where('organization_id', '=', organizationId)
    .where('number', '=', number)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** By number. */
export async function listBlockedNumbers(
  db: Db,
  organizationId: string,
  { after, limit, number }: NumberPart,
): Promise<BlockedNumberRow[]> {
  let query = db.selectFrom('blocked_number').selectAll().where('organization_id', '=', organizationId);
  if (number !== undefined) query = query.where('number', '=', number);
  if (after !== undefined) query = query.where('number', '>', after);
  return query.orderBy('number').limit(limit).execute();
}

export async function addBlockedWord(db: Db, row: BlockedWordRow): Promise<void> {
  await db
    .insertInto('blocked_word')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** @returns those that were there */
export async function removeBlockedWords(
  db: Db,
  organizationId: string,
  words: readonly string[],
): Promise<readonly string[]> {
  if (words.length === 0) return [];
  const rows = await db
    .deleteFrom('blocked_word')
    .where('organization_id', '=', organizationId)
    .where('word', 'in', words)
    .returning('word')
    .execute();
  return rows.map(({ word }) => word);
}

/** In the order they were added. */
export async function findBlockedWords(db: Db, organizationIds: readonly string[]): Promise<BlockedWordRow[]> {
  if (organizationIds.length === 0) return [];
  return db
    .selectFrom('blocked_word')
    .selectAll()
    .where('organization_id', 'in', organizationIds)
    .orderBy('created_at')
    .orderBy('word')
    .execute();
}

/** Of one organization, by word. */
export async function listBlockedWords(
  db: Db,
  organizationId: string,
  after: string | undefined,
  limit: number,
): Promise<BlockedWordRow[]> {
  let query = db.selectFrom('blocked_word').selectAll().where('organization_id', '=', organizationId);
  if (after !== undefined) query = query.where('word', '>', after);
  return query.orderBy('word').limit(limit).execute();
}
