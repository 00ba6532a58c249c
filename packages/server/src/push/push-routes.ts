import * as operations from '@waxwing/contract/management-api/operations/push-operations.ts';
import { type Binding, bind, owned } from '../api/operation-frame.ts';
import type { Pushes } from './manage-pushes.ts';

/** The operations on pushes (contract: push-operations). */
export function pushRoutes(pushes: Pushes): readonly Binding[] {
  const find = ({ params }: { readonly params: { readonly organization_id: string; readonly push_id: string } }) =>
    owned(params.organization_id, pushes.show(params.push_id, params.organization_id));

  return [
    bind(operations.listPushes, async ({ params, query, page }) => {
      const { rows, reached } = await pushes.find({
        organizationId: params.organization_id,
        kind: query.kind,
        state: query.state,
        search: query.search,
        before: page.after,
        since: query.since === undefined ? undefined : Date.parse(query.since),
        until: query.until === undefined ? undefined : Date.parse(query.until),
        limit: page.take,
      });
      return page.of(rows, ({ id }) => id, reached);
    }),

    bind(operations.showPush, find),

    bind(operations.resendPush, async (call) => {
      const { id } = await find(call);
      return pushes.resendOne(call.by, id);
    }),

    bind(operations.resendPushes, async ({ by, params, body }) => {
      const ids = [...new Set(body.push_ids)];
      const resent = new Set(await pushes.resendSome(by, params.organization_id, ids));
      return { resent: ids.filter((id) => resent.has(id)), left: ids.filter((id) => !resent.has(id)) };
    }),

    bind(operations.createResend, ({ by, params, body }) =>
      pushes.resend(by, {
        organizationId: params.organization_id,
        kind: body.kind,
        which: body.which,
        since: typeof body.since === 'string' ? Date.parse(body.since) : undefined,
      }),
    ),

    bind(operations.listResends, async ({ params, page }) =>
      page.ofFew(await pushes.resendProgress(params.organization_id), ({ id }) => id),
    ),
  ];
}
