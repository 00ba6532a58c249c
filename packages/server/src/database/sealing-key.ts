import type { Db } from './database.ts';

/**
 * Keeps a master key in use until the transaction ends, for the caller that seals something with it. A rotation that
 * would retire the key waits, and then finds the sealed row.
 * @returns false when the key is retired already: a row sealed with it could not be opened after a restart
 */
export async function lockSealingKey(trx: Db, keyId: string): Promise<boolean> {
  const result = await trx
    .updateTable('master_key')
    .set((row) => ({ created_at: row.ref('created_at') }))
    .where('id', '=', keyId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
