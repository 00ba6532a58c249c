import type { Carrier as ShownCarrier } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import { sql } from 'kysely';
import type { Database, Db } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import { countUpTo } from '../database/sql/count-up-to.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { isHeld } from '../runtime/lease.ts';
import type { Carrier } from './carrier.ts';
import { leaseOf } from './run-carriers.ts';

/** The state of the carriers, on whichever server they run. */
export type CarrierStates = () => Promise<readonly ShownCarrier[]>;

interface Needs {
  readonly database: Database;
  readonly carriers: () => readonly Pick<Carrier, 'id' | 'simulated'>[];
}

const countedParts = 10_000;

export function createCarrierStates({ database, carriers }: Needs): CarrierStates {
  return async () => {
    const now = await databaseNow(database);
    return Promise.all(
      carriers().map(async ({ id, simulated }) => ({
        id,
        simulated,
        ...(await readHolder(database.db, id, now)),
        ...(await readWaiting(database.db, id)),
      })),
    );
  };
}

async function readHolder(db: Db, id: string, now: number): Promise<Pick<ShownCarrier, 'held_by' | 'held_until'>> {
  const lease = await db.selectFrom('lease').selectAll().where('name', '=', leaseOf(id)).executeTakeFirst();
  if (lease === undefined || !isHeld(lease.until, now)) return { held_by: null, held_until: null };
  return { held_by: lease.holder, held_until: toRfc3339(lease.until) };
}

async function readWaiting(db: Db, id: string): Promise<Pick<ShownCarrier, 'waiting_parts' | 'oldest_due_at'>> {
  const waiting = await countUpTo(db, countedParts, sql`message_part where carrier_id = ${id}`);
  const oldest = await db
    .selectFrom('message_part')
    .select((select) => select.fn.min('due_at').as('due_at'))
    .where('carrier_id', '=', id)
    .executeTakeFirst();
  const due = oldest?.due_at ?? null;
  return { waiting_parts: waiting, oldest_due_at: due === null ? null : toRfc3339(due) };
}
