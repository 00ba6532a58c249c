import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database, Db } from '../database/database.ts';
import type { CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { Problem } from '../runtime/problem.ts';
import { open, rewrap, SealError } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { privateKeyContext } from './certificate.ts';
import { listSealedKeys, listSealedOtherwise, listSealingKeys, replaceSealedKey } from './certificate-store.ts';

const checkChunk = 500;

/** The private keys of all versions, for the master-key rotation. */
export function sealedPrivateKeys(database: Database, feed: ChangeFeed) {
  return {
    name: 'private keys',
    keysInUse: (db: Db) => listSealingKeys(db),

    async rewrap(ring: KeyRing, limit: number): Promise<number> {
      const versions = await listSealedOtherwise(database.db, ring.current.id, limit);
      if (versions.length === 0) return 0;
      await feed.write(async (trx, note) => {
        for (const version of versions) {
          await replaceSealedKey(trx, version, rewrapped(ring, version), ring.current.id);
          // Servers hold sealed keys in memory. They need the new bytes before the old master key is retired.
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

/** @throws Problem that names the version: the rotation stops there and keeps the old key */
function rewrapped(ring: KeyRing, version: CertificateVersionRow): Uint8Array {
  const context = privateKeyContext(version.organization_id, version.certificate_id, version.id);
  try {
    return rewrap(ring, context, version.sealed_key) ?? version.sealed_key;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new Problem('conflict', {
      detail:
        `The private key of version ${version.id} of certificate ${version.certificate_id} does not open: ` +
        `${error.message} The rotation loses nothing: the former master key stays in the file.`,
      cause: error,
    });
  }
}
