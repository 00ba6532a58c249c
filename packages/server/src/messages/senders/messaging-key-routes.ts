import * as operations from '@waxwing/contract/management-api/operations/messaging-key-operations.ts';
import { type Binding, bind, organizationOf, owned } from '../../api/operation-frame.ts';
import type { MessagingKeys } from './manage-messaging-keys.ts';

interface Named {
  readonly params: { readonly organization_id: string; readonly messaging_key_id: string };
}

const standardOverlapSeconds = 86_400;

/** The operations on messaging keys (contract: messaging-key-operations). */
export function messagingKeyRoutes(keys: MessagingKeys): readonly Binding[] {
  const find = ({ params }: Named) => owned(params.organization_id, keys.show(params.messaging_key_id));

  return [
    bind(operations.listMessagingKeys, async ({ params, page }) => {
      const rows = await keys.list(organizationOf(params), { after: page.after, limit: page.take });
      return page.of(rows, ({ id }) => id);
    }),

    bind(operations.createMessagingKey, async ({ by, params, body }) => {
      const { messagingKey, token } = await keys.create(by, { organizationId: params.organization_id, ...body });
      return { ...messagingKey, token: token.reveal() };
    }),

    bind(operations.showMessagingKey, find),

    bind(operations.updateMessagingKey, async (call) => {
      const { id } = await find(call);
      const { query_token: queryToken, expires_at, ...rest } = call.body;
      const expiresAt = typeof expires_at === 'string' ? Date.parse(expires_at) : expires_at;
      const update = { ...rest, queryToken, expiresAt };
      return keys.update(call.by, id, update, (current) => call.requireMatch(current));
    }),

    bind(operations.rotateMessagingKey, async (call) => {
      const { id } = await find(call);
      const { overlap_seconds: overlap = standardOverlapSeconds } = call.body;
      const { messagingKey, token, formerValidUntil } = await keys.rotate(call.by, id, overlap * 1000);
      return { ...messagingKey, token: token.reveal(), former_valid_until: formerValidUntil };
    }),

    bind(operations.deleteMessagingKey, async (call) => {
      const { id } = await find(call);
      await keys.delete(call.by, id);
      return undefined;
    }),
  ];
}
