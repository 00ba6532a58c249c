import type { Db } from '../database/database.ts';
import type { ManagementKeyRow } from '../database/schema/account-tables.ts';
import type { Part } from '../database/sql/bounded-search.ts';

/** In the order of creation. @param organizationId undefined: all, also the instance's */
export async function listManagementKeys(
  db: Db,
  organizationId: string | undefined,
  { take, after }: Part,
): Promise<ManagementKeyRow[]> {
  let query = db.selectFrom('management_key').selectAll();
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return query
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(take)
    .execute();
}
