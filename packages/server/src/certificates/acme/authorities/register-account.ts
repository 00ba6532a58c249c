import type { Database } from '../../../database/database.ts';
import type { AuthorityRow } from '../../../database/schema/acme-tables.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { AcmeParts } from '../acme-parts.ts';
import type { AcmeAnswer } from '../protocol/acme-port.ts';
import { openAccountKey, openExternalAccount } from '../sealed-acme.ts';
import { findAuthority, updateAuthority } from './authority-store.ts';

interface Needs {
  readonly database: Database;
  readonly ring: () => KeyRing;
  readonly parts: Pick<AcmeParts, 'client'>;
}

interface Registered {
  readonly url: string;
  readonly ordersUrl: string | null;
  readonly existed: boolean;
}

/**
 * Finds the account of the authority's key, or makes it, and keeps where it is. The key was stored before anybody was
 * asked: a repetition finds the same account.
 * @throws SealError when the key does not open
 */
export async function registerAccount(
  { database, ring, parts }: Needs,
  row: AuthorityRow,
  signal: AbortSignal,
): Promise<AcmeAnswer<Registered>> {
  const client = await parts.client({ directory: row.directory, rootPem: row.root_pem ?? undefined });
  const hmac = openExternalAccount(ring(), row);
  const externalAccount =
    row.eab_kid === null || hmac === undefined
      ? {}
      : { externalAccount: { kid: row.eab_kid, hmacKey: Buffer.from(hmac.reveal(), 'base64url') } };
  const answer = await client.register(openAccountKey(ring(), row), { email: row.email, ...externalAccount }, signal);
  if (answer.kind !== 'done') return answer;
  await database.transaction(async (trx) => {
    const current = await findAuthority(trx, row.id);
    // The directory was changed meanwhile: that account is not this one's.
    if (current?.directory !== row.directory || current.eab_kid !== row.eab_kid) return;
    await updateAuthority(trx, row.id, { account_url: answer.url, orders_url: answer.ordersUrl });
  });
  return answer;
}
