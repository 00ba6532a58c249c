import type { KeyObject } from 'node:crypto';
import type { KeyKind } from '@waxwing/pki/generate-key.ts';
import type { Database, Db } from '../../../database/database.ts';
import type { AuthorityRow } from '../../../database/schema/acme-tables.ts';
import { requireSealingKey } from '../../../database/sealing-key.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { AcmeParts } from '../acme-parts.ts';
import type { AcmeAnswer } from '../protocol/acme-port.ts';
import { noAnswer } from '../protocol/acme-problem.ts';
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
  readonly parts: Pick<AcmeParts, 'client' | 'newKey'>;
}

/**
 * Gives the account another key (RFC 8555 §7.3.5). The new key is stored before the authority is asked: after a crash
 * the next call finds it, and asks whether the authority knows it already.
 * @param write what else the transaction writes that puts the new key in place of the former one
 * @throws SealError when a key does not open
 */
export async function rollAccountKey(
  needs: Needs,
  row: AuthorityRow,
  write: (trx: Db) => Promise<void>,
  signal: AbortSignal,
): Promise<AcmeAnswer<object>> {
  const { database, ring, parts } = needs;
  const url = row.account_url;
  if (url === null) return refused('There is no account yet: a test of the authority makes it.');
  const former = openAccountKey(ring(), row);
  const fresh = await parts.newKey(row.account_key as KeyKind);
  const next = await storeNextKey(needs, row, fresh);
  if (next === undefined) return changedMeanwhile;
  const client = await parts.client({ directory: row.directory, rootPem: row.root_pem ?? undefined });
  // The answer to an earlier change may have been lost.
  const found = next.equals(fresh) ? undefined : await client.findAccount(next, signal);
  if (found?.kind === 'failed' && found.type !== 'accountDoesNotExist') return found;
  if (found?.kind !== 'done') {
    const changed = await client.changeKey({ url, key: former }, next, signal);
    if (changed.kind === 'failed') return changed;
  } else if (found.url !== url) return refused('The new key belongs to another account.');
  const isSwapped = await database.transaction(async (trx) => {
    const current = await lockAuthority(trx, database, row.id);
    if (current?.account_url !== url || current.next_sealed_key === null) return false;
    if (openNextAccountKey(ring(), current)?.equals(next) !== true) return false;
    await updateAuthority(trx, row.id, { sealed_key: current.next_sealed_key, next_sealed_key: null });
    await write(trx);
    return true;
  });
  if (isSwapped) return { kind: 'done' };
  // Two calls at once have the same new key: the other one was faster.
  const current = await findAuthority(database.db, row.id);
  const isThere = current !== undefined && openAccountKey(ring(), current).equals(next);
  return isThere ? { kind: 'done' } : changedMeanwhile;
}

/** @returns the key that is stored: the one from before where there is one. Undefined: the account is another now */
function storeNextKey({ database, ring }: Needs, row: AuthorityRow, fresh: KeyObject): Promise<KeyObject | undefined> {
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

const refused = (words: string) => ({ ...noAnswer(words), temporary: false });
const changedMeanwhile = refused('The authority was changed meanwhile. Try again.');
