import type { Certificate } from '@waxwing/contract/management-api/certificate-operations.ts';

export type ShownCertificate = Pick<Certificate, 'state' | 'version_state'>;

/** One that is issued is handed out no more when its current version is revoked, until another is imported. */
export function shownState({ state, version_state }: ShownCertificate): Certificate['state'] | 'versionRevoked' {
  return state === 'issued' && version_state === 'revoked' ? 'versionRevoked' : state;
}
