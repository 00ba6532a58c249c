/** The state of links on disk: for restarts, for the choice among carriers, and for whoever looks at them. */
import { sql } from 'kysely';
import { type Database, type Db, unlessUnavailable } from '../../database/database.ts';
import type { CarrierStateRow } from '../../database/schema/carrier-tables.ts';
import { countUpTo } from '../../database/sql/count-up-to.ts';
import { type Clock, toRfc3339 } from '../../runtime/clock.ts';
import type { LinkState, ReadLinkStates } from '../link-states.ts';
import type { LinkRecords, LinkSnapshot } from './link-carrier.ts';
import type { LinkCounts } from './link-counts.ts';
import type { ConnectionState } from './link-group.ts';

type IdForms = Pick<LinkSnapshot, 'tally' | 'taughtBy'>;

export function createLinkRecords(database: Pick<Database, 'db'>, clock: Pick<Clock, 'now'>): LinkRecords {
  const { db } = database;
  return {
    async read(carrierId) {
      const row = await db
        .selectFrom('carrier_state')
        .selectAll()
        .where('carrier_id', '=', carrierId)
        .executeTakeFirst();
      return row && { counts: JSON.parse(row.counts) as LinkCounts, ...(JSON.parse(row.id_forms) as IdForms) };
    },
    submitted: (carrierId, ids) =>
      db
        .selectFrom('carrier_message')
        .innerJoin('message', (join) =>
          join
            .onRef('message.organization_id', '=', 'carrier_message.organization_id')
            .onRef('message.batch_id', '=', 'carrier_message.batch_id')
            .onRef('message.position', '=', 'carrier_message.position'),
        )
        .select(['carrier_message.carrier_message_id as id', 'message.number as destination'])
        .where('carrier_message.carrier_id', '=', carrierId)
        .where('carrier_message.carrier_message_id', 'in', ids)
        .execute(),
    async write(carrierId, snapshot) {
      const { carrier_id: _id, ...columns } = toRow(carrierId, snapshot, clock.now());
      await unlessUnavailable(
        db
          .insertInto('carrier_state')
          .values({ carrier_id: carrierId, ...columns })
          .onConflict((conflict) => conflict.column('carrier_id').doUpdateSet(columns))
          .execute()
          .then(() => {}),
      );
    },
  };
}

/** Since when carriers have no link. Carriers whose link was never run are missing. */
export async function readDownSince(database: Pick<Database, 'db'>): Promise<ReadonlyMap<string, number>> {
  const rows = await database.db
    .selectFrom('carrier_state')
    .select(['carrier_id', 'down_since'])
    .where('down_since', 'is not', null)
    .execute();
  return new Map(rows.map(({ carrier_id, down_since }) => [carrier_id, down_since ?? 0]));
}

/** The links of carriers as their servers wrote them last. Carriers whose link was never run are missing. */
export async function readLinks(db: Db, carrierIds: readonly string[]) {
  const rows = await db.selectFrom('carrier_state').selectAll().where('carrier_id', 'in', carrierIds).execute();
  return new Map(
    rows.map(({ carrier_id, connections: text, down_since }) => {
      const connections = JSON.parse(text) as readonly ConnectionState[];
      const words = connections.toSorted((a, b) => b.since - a.since).find(({ lastError }) => lastError !== undefined);
      const isRefused = stateOfAll(connections) === 'refused';
      return [carrier_id, { downSince: down_since ?? undefined, isRefused, words: words?.lastError }];
    }),
  );
}

const countedReceipts = 10_000;

export function createReadLinkStates({ db }: Pick<Database, 'db'>): ReadLinkStates {
  return async (carrierIds) => {
    if (carrierIds.length === 0) return new Map();
    const rows = await db.selectFrom('carrier_state').selectAll().where('carrier_id', 'in', carrierIds).execute();
    const states = rows.map(async (row): Promise<[string, LinkState]> => {
      const unmatched = await countUpTo(db, countedReceipts, sql`orphan_receipt where carrier_id = ${row.carrier_id}`);
      return [row.carrier_id, { ...toState(row), unmatched_receipts: unmatched }];
    });
    return new Map(await Promise.all(states));
  };
}

function toRow(carrierId: string, snapshot: LinkSnapshot, at: number): CarrierStateRow {
  return {
    carrier_id: carrierId,
    connections: JSON.stringify(snapshot.connections),
    down_since: snapshot.downSince ?? null,
    counts: JSON.stringify(snapshot.counts),
    last_keep_alive_at: snapshot.lastKeepAliveAt ?? null,
    id_forms: JSON.stringify({ tally: snapshot.tally, taughtBy: snapshot.taughtBy } satisfies IdForms),
    written_at: at,
  };
}

function toState(row: CarrierStateRow): Omit<LinkState, 'unmatched_receipts'> {
  const connections = JSON.parse(row.connections) as readonly ConnectionState[];
  return {
    state: stateOfAll(connections),
    connections: connections.map(({ state, since, windowUsed, lastError }) => ({
      state,
      since: toRfc3339(since),
      window_used: windowUsed,
      last_error: lastError ?? null,
    })),
    ...(JSON.parse(row.counts) as LinkCounts),
    last_keep_alive_at: row.last_keep_alive_at === null ? null : toRfc3339(row.last_keep_alive_at),
  };
}

/** `refused` while nothing is bound and a bind was refused: that needs somebody who acts. */
export function stateOfAll(connections: readonly Pick<ConnectionState, 'state'>[]): LinkState['state'] {
  const has = (wanted: ConnectionState['state']) => connections.some(({ state }) => state === wanted);
  if (has('bound')) return connections.every(({ state }) => state === 'bound') ? 'bound' : 'degraded';
  return has('refused') ? 'refused' : 'connecting';
}
