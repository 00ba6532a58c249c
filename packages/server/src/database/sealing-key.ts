import { Problem } from '../runtime/problem.ts';
import type { Db } from './database.ts';

/**
 * Keeps a master key in use until the transaction ends, for the caller that seals something with it. A rotation that
 * would retire the key waits, and then finds the sealed row. One that locks an organization too locks that first.
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

/** As `lockSealingKey`. @throws Problem `service_unavailable` when the key is retired already */
export async function requireSealingKey(trx: Db, keyId: string): Promise<void> {
  if (await lockSealingKey(trx, keyId)) return;
  throw new Problem('service_unavailable', { detail: 'The master key is being changed. Try again in a moment.' });
}
