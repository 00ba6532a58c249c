import type { Database, Db } from '../database/database.ts';
import type { CarrierRow } from '../database/schema/carrier-tables.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { checkSealed } from '../secrets/check-sealed.ts';
import { open, rewrap, type SealContext, seal } from '../secrets/envelope.ts';
import type { KeyRing } from '../secrets/key-ring.ts';

/** The sealed columns of a carrier. */
type SealedColumn = 'sealed_password' | 'sealed_tls_key';

const columns: readonly SealedColumn[] = ['sealed_password', 'sealed_tls_key'];

const contextOf = (column: SealedColumn, id: string): SealContext => ({
  purpose: column === 'sealed_password' ? 'carrier-password' : 'carrier-tls-key',
  ids: [id],
});

/** @param ring by whose current key it is sealed, which must stay in use until it is stored (`requireSealingKey`) */
export function sealCarrierSecret(ring: KeyRing, column: SealedColumn, id: string, secret: SecretText): Uint8Array {
  const clear = Buffer.from(secret.reveal());
  try {
    return seal(ring, contextOf(column, id), clear);
  } finally {
    clear.fill(0);
  }
}

/** Undefined where there is none. @throws SealError when it does not open */
export function openCarrierSecret(
  ring: KeyRing,
  column: SealedColumn,
  row: Pick<CarrierRow, 'id' | SealedColumn>,
): SecretText | undefined {
  const sealed = row[column];
  if (sealed === null) return undefined;
  const clear = open(ring, contextOf(column, row.id), sealed);
  try {
    return new SecretText(clear.toString());
  } finally {
    clear.fill(0);
  }
}

/** The passwords and keys of carriers, as the master-key rotation and the doctor see them. */
export function sealedCarriers({ db, transaction }: Pick<Database, 'db' | 'transaction'>) {
  return {
    name: 'carriers',

    async keysInUse(trx: Db): Promise<readonly string[]> {
      const rows = await trx
        .selectFrom('carrier')
        .select('key_id')
        .distinct()
        .where('key_id', 'is not', null)
        .execute();
      return rows.flatMap(({ key_id }) => (key_id === null ? [] : [key_id]));
    },

    /** @throws SealError when one does not open: the rotation stops there, and the key it may need is kept. */
    async rewrap(ring: KeyRing, limit: number): Promise<number> {
      const rows = await db
        .selectFrom('carrier')
        .selectAll()
        .where('key_id', '!=', ring.current.id)
        .orderBy('id')
        .limit(limit)
        .execute();
      if (rows.length === 0) return 0;
      await transaction(async (trx) => {
        for (const row of rows) await replaceSealed(trx, ring, row);
      });
      return rows.length;
    },

    check: (ring: KeyRing) =>
      checkSealed<CarrierRow>({
        read: (after, limit) => listSealed(db, after, limit),
        placeOf: ({ id }) => id,
        open: (row) => {
          for (const column of columns) openCarrierSecret(ring, column, row);
        },
        nameOf: ({ id }) => `carrier ${id}`,
      }),
  };
}

/** Unless it has others meanwhile. */
async function replaceSealed(trx: Db, ring: KeyRing, row: CarrierRow): Promise<void> {
  let update = trx.updateTable('carrier').set({ key_id: ring.current.id }).where('id', '=', row.id);
  for (const column of columns) {
    const sealed = row[column];
    if (sealed === null) continue;
    const wrapped = rewrap(ring, contextOf(column, row.id), sealed) ?? sealed;
    update = update.set({ [column]: Buffer.from(wrapped) }).where(column, '=', Buffer.from(sealed));
  }
  await update.execute();
}

function listSealed(db: Db, after: string, limit: number): Promise<CarrierRow[]> {
  return db
    .selectFrom('carrier')
    .selectAll()
    .where('key_id', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}
