import type { Database, Db } from '../../database/database.ts';
import type { TotpRow } from '../../database/schema/account-tables.ts';
import { checkSealed } from '../../secrets/check-sealed.ts';
import { open, rewrap, type SealContext } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { listTotpKeys, listTotpSealedOtherwise, listTotps, replaceSealedTotp } from '../store/factor-store.ts';

/** The secrets of authenticator applications, as the master-key rotation sees them. */
export function sealedTotpSecrets(database: Database) {
  return {
    name: 'authenticator secrets',
    keysInUse: (db: Db) => listTotpKeys(db),

    /** @throws SealError when a secret does not open: the rotation stops there, and the key it may need is kept. */
    async rewrap(ring: KeyRing, limit: number): Promise<number> {
      const rows = await listTotpSealedOtherwise(database.db, ring.current.id, limit);
      if (rows.length === 0) return 0;
      await database.transaction(async (trx) => {
        for (const row of rows) {
          await replaceSealedTotp(trx, row, rewrap(ring, totpContext(row), row.sealed) ?? row.sealed, ring.current.id);
        }
      });
      return rows.length;
    },

    check: (ring: KeyRing) =>
      checkSealed<TotpRow>({
        read: (after, limit) => listTotps(database.db, after, limit),
        placeOf: (row) => row.account_id,
        open: (row) => open(ring, totpContext(row), row.sealed).fill(0),
        nameOf: (row) => `authenticator secret of account ${row.account_id}`,
      }),
  };
}

export function totpContext(row: Pick<TotpRow, 'account_id' | 'id'>): SealContext {
  return { purpose: 'totp', ids: [row.account_id, row.id] };
}
