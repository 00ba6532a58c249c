import type { Instance } from '@waxwing/contract/management-api/operations/instance-operations.ts';
import { sql } from 'kysely';
import type { Database, Db } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import { databaseBytes } from '../database/database-size.ts';
import { readSchema } from '../database/migrate.ts';
import type { LeaseRow, NodeRow } from '../database/schema/instance-tables.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { isHeld } from '../runtime/lease.ts';
import { recentMinutes } from '../runtime/recent-count.ts';
import { isAlive, listMasterKeys, listNodes } from './instance-store.ts';

/** What this server knows of itself. */
export interface OwnState {
  readonly version: string;
  readonly nodeId: string;
  readonly modules: readonly string[];
  readonly workers: () => Instance['workers'];
}

/** Pushing on all servers. */
export type ReadPushRates = () => Promise<{
  readonly attempts: number;
  readonly delivered: number;
  readonly minutes: number;
}>;

const counted = 10_000;

export async function readInstance(database: Database, own: OwnState, readRates: ReadPushRates): Promise<Instance> {
  const { db } = database;
  const now = await databaseNow(database);
  const leases = (await db.selectFrom('lease').selectAll().execute()).filter(({ until }) => isHeld(until, now));
  const { attempts, delivered, minutes } = await readRates();
  const nodes = (await listNodes(db)).map((node) => ({ ...node, alive: isAlive(node, now) }));
  const living = nodes.filter(({ alive }) => alive);
  return {
    version: own.version,
    node_id: own.nodeId,
    modules: [...own.modules],
    database: {
      kind: database.dialect,
      schema: (await readSchema(database)).current,
      bytes: await databaseBytes(database),
    },
    nodes: nodes.map((node) => toShown(node, leases)),
    workers: own.workers(),
    backlog: await readBacklog(db),
    rates: {
      messages_per_minute: living.reduce((sum, node) => sum + node.recent_messages, 0) / recentMinutes,
      retrievals_per_minute: living.reduce((sum, node) => sum + node.recent_retrievals, 0) / recentMinutes,
      push_attempts_per_minute: attempts / minutes,
      pushes_delivered_per_minute: delivered / minutes,
    },
  };
}

function toShown(node: NodeRow & { readonly alive: boolean }, leases: readonly LeaseRow[]): Instance['nodes'][number] {
  const held = leases.filter(({ holder }) => holder === node.id).map(({ name }) => name.split('/'));
  return {
    id: node.id,
    version: node.version,
    alive: node.alive,
    started_at: toRfc3339(node.started_at),
    seen_at: toRfc3339(node.seen_at),
    key_ids: JSON.parse(node.key_ids) as string[],
    push_shards: held.filter(([group, name]) => group === 'push' && name !== undefined).length,
    carriers: held.flatMap(([group, name]) => (group === 'carrier' && name !== undefined ? [name] : [])),
  };
}

/** Counting stops at a bound, so that a backlog of millions stays cheap to show. */
async function readBacklog(db: Db): Promise<Instance['backlog']> {
  const bound = sql.lit(counted);
  const { rows } = await sql<Instance['backlog']>`select
    (select count(*) from (select 1 from push limit ${bound}) as p) as waiting_pushes,
    (select count(*) from (select 1 from message_part limit ${bound}) as m) as waiting_parts,
    (select count(*) from (select 1 from message where status is null and ends_at >= 0 limit ${bound}) as o) as open_messages
  `.execute(db);
  return rows[0] ?? { waiting_pushes: 0, waiting_parts: 0, open_messages: 0 };
}

/** The master keys in use and the servers that hold each. The newest one seals. */
export async function readMasterKeys(database: Database) {
  const now = await databaseNow(database);
  const alive = (await listNodes(database.db)).filter((node) => isAlive(node, now));
  const keys = await listMasterKeys(database.db);
  return keys.map(({ id, created_at }, index) => ({
    id,
    current: index === keys.length - 1,
    created_at: toRfc3339(created_at),
    held_by: alive.filter(({ key_ids }) => (JSON.parse(key_ids) as string[]).includes(id)).map((node) => node.id),
  }));
}
