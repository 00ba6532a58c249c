import type { Me } from '../../api/me.ts';

/** The first page of an organization: the certificates, or where only messages are switched on those. */
export function organizationHome({
  modules,
}: Pick<Me, 'modules'>): '/o/$organizationId/certificates' | '/o/$organizationId/messages' {
  return modules.includes('certificates') ? '/o/$organizationId/certificates' : '/o/$organizationId/messages';
}
