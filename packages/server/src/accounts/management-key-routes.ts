import { ofInstance, ofOrganization } from '@waxwing/contract/management-api/management-key-operations.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import { type Binding, bind } from './guard.ts';
import type { ManagementKeys, ManagementKeyUpdate } from './manage-management-keys.ts';
import type { ManagementKey, ManagementKeyDetails } from './management-key.ts';
import { managerOf } from './member-routes.ts';

const standardOverlapSeconds = 86_400;

interface Change {
  readonly name?: string;
  readonly role?: ManagementKeyUpdate['role'];
  readonly enabled?: boolean;
  readonly allow?: readonly string[];
  readonly expires_at?: string | null;
}

/** Keys of an organization and of the instance (contract: management-key-operations). */
export function managementKeyRoutes(keys: ManagementKeys): readonly Binding[] {
  return [...organizationKeyRoutes(keys), ...instanceKeyRoutes(keys)];
}

function organizationKeyRoutes(keys: ManagementKeys): readonly Binding[] {
  const find = ({ params }: { params: { organization_id: string; management_key_id: string } }) =>
    findIn(keys, params.organization_id, params.management_key_id);

  return [
    bind(ofOrganization.list, async ({ params, page }) => {
      const rows = await keys.list(params.organization_id, page);
      return page.of(rows.map(toShown), ({ id }) => id);
    }),
    bind(ofOrganization.create, async (call) => {
      const { organization_id: organizationId } = call.params;
      const { expires_at: expires, ...body } = call.body;
      const request = { ...body, organizationId, expiresAt: toMoment(expires) };
      return withToken(await keys.create(managerOf(call, organizationId), request));
    }),
    bind(ofOrganization.show, async (call) => toShownDetails(await find(call))),
    bind(ofOrganization.update, async (call) => {
      const { id } = await find(call);
      const manager = managerOf(call, call.params.organization_id);
      const check = (current: ManagementKey) => call.requireMatch(current);
      return toShown(await keys.update(manager, id, toUpdate(call.body), check));
    }),
    bind(ofOrganization.rotate, async (call) => {
      const { id } = await find(call);
      const { overlap_seconds: overlap = standardOverlapSeconds } = call.body;
      return rotated(await keys.rotate(managerOf(call, call.params.organization_id), id, overlap * 1000));
    }),
    bind(ofOrganization.remove, async (call) => {
      const { id } = await find(call);
      const { left } = await keys.delete(managerOf(call, call.params.organization_id), id);
      return { left };
    }),
  ];
}

function instanceKeyRoutes(keys: ManagementKeys): readonly Binding[] {
  const find = ({ params }: { params: { management_key_id: string } }) => findIn(keys, '', params.management_key_id);

  return [
    bind(ofInstance.list, async ({ page }) => page.of((await keys.list('', page)).map(toShown), ({ id }) => id)),
    bind(ofInstance.create, async (call) => {
      const { expires_at: expires, ...body } = call.body;
      const request = { ...body, organizationId: '', role: 'operator', expiresAt: toMoment(expires) } as const;
      return withToken(await keys.create(managerOf(call, ''), request));
    }),
    bind(ofInstance.show, async (call) => toShownDetails(await find(call))),
    bind(ofInstance.update, async (call) => {
      const { id } = await find(call);
      const check = (current: ManagementKey) => call.requireMatch(current);
      return toShown(await keys.update(managerOf(call, ''), id, toUpdate(call.body), check));
    }),
    bind(ofInstance.rotate, async (call) => {
      const { id } = await find(call);
      const { overlap_seconds: overlap = standardOverlapSeconds } = call.body;
      return rotated(await keys.rotate(managerOf(call, ''), id, overlap * 1000));
    }),
    bind(ofInstance.remove, async (call) => {
      const { id } = await find(call);
      const { left } = await keys.delete(managerOf(call, ''), id);
      return { left };
    }),
  ];
}

/** @param organizationId empty: of the instance. @throws Problem `not_found`, also for a key that is somebody else's */
async function findIn(keys: ManagementKeys, organizationId: string, id: string): Promise<ManagementKeyDetails> {
  try {
    const key = await keys.show(id);
    if ((key.organization_id ?? '') === organizationId) return key;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
  }
  throw new Problem('not_found');
}

function toUpdate({ expires_at: expires, ...rest }: Change): ManagementKeyUpdate {
  return { ...rest, ...(expires === undefined ? {} : { expiresAt: toMoment(expires) }) };
}

function toMoment<Absent extends null | undefined>(text: string | Absent): number | Absent {
  return typeof text === 'string' ? Date.parse(text) : text;
}

function toShown(key: ManagementKey) {
  return { ...key, allow: [...key.allow] };
}

function toShownDetails(key: ManagementKeyDetails) {
  return { ...toShown(key), tokens: [...key.tokens] };
}

function withToken({ key, token }: { key: ManagementKey; token: SecretText }) {
  return { ...toShown(key), token: token.reveal() };
}

function rotated(made: { key: ManagementKey; token: SecretText; formerValidUntil: string }) {
  return { ...withToken(made), former_valid_until: made.formerValidUntil };
}
