import type { ChangeFeed } from '../../database/change-feed.ts';
import type { Database, Db } from '../../database/database.ts';
import type { AlertChannelRow } from '../../database/schema/alert-tables.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { open, rewrap, type SealContext, seal } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { listChannelKeys, listSealed, listSealedOtherwise, replaceSealedChannel } from './alert-channel-store.ts';

/** The parts of a channel that are stored sealed. */
export interface ChannelSecrets {
  readonly url: SecretText;
  readonly secret: SecretText | undefined;
}

type Owner = Pick<AlertChannelRow, 'organization_id' | 'id'>;

const checkChunk = 500;

/** @param ring by whose current key it is sealed, which must stay in use until it is stored (`lockSealingKey`) */
export function sealChannel(ring: KeyRing, owner: Owner, { url, secret }: ChannelSecrets): Uint8Array {
  const content = JSON.stringify({ url: url.reveal(), secret: secret?.reveal() });
  return seal(ring, contextOf(owner), Buffer.from(content));
}

/** Undefined for emails. @throws SealError when they do not open */
export function openChannel(ring: KeyRing, row: AlertChannelRow): ChannelSecrets | undefined {
  if (row.sealed === null) return undefined;
  const bytes = open(ring, contextOf(row), row.sealed);
  try {
    const { url, secret } = JSON.parse(bytes.toString()) as { url: string; secret?: string };
    return { url: new SecretText(url), secret: secret === undefined ? undefined : new SecretText(secret) };
  } finally {
    bytes.fill(0);
  }
}

/** The URLs and secrets of all alert channels, as the master-key rotation sees them. */
export function sealedAlertChannels(database: Database, feed: ChangeFeed) {
  return {
    name: 'alert channels',
    keysInUse: (db: Db) => listChannelKeys(db),

    /** @throws SealError when one does not open: the rotation stops there, and the key it may need is kept. */
    async rewrap(ring: KeyRing, limit: number): Promise<number> {
      const rows = await listSealedOtherwise(database.db, ring.current.id, limit);
      if (rows.length === 0) return 0;
      await feed.write(async (trx, note) => {
        for (const row of rows) {
          const sealed = rewrap(ring, contextOf(row), row.sealed) ?? row.sealed;
          await replaceSealedChannel(trx, row, sealed, ring.current.id);
          note('alert-channel', row.id);
        }
      });
      return rows.length;
    },

    async check(ring: KeyRing): Promise<{ sealed: number; faults: string[] }> {
      const faults: string[] = [];
      let sealed = 0;
      for (let after: string | undefined = ''; after !== undefined; ) {
        const rows: readonly AlertChannelRow[] = await listSealed(database.db, after, checkChunk);
        for (const row of rows) {
          sealed += 1;
          try {
            openChannel(ring, row);
          } catch (error) {
            faults.push(`alert channel ${row.id}: ${(error as Error).message}`);
          }
        }
        after = rows.at(-1)?.id;
      }
      return { sealed, faults };
    },
  };
}

/** The row to which the sealed parts of a channel are bound. */
function contextOf({ organization_id, id }: Owner): SealContext {
  return { purpose: 'alert-channel', ids: [organization_id, id] };
}
