import type { ChangeFeed } from '../database/change-feed.ts';
import type { Database, Db } from '../database/database.ts';
import type { CertificateVersionRow } from '../database/schema/certificate-tables.ts';
import { Problem } from '../runtime/problem.ts';
import { checkSealed } from '../secrets/check-sealed.ts';
import { open, rewrap, SealError } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { privateKeyContext } from './certificate.ts';
import { listSealedKeys, listSealedOtherwise, listSealingKeys, replaceSealedKey } from './certificate-store.ts';

type SealedKey = Pick<CertificateVersionRow, 'organization_id' | 'certificate_id' | 'id' | 'sealed_key'>;

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

    check: (ring: KeyRing) =>
      checkSealed<SealedKey>({
        read: (after, limit) => listSealedKeys(database.db, after, limit),
        placeOf: ({ id }) => id,
        open: (version) => open(ring, contextOf(version), version.sealed_key).fill(0),
        nameOf: ({ id, certificate_id }) => `version ${id} of certificate ${certificate_id}`,
      }),
  };
}

/** @throws Problem that names the version: the rotation stops there and keeps the old key */
function rewrapped(ring: KeyRing, version: SealedKey): Uint8Array {
  try {
    return rewrap(ring, contextOf(version), version.sealed_key) ?? version.sealed_key;
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

const contextOf = ({ organization_id, certificate_id, id }: SealedKey) =>
  privateKeyContext(organization_id, certificate_id, id);
