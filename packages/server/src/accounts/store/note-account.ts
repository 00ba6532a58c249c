import type { Note } from '../../database/change-feed.ts';
import type { Db } from '../../database/database.ts';
import { listMembershipsOf } from './account-store.ts';

/**
 * Notes that an account is no longer what it was, to each organization that it belongs to: their lists of people show it,
 * and the person's own pages hear of it there.
 *
 * @param formerly organizations that it has left by this change
 */
export async function noteAccount(
  trx: Db,
  note: Note,
  accountId: string,
  formerly: readonly string[] = [],
): Promise<void> {
  const memberships = await listMembershipsOf(trx, [accountId]);
  const organizations = new Set([...formerly, ...memberships.map(({ organization_id }) => organization_id)]);
  for (const organizationId of organizations) note('account', accountId, organizationId);
  if (organizations.size === 0) note('account', accountId);
}
