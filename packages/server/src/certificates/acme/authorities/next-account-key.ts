import type { KeyObject } from 'node:crypto';
import type { Database, Db } from '../../../database/database.ts';
import type { AuthorityRow } from '../../../database/schema/acme-tables.ts';
import { requireSealingKey } from '../../../database/sealing-key.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import {
  openAccountKey,
  openExternalAccount,
  openNextAccountKey,
  sealAccountKey,
  sealExternalAccount,
} from '../sealed-acme.ts';
import { findAuthority, lockAuthority, updateAuthority } from './authority-store.ts';

interface Needs {
  readonly database: Database;
  readonly ring: () => KeyRing;
}

/** @returns the key that is stored: the one from before where there is one. Undefined: the account is another now */
export function storeNextKey(
  { database, ring }: Needs,
  row: AuthorityRow,
  fresh: KeyObject,
): Promise<KeyObject | undefined> {
  return database.transaction(async (trx) => {
    const current = await lockAuthority(trx, database, row.id);
    if (current?.account_url !== row.account_url) return undefined;
    const keys = ring();
    const stored = openNextAccountKey(keys, current);
    if (stored !== undefined) return stored;
    await requireSealingKey(trx, keys.current.id);
    const hmac = openExternalAccount(keys, current);
    // One master key is that of all sealed columns.
    await updateAuthority(trx, row.id, {
      key_id: keys.current.id,
      sealed_key: sealAccountKey(keys, row.id, openAccountKey(keys, current)),
      sealed_eab: hmac === undefined ? null : sealExternalAccount(keys, row.id, hmac),
      next_sealed_key: sealAccountKey(keys, row.id, fresh),
    });
    return fresh;
  });
}

/**
 * Puts the next key in place of the former one.
 * @param write what else the transaction writes
 * @returns false: the authority was changed meanwhile
 */
export async function takeNextKey(
  { database, ring }: Needs,
  row: AuthorityRow,
  next: KeyObject,
  write: (trx: Db) => Promise<void>,
): Promise<boolean> {
  const isTaken = await database.transaction(async (trx) => {
    const current = await lockAuthority(trx, database, row.id);
    if (current === undefined || current.next_sealed_key === null || current.account_url !== row.account_url)
      return false;
    if (openNextAccountKey(ring(), current)?.equals(next) !== true) return false;
    await updateAuthority(trx, row.id, { sealed_key: current.next_sealed_key, next_sealed_key: null });
    await write(trx);
    return true;
  });
  if (isTaken) return true;
  // Two calls at once have the same new key: the other one was faster.
  const current = await findAuthority(database.db, row.id);
  return current !== undefined && openAccountKey(ring(), current).equals(next);
}

/** Only for a key that the account does not have: it is lost. */
export async function dropNextKey({ database, ring }: Needs, row: AuthorityRow, next: KeyObject): Promise<void> {
  await database.transaction(async (trx) => {
    const current = await lockAuthority(trx, database, row.id);
    if (current === undefined || openNextAccountKey(ring(), current)?.equals(next) !== true) return;
    await updateAuthority(trx, row.id, { next_sealed_key: null });
  });
}
