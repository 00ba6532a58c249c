import { randomBytes } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { open, rewrap, type SealContext, seal, sealedKeyId } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { findFact, insertFact, replaceFact } from './instance-store.ts';
import type { SealedStore } from './master-keys.ts';

const factName = 'audit-key';
const context: SealContext = { purpose: 'audit-key', ids: [] };

/** The key of the audit chain. Made once and sealed like every secret, so that it survives rotations of master keys. */
export async function openAuditKey(database: Database, ring: KeyRing): Promise<Buffer> {
  if ((await findFact(database.db, factName)) === undefined) {
    await insertFact(database.db, factName, seal(ring, context, randomBytes(32)));
  }
  const sealed = await findFact(database.db, factName);
  if (sealed === undefined) throw new Error('the audit key was written and is not there');
  return open(ring, context, sealed);
}

export function auditKeyStore(database: Database): SealedStore {
  return {
    name: 'audit key',
    async keysInUse(db) {
      const sealed = await findFact(db, factName);
      return sealed === undefined ? [] : [sealedKeyId(sealed)];
    },
    async rewrap(ring) {
      const sealed = await findFact(database.db, factName);
      const wrapped = sealed === undefined ? undefined : rewrap(ring, context, sealed);
      if (wrapped === undefined) return 0;
      await replaceFact(database.db, factName, wrapped);
      return 1;
    },
    async check(ring) {
      const sealed = await findFact(database.db, factName);
      if (sealed === undefined) return { sealed: 0, faults: [] };
      try {
        open(ring, context, sealed);
        return { sealed: 1, faults: [] };
      } catch (error) {
        return { sealed: 1, faults: [`audit key: ${(error as Error).message}`] };
      }
    },
  };
}
