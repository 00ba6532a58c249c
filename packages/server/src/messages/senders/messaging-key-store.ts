import type { Db } from '../../database/database.ts';
import type { MessagingKeyRow } from '../../database/schema/message-tables.ts';

export async function findMessagingKeys(db: Db, ids: readonly string[]): Promise<MessagingKeyRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('messaging_key').selectAll().where('id', 'in', ids).execute();
}

/** Names of messaging keys, by their ids. */
export async function namesOfMessagingKeys(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return new Map((await findMessagingKeys(db, ids)).map(({ id, name }) => [id, name]));
}

/** Which part of a list: so many behind an id. */
export interface KeyPart {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** In the order they were made. @param part all of them when it is left out */
export async function listMessagingKeys(
  db: Db,
  organizationId: string | undefined,
  part?: KeyPart,
): Promise<MessagingKeyRow[]> {
  let query = db.selectFrom('messaging_key').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  if (part?.after !== undefined) query = query.where('id', '>', part.after);
  if (part !== undefined) query = query.limit(part.limit);
  return query.orderBy('id').execute();
}
