import { createPrivateKey } from 'node:crypto';
import { readCertificates } from '@waxwing/pki/x509.ts';
import type { AuthorityRow } from '../../../database/schema/acme-tables.ts';
import type { CertificateVersionRow } from '../../../database/schema/certificate-tables.ts';
import { SealError } from '../../../secrets/envelope.ts';
import { findCertificate, findVersion } from '../../certificate-store.ts';
import { openPrivateKey } from '../../hand-out.ts';
import { findAuthority } from '../authorities/authority-store.ts';
import type { AcmeAnswer, AcmeFailure } from '../protocol/acme-port.ts';
import { noAnswer } from '../protocol/acme-problem.ts';
import { accountOfAuthority, type OrderNeeds } from './order-run.ts';
import { findOrder, setRevocation } from './order-store.ts';
import { acmeActor } from './run-order.ts';

const waitsMs = [60_000, 5 * 60_000, 30 * 60_000, 3_600_000, 6 * 3_600_000] as const;
const mostAttempts = 50;
/** An authority that refuses it for good is asked for some two hours only. */
const mostRefusals = 5;

/**
 * Tells the authority that a version is revoked.
 * @returns whether it knows it now; undefined: there is nobody to tell
 */
export async function tellRevocation(
  needs: OrderNeeds,
  orderId: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { database, clock, audit } = needs;
  const { db } = database;
  const order = await findOrder(db, orderId);
  if (order === undefined || order.revoke_at === null || order.version_id === null) return undefined;
  const certificate = await findCertificate(db, order.certificate_id);
  const version = certificate === undefined ? undefined : await findVersion(db, certificate, order.version_id);
  const authority = await findAuthority(db, order.authority_id);
  if (version === undefined || version.not_after <= clock.now() || authority === undefined) {
    await setRevocation(db, order, { revoke_at: null, revoke_attempts: 0 });
    return undefined;
  }
  const answer = await revokeVersion(needs, authority, version, signal);
  const words = answer.kind === 'done' || isRevokedAlready(answer) ? null : answer.words;
  const isRefused = answer.kind === 'failed' && !answer.temporary && answer.type !== null && answer.type !== 'notSent';
  const attempts = order.revoke_attempts + 1;
  const isGivenUp = words !== null && attempts >= (isRefused ? mostRefusals : mostAttempts);
  const at = clock.now();
  const again = at + (waitsMs[Math.min(attempts, waitsMs.length) - 1] ?? 0);
  await database.transaction(async (trx) => {
    const revoke_at = words === null || isGivenUp ? null : again;
    const isOurs = await setRevocation(trx, order, { revoke_at, revoke_attempts: attempts, failure: words });
    if (!isOurs || !isGivenUp) return;
    const detail = { version: version.id, authority: authority.id, authority_told: false, error: words.slice(0, 500) };
    const entry = { organizationId: order.organization_id, actor: acmeActor, subject: order.certificate_id, at };
    await audit.record(trx, [{ ...entry, action: 'certificate.revoke', detail: JSON.stringify(detail) }]);
  });
  return words === null;
}

/** By the account. Where that is gone or refused, by the key of the certificate, which may revoke it too (RFC 8555 §7.6). */
async function revokeVersion(
  needs: OrderNeeds,
  authority: AuthorityRow,
  version: CertificateVersionRow,
  signal: AbortSignal,
): Promise<AcmeAnswer<object>> {
  const [leaf] = readCertificates(version.chain);
  if (leaf === undefined) return noAnswer('The version has no certificate.');
  const { directory, root_pem } = authority;
  const client = await needs.parts.client({ directory, rootPem: root_pem ?? undefined });
  try {
    if (authority.account_url !== null) {
      const answer = await client.revoke(accountOfAuthority(needs, authority), leaf.der, signal);
      if (answer.kind === 'done' || answer.temporary || isRevokedAlready(answer)) return answer;
    }
    const { organization_id: organizationId, certificate_id: certificateId, id, sealed_key: sealedKey } = version;
    const pem = openPrivateKey(needs.ring(), { id, organizationId, certificateId, sealedKey });
    return await client.revoke({ key: createPrivateKey(pem) }, leaf.der, signal);
  } catch (error) {
    if (error instanceof SealError) return noAnswer(`A key does not open. ${error.message}`);
    throw error;
  }
}

function isRevokedAlready({ type }: Pick<AcmeFailure, 'type'>): boolean {
  return type === 'alreadyRevoked';
}
