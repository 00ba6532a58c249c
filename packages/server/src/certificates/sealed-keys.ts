import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/connect.ts';
import { open, rewrap } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { privateKeyContext } from './certificate.ts';
import { listSealedKeys, listSealedOtherwise, listSealingKeys, replaceSealedKey } from './certificate-store.ts';

const checkChunk = 500;

/** The private keys of all versions, as the master-key rotation sees them. */
export function sealedPrivateKeys(database: Database, feed: ChangeFeed) {
  return {
    name: 'private keys',
    keysInUse: () => listSealingKeys(database.db),

    async rewrap(ring: KeyRing, limit: number): Promise<number> {
      const versions = await listSealedOtherwise(database.db, ring.current.id, limit);
      if (versions.length === 0) return 0;
      await feed.write(async (trx, note) => {
        for (const version of versions) {
          const context = privateKeyContext(version.organization_id, version.certificate_id, version.id);
          const wrapped = rewrap(ring, context, version.sealed_key) ?? version.sealed_key;
          await replaceSealedKey(trx, version, wrapped, ring.current.id);
          // Servers hold sealed keys in memory; they need the new bytes before the old master key is retired.
          note('certificate', version.certificate_id);
        }
      });
      return versions.length;
    },

    async check(ring: KeyRing): Promise<{ sealed: number; faults: string[] }> {
      const faults: string[] = [];
      let sealed = 0;
      let after = '';
      for (;;) {
        const versions = await listSealedKeys(database.db, after, checkChunk);
        for (const version of versions) {
          sealed += 1;
          const context = privateKeyContext(version.organization_id, version.certificate_id, version.id);
          try {
            open(ring, context, version.sealed_key).fill(0);
          } catch (error) {
            faults.push(`version ${version.id} of certificate ${version.certificate_id}: ${(error as Error).message}`);
          }
        }
        const last = versions.at(-1);
        if (last === undefined) return { sealed, faults };
        after = last.id;
      }
    },
  };
}
