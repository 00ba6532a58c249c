import type { Shown } from '@waxwing/contract/management-api/operation.ts';
import type { ListedCarrier } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import type { Carrier } from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { sql } from 'kysely';
import type { Database, Db } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import type { CarrierRow } from '../database/schema/carrier-tables.ts';
import { countUpTo } from '../database/sql/count-up-to.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { isHeld } from '../runtime/lease.ts';
import { absent } from '../runtime/problem.ts';
import { findCarrier, listCarrierRows } from './carrier-store.ts';
import type { ReadKnownCarriers } from './known-carriers.ts';
import { type LinkState, noLink, type ReadLinkStates } from './link-states.ts';
import { leaseOf } from './run-carriers.ts';
import { simulatorId } from './simulator/simulator-carrier.ts';
import { toSettings } from './stored-carrier.ts';

/** The carriers with their states, on whichever server they run. */
export interface CarrierStates {
  /** All, and the simulator. */
  list(): Promise<readonly Shown<ListedCarrier>[]>;
  /** One that an operator has set up. @throws Problem `not_found` */
  show(id: string): Promise<Shown<Carrier>>;
}

interface Needs {
  readonly database: Database;
  readonly known: ReadKnownCarriers;
  readonly readLinks: ReadLinkStates;
}

type Holder = Pick<ListedCarrier, 'held_by' | 'held_until'>;
type Waiting = Pick<ListedCarrier, 'waiting_parts' | 'oldest_due_at'>;

const countedParts = 10_000;

export function createCarrierStates({ database, known, readLinks }: Needs): CarrierStates {
  const { db } = database;

  async function readFacts(id: string, now: number): Promise<Holder & Waiting> {
    return { ...(await readHolder(db, id, now)), ...(await readWaiting(db, id)) };
  }

  async function simulator(now: number): Promise<ListedCarrier> {
    const { everCreated } = await known();
    const facts = await readFacts(simulatorId, now);
    const state = everCreated ? 'disabled' : facts.held_by === null ? 'connecting' : 'bound';
    const none = { protocol: null, address: null, account: null, priority: null, weight: null };
    return {
      id: simulatorId,
      name: simulatorId,
      simulated: true,
      enabled: !everCreated,
      ...none,
      ...noLink,
      state,
      ...facts,
    };
  }

  return {
    async list() {
      const now = await databaseNow(database);
      const rows = await listCarrierRows(db);
      const links = await readLinks(rows.map(({ id }) => id));
      const listed = rows.map(async (row): Promise<ListedCarrier> => {
        const { id, name, protocol, address, account, priority, weight } = row;
        const settings = { id, name, protocol, address, account, priority, weight, enabled: row.enabled === 1 };
        const facts = await readFacts(id, now);
        return { ...settings, simulated: false, ...stateOf(row, links.get(id), facts), ...facts };
      });
      return Promise.all([...listed, simulator(now)]);
    },

    async show(id) {
      const row = (await findCarrier(db, id)) ?? absent('carrier', id);
      const links = await readLinks([id]);
      const facts = await readFacts(id, await databaseNow(database));
      return {
        ...{ ...toSettings(row), simulated: false },
        ...stateOf(row, links.get(id), facts),
        ...facts,
        ...{ created_at: toRfc3339(row.created_at), updated_at: toRfc3339(row.updated_at) },
      };
    },
  };
}

/** A disabled carrier may still have a link that is about to end. A server that died has left what it wrote last. */
function stateOf(
  { enabled }: Pick<CarrierRow, 'enabled'>,
  link: LinkState = noLink,
  { held_by }: Pick<Holder, 'held_by'>,
): LinkState {
  if (enabled !== 1) return { ...link, state: 'disabled' };
  return held_by === null ? { ...link, state: 'connecting', connections: [] } : link;
}

async function readHolder(db: Db, id: string, now: number): Promise<Holder> {
  const lease = await db.selectFrom('lease').selectAll().where('name', '=', leaseOf(id)).executeTakeFirst();
  if (lease === undefined || !isHeld(lease.until, now)) return { held_by: null, held_until: null };
  return { held_by: lease.holder, held_until: toRfc3339(lease.until) };
}

async function readWaiting(db: Db, id: string): Promise<Waiting> {
  const waiting = await countUpTo(db, countedParts, sql`message_part where carrier_id = ${id}`);
  const oldest = await db
    .selectFrom('message_part')
    .select((select) => select.fn.min('due_at').as('due_at'))
    .where('carrier_id', '=', id)
    .executeTakeFirst();
  const due = oldest?.due_at ?? null;
  return { waiting_parts: waiting, oldest_due_at: due === null ? null : toRfc3339(due) };
}
