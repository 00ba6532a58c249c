import type { Ground } from '../audit/ground.ts';
import { isUnavailable } from '../database/database.ts';
import type { NodeRow } from '../database/schema/instance-tables.ts';
import { NotWritable } from '../database/sql/database-errors.ts';
import type { RecentCount } from '../runtime/recent-count.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { Log } from '../runtime/telemetry.ts';
import { deleteNode, deleteNodesUnseenSince, putNode, renewNode } from './instance-store.ts';
import type { MasterKeys } from './master-keys.ts';

const beatMs = 5_000;
const forgetMs = 24 * 3_600_000;
/** A lasting fault is logged again after so many beats: once a minute. */
const tellAgainAfter = 12;

interface Needs extends Pick<Ground, 'database' | 'wait'> {
  readonly nodeId: string;
  readonly version: string;
  readonly keys: Pick<MasterKeys, 'ring' | 'reload' | 'lacking'>;
  /** This server's recent figures. */
  readonly recent: { readonly messages: Pick<RecentCount, 'sum'>; readonly retrievals: Pick<RecentCount, 'sum'> };
  readonly databaseNow: () => Promise<number>;
  readonly log: Pick<Log, 'info' | 'error'>;
}

interface NodeHeartbeat extends Worker {
  /** Whether the last beat found room for writing. */
  canWrite(): boolean;
}

/** Records every few seconds that this server lives, with its master keys (the sealing one first) and figures. */
export function createNodeHeartbeat(needs: Needs): NodeHeartbeat {
  const { database, nodeId, version, keys, recent, databaseNow, log, wait } = needs;
  let startedAt: number | undefined;
  let writable = true;
  let failedReloads = 0;

  /** A broken key file must not make this server look gone: others make no key current that it lacks. */
  async function reloadKeys(): Promise<void> {
    try {
      await keys.reload();
      if (failedReloads > 0) log.info('the master key file is in order again');
      failedReloads = 0;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (failedReloads % tellAgainAfter === 0) {
        log.error({ err: error, lacking: keys.lacking() }, 'the master key file cannot be used');
      }
      failedReloads += 1;
    }
  }

  async function beat(announce: (row: NodeRow) => Promise<void>, since: number): Promise<void> {
    await reloadKeys();
    const ring = keys.ring();
    const others = ring.keys.filter((key) => key !== ring.current);
    const now = await databaseNow();
    await announce({
      id: nodeId,
      version,
      started_at: since,
      seen_at: now,
      key_ids: JSON.stringify([ring.current, ...others].map((key) => key.id)),
      recent_messages: recent.messages.sum(),
      recent_retrievals: recent.retrievals.sum(),
    });
    await deleteNodesUnseenSince(database.db, now - forgetMs);
  }

  /** node-identity.ts keeps names unique. If two servers share one anyway, the log says so. */
  async function renew(row: NodeRow): Promise<void> {
    if (await renewNode(database.db, row)) return;
    throw new Error(
      `Another server on this database runs under the name of this one, ${nodeId}, so work for one server may run on both. ` +
        'Stop one of them, delete the file node-id in its data folder, and start it again with a new name.',
    );
  }

  function noteWritable(now: boolean, error?: unknown): void {
    if (now === writable) return;
    writable = now;
    if (writable) log.info('the database can be written again');
    else log.error({ err: error }, 'the database cannot be written; this server is not ready until it can');
  }

  return {
    name: 'node-heartbeat',
    canWrite: () => writable,
    async run(signal) {
      startedAt ??= await databaseNow();
      let announce = (row: NodeRow) => putNode(database.db, row);
      while (!signal.aborted) {
        try {
          await beat(announce, startedAt);
          announce = renew;
          noteWritable(true);
        } catch (error) {
          // After an outage the other servers must hear of this one at once, not after the supervisor's pause.
          if (!isUnavailable(error)) throw error;
          if (error instanceof NotWritable) noteWritable(false, error);
        }
        await wait(beatMs, signal);
      }
      await deleteNode(database.db, { id: nodeId, started_at: startedAt });
    },
  };
}
