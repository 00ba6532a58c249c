import type { KeyObject } from 'node:crypto';
import type { Ground } from '../../../audit/ground.ts';
import type { AuthorityRow } from '../../../database/schema/acme-tables.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { AcmeParts } from '../acme-parts.ts';
import type { AcmeAnswer, AcmeClient, AcmeFailure } from '../protocol/acme-port.ts';
import { noAnswer } from '../protocol/acme-problem.ts';
import { openAccountKey, openExternalAccount, openNextAccountKey } from '../sealed-acme.ts';
import { findAuthority, updateAuthority } from './authority-store.ts';
import { takeNextKey } from './next-account-key.ts';

interface Needs extends Pick<Ground, 'database' | 'audit' | 'clock'> {
  readonly ring: () => KeyRing;
  readonly parts: Pick<AcmeParts, 'client'>;
}

interface Registered {
  readonly url: string;
  readonly ordersUrl: string | null;
  readonly existed: boolean;
  readonly key: KeyObject;
}

/**
 * Finds the account of the authority's key, or makes it, and keeps where it is. The key was stored before anybody was
 * asked: a repetition finds the same account.
 * @param by who is told to have changed the key, where a key change is completed
 * @throws SealError when a key does not open
 */
export async function registerAccount(
  needs: Needs,
  row: AuthorityRow,
  signal: AbortSignal,
  by = 'acme',
): Promise<AcmeAnswer<Registered>> {
  const { database, ring, parts } = needs;
  const client = await parts.client({ directory: row.directory, rootPem: row.root_pem ?? undefined });
  const found = await findKey(needs, client, row, signal, by);
  if (found.kind === 'failed') return found;
  const { key } = found;
  if (found.isThere && row.account_url !== null) {
    return { kind: 'done', url: row.account_url, ordersUrl: row.orders_url, existed: true, key };
  }
  const hmac = openExternalAccount(ring(), row);
  const externalAccount =
    row.eab_kid === null || hmac === undefined
      ? {}
      : { externalAccount: { kid: row.eab_kid, hmacKey: Buffer.from(hmac.reveal(), 'base64url') } };
  const answer = await client.register(key, { email: row.email, ...externalAccount }, signal);
  if (answer.kind !== 'done') return withHint(answer, row);
  await database.transaction(async (trx) => {
    const current = await findAuthority(trx, row.id);
    // The directory was changed meanwhile: that account is not this one's.
    if (current?.directory !== row.directory || current.eab_kid !== row.eab_kid) return;
    await updateAuthority(trx, row.id, { account_url: answer.url, orders_url: answer.ordersUrl });
  });
  return { ...answer, key };
}

/**
 * The key that the account has. The answer to a key change may have been lost: only the authority knows then which one
 * that is, and a new account by the former key would hide the account.
 * @returns `isThere` where the authority has just said so, and the account is that of the row
 */
async function findKey(
  needs: Needs,
  client: AcmeClient,
  row: AuthorityRow,
  signal: AbortSignal,
  by: string,
): Promise<AcmeAnswer<{ readonly key: KeyObject; readonly isThere: boolean }>> {
  const { audit, clock, ring } = needs;
  const former = openAccountKey(ring(), row);
  const next = openNextAccountKey(ring(), row);
  if (next === undefined) return { kind: 'done', key: former, isThere: false };
  // The former key goes first: a change that takes effect between both questions is seen by the second one.
  const held = await client.findAccount(former, signal);
  if (held.kind === 'done' && held.url === row.account_url) return { kind: 'done', key: former, isThere: true };
  const moved = await client.findAccount(next, signal);
  const isOurs = moved.kind === 'done' && (moved.url === row.account_url || isUnknown(held));
  if (!isOurs) {
    for (const each of [held, moved]) if (each.kind === 'failed' && !isUnknown(each)) return each;
    return { kind: 'done', key: former, isThere: false };
  }
  const entry = { organizationId: '', actor: by, subject: row.id, at: clock.now(), detail: '{}' };
  const isTaken = await takeNextKey(needs, row, next, (trx) =>
    audit.record(trx, [{ ...entry, action: 'authority.roll-key' }]),
  );
  if (!isTaken) return noAnswer('The authority was changed meanwhile. Try again.');
  return { kind: 'done', key: next, isThere: moved.url === row.account_url };
}

function isUnknown(answer: AcmeAnswer<object>): boolean {
  return answer.kind === 'failed' && answer.type === 'accountDoesNotExist';
}

/** Who added the authority may not know that it makes accounts for its customers alone. */
function withHint(failure: AcmeFailure, { eab_kid }: AuthorityRow): AcmeFailure {
  if (failure.type !== 'externalAccountRequired' || eab_kid !== null) return failure;
  const hint = '--eab-kid and --eab-hmac-file are missing: set them by "authority update".';
  return { ...failure, words: `${failure.words} ${hint}` };
}
