import type { Db } from '../../database/database.ts';
import { formatCursor } from './event-cursor.ts';

/** How far each of the organizations' events have come; those without any are left out. */
export async function readLatestEvents(
  db: Db,
  organizationIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly number: number; readonly cursor: string }>> {
  if (organizationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('message_counter')
    .select(['organization_id', 'value'])
    .where('organization_id', 'in', organizationIds)
    .execute();
  return new Map(rows.map((row) => [row.organization_id, { number: row.value, cursor: formatCursor(row.value) }]));
}
