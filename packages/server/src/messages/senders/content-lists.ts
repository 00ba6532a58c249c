import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';

/** One number as one organization would write to it. */
export interface NumberUse {
  readonly organizationId: string;
  /** E.164 with `+`. */
  readonly number: string;
}

export interface NumberLists {
  isBlocked(use: NumberUse): boolean;
  hasOptedOut(use: NumberUse): boolean;
}

/** What the lists say about these numbers: blocked by the organization, blocked for all, opted out. */
export async function readNumberLists(database: Database, uses: readonly NumberUse[]): Promise<NumberLists> {
  const given = database.rowSource(
    'given',
    { organization_id: 'text', number: 'text' },
    uses.map((use) => [use.organizationId, use.number]),
  );
  const { rows } = await sql<{ organization_id: string; number: string; list: 'opt-out' | 'blocked' }>`
    select given.organization_id, given.number, 'opt-out' as list
    from ${given} join opt_out o on o.organization_id = given.organization_id and o.number = given.number
    union all
    select given.organization_id, given.number, 'blocked' as list
    from ${given} join blocked_number b on b.organization_id in (given.organization_id, '') and b.number = given.number
  `.execute(database.db);
  if (rows.length === 0) return onNoList;
  const found = new Set(rows.map((row) => keyOf(row.list, row.organization_id, row.number)));
  return {
    isBlocked: (use) => found.has(keyOf('blocked', use.organizationId, use.number)),
    hasOptedOut: (use) => found.has(keyOf('opt-out', use.organizationId, use.number)),
  };
}

const onNoList: NumberLists = { isBlocked: () => false, hasOptedOut: () => false };

function keyOf(list: string, organizationId: string, number: string): string {
  return `${list} ${organizationId} ${number}`;
}
