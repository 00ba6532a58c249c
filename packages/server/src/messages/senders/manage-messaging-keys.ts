import type { Ground } from '../../audit/ground.ts';
import { lockOrganization } from '../../organizations/organization.ts';
import {
  createTokenHolders,
  type HolderUpdate,
  holderColumns,
  type NewHolder,
  type PermissionUpdate,
  permissionColumns,
} from '../../organizations/token-holder.ts';
import { type MessagingKey, toMessagingKey } from './messaging-key.ts';
import { type KeyPart, listMessagingKeys } from './messaging-key-store.ts';

export type MessagingKeys = ReturnType<typeof createMessagingKeys>;

type Needs = Pick<Ground, 'database' | 'feed' | 'audit' | 'clock'>;

export function createMessagingKeys(needs: Needs) {
  const { database } = needs;
  const holders = createTokenHolders(needs, 'messaging', toMessagingKey, async (_trx, row) => toMessagingKey(row));

  return {
    /** The token is shown here and never again. */
    async create(actor: string, request: Omit<NewHolder, 'expiresAt'>) {
      const row = { ...(await holders.draft(actor, request)), permitted: 1, query_token: 1 } as const;
      const { name, allow } = toMessagingKey(row);
      const { holder, token } = await holders.create(actor, row, { name, allow }, (trx) =>
        lockOrganization(trx, database, row.organization_id),
      );
      return { messagingKey: holder, token };
    },

    /** @param requireSame as in `Deployments.update` */
    async update(
      actor: string,
      id: string,
      update: HolderUpdate & PermissionUpdate,
      requireSame?: (current: MessagingKey) => void,
    ) {
      const row = await holders.get(id);
      return holders.update(actor, row, { ...holderColumns(update), ...permissionColumns(update) }, requireSame);
    },

    /** A new token; the ones before stay valid for `overlapMs` more. */
    async rotate(actor: string, id: string, overlapMs: number) {
      const { holder, ...rotated } = await holders.rotate(actor, await holders.get(id), overlapMs);
      return { messagingKey: holder, ...rotated };
    },

    /** @param organizationId undefined: of all organizations */
    list: async (organizationId?: string, part?: KeyPart) =>
      (await listMessagingKeys(database.db, organizationId, part)).map(toMessagingKey),

    show: holders.show,

    async delete(actor: string, id: string) {
      await holders.delete(actor, await holders.get(id), async () => {});
    },
  };
}
