import type { Me } from '../../api/me.ts';

/** The first page of an organization: certificates, or messages if only that module is on. */
export function organizationHome({
  modules,
}: Pick<Me, 'modules'>): '/o/$organizationId/certificates' | '/o/$organizationId/messages' {
  return modules.includes('certificates') ? '/o/$organizationId/certificates' : '/o/$organizationId/messages';
}
