import type { Database } from '../database/connect.ts';
import { databaseNow } from '../database/database-clock.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { deleteNode, deleteNodesUnseenSince, putNode } from './instance-store.ts';

const beatMs = 5_000;
/** A server that was not heard of for this long counts as gone. */
export const nodeTimeoutMs = 20_000;
const forgetMs = 24 * 3_600_000;

interface Needs {
  readonly database: Database;
  readonly nodeId: string;
  readonly version: string;
  readonly keys: { ring(): KeyRing; reload(): void };
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Says every few seconds that this server lives and which master keys it holds, the current one first. */
export function createNodeHeartbeat({ database, nodeId, version, keys, wait }: Needs): Worker {
  return {
    name: 'node-heartbeat',
    async run(signal) {
      const startedAt = await databaseNow(database);
      while (!signal.aborted) {
        keys.reload();
        const ring = keys.ring();
        const others = ring.keys.filter((key) => key !== ring.current);
        const now = await databaseNow(database);
        await putNode(database.db, {
          id: nodeId,
          version,
          started_at: startedAt,
          seen_at: now,
          key_ids: JSON.stringify([ring.current, ...others].map((key) => key.id)),
        });
        await deleteNodesUnseenSince(database.db, now - forgetMs);
        await wait(beatMs, signal);
      }
      await deleteNode(database.db, nodeId);
    },
  };
}
