import { readCertificates } from '@waxwing/pki/x509.ts';
import { findCertificate, findVersion } from '../../certificate-store.ts';
import { findAuthority } from '../authorities/authority-store.ts';
import { accountOfAuthority, type OrderNeeds } from './order-run.ts';
import { findOrder } from './order-store.ts';

const waitsMs = [60_000, 5 * 60_000, 30 * 60_000, 3_600_000, 6 * 3_600_000] as const;
const mostAttempts = 50;

/**
 * Tells the authority that a version is revoked.
 * @returns whether it knows it now; undefined: there is nobody to tell
 */
export async function tellRevocation(
  needs: OrderNeeds,
  orderId: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { database, clock, parts } = needs;
  const { db } = database;
  const order = await findOrder(db, orderId);
  if (order === undefined || order.revoke_at === null || order.version_id === null) return undefined;
  const certificate = await findCertificate(db, order.certificate_id);
  const version = certificate === undefined ? undefined : await findVersion(db, certificate, order.version_id);
  const authority = await findAuthority(db, order.authority_id);
  const [leaf] = version === undefined ? [] : readCertificates(version.chain);
  const isNeeded = version !== undefined && version.not_after > clock.now() && authority?.account_url != null;
  const set = (columns: { revoke_at: number | null; revoke_attempts: number }) =>
    db.updateTable('acme_order').set(columns).where('id', '=', orderId).execute();
  if (!isNeeded || leaf === undefined) {
    await set({ revoke_at: null, revoke_attempts: 0 });
    return undefined;
  }
  const client = await parts.client({ directory: authority.directory, rootPem: authority.root_pem ?? undefined });
  const answer = await client.revoke(accountOfAuthority(needs, authority), leaf.der, signal);
  const isKnown = answer.kind === 'done' || answer.type === 'alreadyRevoked';
  const attempts = order.revoke_attempts + 1;
  const isOver = isKnown || attempts >= mostAttempts;
  const wait = waitsMs[Math.min(attempts, waitsMs.length) - 1] ?? 0;
  await set({ revoke_at: isOver ? null : clock.now() + wait, revoke_attempts: attempts });
  return isKnown;
}
