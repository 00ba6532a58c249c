import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Database, Db } from '../../database/database.ts';
import type { PushSettingRow } from '../../database/schema/push-tables.ts';
import { lockSealingKey } from '../../database/sealing-key.ts';
import { repeatingWorker, type Worker } from '../../runtime/supervisor.ts';
import { checkSealed } from '../../secrets/check-sealed.ts';
import { open, rewrap, type SealContext, seal } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import {
  listClearQueries,
  listQueries,
  listQueriesSealedOtherwise,
  listQueryKeys,
  replaceUrl,
} from './push-setting-store.ts';

type Owner = Pick<PushSettingRow, 'organization_id' | 'id'>;
/** A push URL at rest: what stands behind its path may hold a customer's secret. */
export type StoredUrl = Pick<PushSettingRow, 'url' | 'sealed_query' | 'query_key_id'>;

const chunk = 500;
const lookEveryMs = 3_600_000;

/** @param ring by whose current key it is sealed, which must stay in use until it is stored (`lockSealingKey`) */
export function sealUrl(ring: KeyRing, owner: Owner, whole: string): StoredUrl {
  const [, url = '', query = ''] = /^([^?#]*)(.*)$/s.exec(whole) ?? [];
  if (query === '') return { url, sealed_query: null, query_key_id: null };
  return { url, sealed_query: seal(ring, contextOf(owner), Buffer.from(query)), query_key_id: ring.current.id };
}

/** The whole URL. @throws SealError when its query does not open */
export function openUrl(row: PushSettingRow, ring: KeyRing): string {
  return row.sealed_query === null ? row.url : row.url + open(ring, contextOf(row), row.sealed_query).toString();
}

/** The queries of all push URLs, as the master-key rotation sees them. */
export function sealedPushQueries(database: Database, feed: ChangeFeed) {
  return {
    name: 'push URLs',
    keysInUse: (db: Db) => listQueryKeys(db),

    /** @throws SealError when a query does not open: the rotation stops there, and the key it may need is kept. */
    async rewrap(ring: KeyRing, limit: number): Promise<number> {
      const rows = await listQueriesSealedOtherwise(database.db, ring.current.id, limit);
      if (rows.length > 0) {
        await replaceAll(feed, rows, (row) => ({
          url: row.url,
          sealed_query: row.sealed_query && (rewrap(ring, contextOf(row), row.sealed_query) ?? row.sealed_query),
          query_key_id: ring.current.id,
        }));
      }
      return rows.length;
    },

    check: (ring: KeyRing) =>
      checkSealed<PushSettingRow>({
        read: (after, limit) => listQueries(database.db, after, limit),
        placeOf: (row) => row.id,
        open: (row) => openUrl(row, ring),
        nameOf: (row) => `query of push setting ${row.id}`,
      }),
  };
}

/**
 * Seals queries that an earlier version stored in clear.
 * @returns whether there may be more
 */
export async function sealClearQueries(database: Database, feed: ChangeFeed, ring: KeyRing): Promise<boolean> {
  const rows = await listClearQueries(database.db, chunk);
  if (rows.length === 0) return false;
  const isSealed = await replaceAll(feed, rows, (row) => sealUrl(ring, row, row.url), ring.current.id);
  return isSealed && rows.length === chunk;
}

/** Does so when it starts, and again where the master key was being changed just then. */
export function createQuerySealer(
  { database, feed, ring }: { database: Database; feed: ChangeFeed; ring: () => KeyRing },
  wait: (ms: number, signal: AbortSignal) => Promise<void>,
): Worker {
  return repeatingWorker('push-query-sealer', lookEveryMs, wait, async (signal) => {
    while (!signal.aborted && (await sealClearQueries(database, feed, ring())));
  });
}

/** @returns false when the key that seals is in use no longer: nothing is replaced then */
function replaceAll(
  feed: ChangeFeed,
  rows: readonly PushSettingRow[],
  toStored: (row: PushSettingRow) => StoredUrl,
  sealingKey?: string,
): Promise<boolean> {
  return feed.write(async (trx, note) => {
    if (sealingKey !== undefined && !(await lockSealingKey(trx, sealingKey))) return false;
    for (const row of rows) {
      await replaceUrl(trx, row, toStored(row));
      note('push-setting', row.id);
    }
    return true;
  });
}

/** What the sealed queries of settings are bound to. */
function contextOf({ organization_id, id }: Owner): SealContext {
  return { purpose: 'push-query', ids: [organization_id, id] };
}
