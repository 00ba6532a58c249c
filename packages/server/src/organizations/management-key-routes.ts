import type { BodyOf } from '@waxwing/contract/management-api/operation.ts';
import { ofInstance, ofOrganization } from '@waxwing/contract/management-api/operations/management-key-operations.ts';
import type { Actor } from '../api/actor.ts';
import { managerOf } from '../api/manager.ts';
import { type Binding, bind, organizationOf, owned, ownerOf } from '../api/operation-frame.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import type { ManagementKeys, ManagementKeyUpdate } from './manage-management-keys.ts';
import type { ManagementKey } from './management-key.ts';

const standardOverlapSeconds = 86_400;

interface Params {
  readonly organization_id?: string;
  readonly management_key_id?: string;
}

type Change = BodyOf<typeof ofOrganization.update>;

export function managementKeyRoutes(keys: ManagementKeys): readonly Binding[] {
  return [...routesOf(keys, ofOrganization), ...routesOf(keys, ofInstance)];
}

function routesOf(keys: ManagementKeys, operations: typeof ofOrganization | typeof ofInstance): readonly Binding[] {
  const find = ({ params }: { params: Params & { readonly management_key_id: string } }) =>
    owned(ownerOf(params), keys.show(params.management_key_id));
  const managerIn = (call: { actor: Actor; by: string; params: Params }) => managerOf(call, ownerOf(call.params));

  return [
    bind(operations.list, async ({ params, page }) =>
      page.of(await keys.list('organization_id' in params ? organizationOf(params) : '', page), ({ id }) => id),
    ),
    bind(operations.create, async (call) => {
      const { expires_at: expires, ...body } = call.body;
      const role = 'role' in body ? body.role : ('operator' as const);
      const request = { ...body, role, organizationId: ownerOf(call.params), expiresAt: toMoment(expires) };
      return withToken(await keys.create(managerIn(call), request));
    }),
    bind(operations.show, find),
    bind(operations.update, async (call) => {
      const { id } = await find(call);
      return keys.update(managerIn(call), id, toUpdate(call.body), (current) => call.requireMatch(current));
    }),
    bind(operations.rotate, async (call) => {
      const { id } = await find(call);
      const { overlap_seconds: overlap = standardOverlapSeconds } = call.body;
      const { formerValidUntil, ...made } = await keys.rotate(managerIn(call), id, overlap * 1000);
      return { ...withToken(made), former_valid_until: formerValidUntil };
    }),
    bind(operations.remove, async (call) => {
      const { id } = await find(call);
      const { left } = await keys.delete(managerIn(call), id);
      return { left };
    }),
  ];
}

function toUpdate({ expires_at: expires, ...rest }: Change): ManagementKeyUpdate {
  return { ...rest, ...(expires === undefined ? {} : { expiresAt: toMoment(expires) }) };
}

function toMoment<Absent extends null | undefined>(text: string | Absent): number | Absent {
  return typeof text === 'string' ? Date.parse(text) : text;
}

function withToken({ key, token }: { key: ManagementKey; token: SecretText }) {
  return { ...key, token: token.reveal() };
}
