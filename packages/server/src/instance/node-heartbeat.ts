import { type Database, isUnavailable } from '../database/connect.ts';
import { databaseNow } from '../database/database-clock.ts';
import type { RecentCount } from '../runtime/recent-count.ts';
import type { Worker } from '../runtime/supervisor.ts';
import { deleteNode, deleteNodesUnseenSince, putNode } from './instance-store.ts';
import type { MasterKeys } from './master-keys.ts';

const beatMs = 5_000;
const forgetMs = 24 * 3_600_000;

interface Needs {
  readonly database: Database;
  readonly nodeId: string;
  readonly version: string;
  readonly keys: Pick<MasterKeys, 'ring' | 'reload'>;
  /** What this server did lately. */
  readonly recent: { readonly messages: Pick<RecentCount, 'sum'>; readonly retrievals: Pick<RecentCount, 'sum'> };
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Says every few seconds that this server lives, which master keys it holds, the one it seals with first, and what it did
 * lately.
 */
export function createNodeHeartbeat({ database, nodeId, version, keys, recent, wait }: Needs): Worker {
  async function beat(startedAt: number): Promise<void> {
    // A key file that cannot be read must not make this server look gone: it goes on serving with the keys it holds.
    const fault = await keys.reload().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const ring = keys.ring();
    const others = ring.keys.filter((key) => key !== ring.current);
    const now = await databaseNow(database);
    await putNode(database.db, {
      id: nodeId,
      version,
      started_at: startedAt,
      seen_at: now,
      key_ids: JSON.stringify([ring.current, ...others].map((key) => key.id)),
      recent_messages: recent.messages.sum(),
      recent_retrievals: recent.retrievals.sum(),
    });
    await deleteNodesUnseenSince(database.db, now - forgetMs);
    if (fault !== undefined) throw fault.error;
  }

  return {
    name: 'node-heartbeat',
    async run(signal) {
      const startedAt = await databaseNow(database);
      while (!signal.aborted) {
        try {
          await beat(startedAt);
        } catch (error) {
          // After an outage the others must hear of this server at once, not after the supervisor's pause.
          if (!isUnavailable(error)) throw error;
        }
        await wait(beatMs, signal);
      }
      await deleteNode(database.db, nodeId);
    },
  };
}
