import type { Database } from '../../database/database.ts';
import { databaseNow } from '../../database/database-clock.ts';
import { isHeld } from '../../runtime/lease.ts';
import { listCarrierRows } from '../carrier-store.ts';
import { leaseOf } from '../run-carriers.ts';
import { readLinks } from './link-record-store.ts';

/** An enabled carrier that takes no submits. */
export interface DownCarrier {
  readonly id: string;
  readonly name: string;
  /** Epoch milliseconds. A change of its settings starts it anew. */
  readonly since: number;
  /** Whether the carrier refuses the bind. */
  readonly isRefused: boolean;
  /** The latest error of its connections, in the carrier's own words where it gave some. */
  readonly words: string | undefined;
}

/**
 * The enabled carriers without a link, also those whose server has died.
 * @param began epoch milliseconds. A carrier that nobody runs counts as down from then on at the earliest: while no server
 * ran, there was nothing to tell, and a server that starts has yet to bind its carriers.
 */
export async function listDownCarriers(database: Database, began: number): Promise<readonly DownCarrier[]> {
  const { db } = database;
  const rows = (await listCarrierRows(db)).filter(({ enabled }) => enabled === 1);
  if (rows.length === 0) return [];
  const now = await databaseNow(database);
  const ids = rows.map(({ id }) => id);
  const links = await readLinks(db, ids);
  const leases = await db.selectFrom('lease').selectAll().where('name', 'in', ids.map(leaseOf)).execute();
  const heldUntil = new Map(leases.map(({ name, until }) => [name, until]));
  return rows.flatMap(({ id, name, updated_at }) => {
    const link = links.get(id);
    const until = heldUntil.get(leaseOf(id)) ?? 0;
    // A server that stops ends its lease at once, and writes when it did.
    const ended = Math.max(Math.min(until, now), link?.downSince ?? 0, began);
    const since = isHeld(until, now) ? link?.downSince : ended;
    if (since === undefined) return [];
    const { isRefused = false, words } = link ?? {};
    return [{ id, name, since: Math.max(since, updated_at), isRefused, words }];
  });
}
