import type { Certificate } from '@waxwing/contract/management-api/operations/certificate-operations.ts';
import { expiryOf } from '../../parts/marks/expiry.ts';

export type ShownCertificate = Pick<Certificate, 'state' | 'version_state' | 'expires_at'>;

type ShownState = Certificate['state'] | 'versionRevoked' | 'expired' | 'expiring';

/** An issued certificate is not handed out while its current version is revoked. */
export function isHandedOut({ state, version_state }: Omit<ShownCertificate, 'expires_at'>): boolean {
  return state === 'issued' && version_state !== 'revoked';
}

/** As the server decides: a certificate that waits for its first version may be issued later. */
export function isDeployable(certificate: Omit<ShownCertificate, 'expires_at'>): boolean {
  return isHandedOut(certificate) || certificate.state === 'pending' || certificate.state === 'failed';
}

/** The state to show; of a certificate in use also whether it expires. @param now epoch milliseconds */
export function shownState(certificate: ShownCertificate, now: number): ShownState {
  const { state, expires_at } = certificate;
  if (!isHandedOut(certificate)) return state === 'issued' ? 'versionRevoked' : state;
  const nearness = expires_at === null ? 'far' : expiryOf(expires_at, now).nearness;
  if (nearness === 'past') return 'expired';
  return nearness === 'far' ? state : 'expiring';
}
