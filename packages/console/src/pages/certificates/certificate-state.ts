import type { Certificate } from '@waxwing/contract/management-api/certificate-operations.ts';
import { expiryOf } from '../../parts/expiry.ts';

export type ShownCertificate = Pick<Certificate, 'state' | 'version_state' | 'expires_at'>;

type ShownState = Certificate['state'] | 'versionRevoked' | 'expired' | 'expiring';

/** One that is issued is handed out no more when its current version is revoked, until another is imported. */
export function isHandedOut({ state, version_state }: Omit<ShownCertificate, 'expires_at'>): boolean {
  return state === 'issued' && version_state !== 'revoked';
}

/** What people are told: of one that is handed out, also whether clients still take it. @param now epoch milliseconds */
export function shownState(certificate: ShownCertificate, now: number): ShownState {
  const { state, expires_at } = certificate;
  if (!isHandedOut(certificate)) return state === 'issued' ? 'versionRevoked' : state;
  const nearness = expires_at === null ? 'far' : expiryOf(expires_at, now).nearness;
  if (nearness === 'past') return 'expired';
  return nearness === 'far' ? state : 'expiring';
}
