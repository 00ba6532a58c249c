import type { KeyKind } from '@waxwing/pki/generate-key.ts';
import type { Database, Db } from '../../../database/database.ts';
import type { AuthorityRow } from '../../../database/schema/acme-tables.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { AcmeParts } from '../acme-parts.ts';
import type { AcmeAnswer } from '../protocol/acme-port.ts';
import { noAnswer } from '../protocol/acme-problem.ts';
import { openAccountKey } from '../sealed-acme.ts';
import { dropNextKey, storeNextKey, takeNextKey } from './next-account-key.ts';

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
  const { ring, parts } = needs;
  const url = row.account_url;
  if (url === null) return refused('There is no account yet: a test of the authority makes it.');
  const former = openAccountKey(ring(), row);
  const fresh = await parts.newKey(row.account_key as KeyKind);
  const next = await storeNextKey(needs, row, fresh);
  if (next === undefined) return changedMeanwhile;
  const client = await parts.client({ directory: row.directory, rootPem: row.root_pem ?? undefined });
  /** A key that the account certainly does not have is dropped: the next call makes another one. */
  const dropUnused = async () => {
    const held = await client.findAccount(former, signal);
    if (held.kind === 'done' && held.url === url) await dropNextKey(needs, row, next);
  };
  // The answer to an earlier change may have been lost.
  const found = next.equals(fresh) ? undefined : await client.findAccount(next, signal);
  if (found?.kind === 'failed' && found.type !== 'accountDoesNotExist') return found;
  if (found?.kind !== 'done') {
    const changed = await client.changeKey({ url, key: former }, next, signal);
    if (changed.kind === 'failed') {
      const isRefused = !changed.temporary && changed.type !== null && changed.type !== 'notSent';
      if (isRefused) await dropUnused();
      return changed;
    }
  } else if (found.url !== url) {
    await dropUnused();
    return refused('The new key belongs to another account. Try again, with another key.');
  }
  return (await takeNextKey(needs, row, next, write)) ? { kind: 'done' } : changedMeanwhile;
}

const refused = (words: string) => ({ ...noAnswer(words), temporary: false });
const changedMeanwhile = refused('The authority was changed meanwhile. Try again.');
