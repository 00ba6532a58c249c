import type { Db } from './database.ts';

/**
 * Keeps a master key in use until the transaction ends, for whoever seals something by it there: a rotation that wants
 * to retire the key waits, and then finds what was sealed.
 * @returns false when the key is retired already: what would be sealed by it could not be opened after a restart.
 */
export async function lockSealingKey(trx: Db, keyId: string): Promise<boolean> {
  const result = await trx
    .updateTable('master_key')
    .set((row) => ({ created_at: row.ref('created_at') }))
    .where('id', '=', keyId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
