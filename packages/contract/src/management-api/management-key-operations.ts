import Type, { type TObject } from 'typebox';
import { Role } from './account-operations.ts';
import { operation } from './operation.ts';
import {
  AllowList,
  closed,
  extended,
  Id,
  inOrganization,
  Name,
  nullable,
  pageOf,
  pageQuery,
  Time,
  within,
} from './shared-schemas.ts';
import { formerToken, HeldTokens, holderChange, shownOnce, TokenRotation } from './token-schemas.ts';

const tag = 'management-keys';

export const ManagementKey = Type.Object(
  {
    id: Id,
    organization_id: nullable(Id, { description: 'Null: of the whole instance.' }),
    name: Name,
    role: Type.Enum(['viewer', 'developer', 'admin', 'owner', 'operator']),
    enabled: Type.Boolean({ description: 'Off: its token is refused.' }),
    allow: AllowList,
    expires_at: nullable(Time),
    created_by: Type.String({ description: 'As the audit trail names who made it.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'ManagementKey', ...closed, description: "A program's right to use this API." },
);

const ManagementKeyDetails = extended(ManagementKey, { tokens: HeldTokens }, { $id: 'ManagementKeyDetails' });

const clear = shownOnce('wxa_');
const WithToken = extended(ManagementKey, clear, { $id: 'ManagementKeyWithToken' });
const Rotated = extended(ManagementKey, { ...clear, ...formerToken }, { $id: 'RotatedManagementKey' });

const DeletedManagementKey = Type.Object(
  {
    left: Type.Object(
      {
        total: Type.Integer({ minimum: 0 }),
        items: Type.Array(
          Type.Object(
            {
              kind: Type.Enum(['deployment', 'messaging_key', 'management_key']),
              id: Id,
              organization_id: Type.String({ description: 'Empty: of the whole instance.' }),
              name: Name,
            },
            closed,
          ),
          { maxItems: 100, description: 'The first of them.' },
        ),
      },
      { ...closed, description: 'Whose tokens the key has made and seen, and are still good.' },
    ),
  },
  { $id: 'DeletedManagementKey', ...closed },
);

/** The same six operations for keys of an organization and for those of the instance. */
function keyOperations<
  const Suffix extends string,
  const All extends { readonly params?: TObject },
  const One extends TObject,
  const New extends TObject,
  const Update extends TObject,
>(kind: {
  readonly suffix: Suffix;
  readonly path: string;
  readonly of: string;
  readonly prefix: string;
  /** What the operations on all of them take. */
  readonly all: All;
  readonly one: One;
  readonly creation: New;
  readonly update: Update;
}) {
  const { suffix, path, of, prefix } = kind;
  const one = `${path}/{management_key_id}`;
  return {
    list: operation({
      id: `list${suffix}ManagementKeys`,
      method: 'GET',
      path,
      tag,
      summary: `List the management keys of ${of}`,
      description: 'Oldest first.',
      action: `${prefix}.read`,
      ...kind.all,
      query: pageQuery({}),
      answer: { status: 200, schema: pageOf(ManagementKey) },
      paged: true,
    }),
    create: operation({
      id: `create${suffix}ManagementKey`,
      method: 'POST',
      path,
      tag,
      summary: `Let a program manage ${of}`,
      description: 'Makes a token, which is shown in this answer and never again. Nobody makes a key above their role.',
      action: `${prefix}.create`,
      ...kind.all,
      body: kind.creation,
      longBody: true,
      answer: { status: 201, schema: WithToken },
      secret: true,
      fresh: 'people',
      idempotent: true,
    }),
    show: operation({
      id: `show${suffix}ManagementKey`,
      method: 'GET',
      path: one,
      tag,
      summary: `Show a management key of ${of}`,
      action: `${prefix}.read`,
      params: kind.one,
      answer: { status: 200, schema: ManagementKeyDetails },
      tagged: ManagementKey,
    }),
    update: operation({
      id: `update${suffix}ManagementKey`,
      method: 'PATCH',
      path: one,
      tag,
      summary: `Change a management key of ${of}`,
      description: 'True from the next request on. Fields that are left out stay as they are.',
      action: `${prefix}.update`,
      params: kind.one,
      body: kind.update,
      longBody: true,
      answer: { status: 200, schema: ManagementKey },
      tagged: ManagementKey,
      ifMatch: true,
    }),
    rotate: operation({
      id: `rotate${suffix}ManagementKey`,
      method: 'POST',
      path: `${one}/rotate`,
      tag,
      summary: `Make a new token for a management key of ${of}`,
      description: 'It is shown in this answer and never again. The one before stays valid for the overlap.',
      action: `${prefix}.rotate`,
      params: kind.one,
      body: TokenRotation,
      answer: { status: 201, schema: Rotated },
      secret: true,
      fresh: 'people',
      idempotent: true,
    }),
    remove: operation({
      id: `delete${suffix}ManagementKey`,
      method: 'DELETE',
      path: one,
      tag,
      summary: `Delete a management key of ${of}`,
      description:
        'Its tokens are refused from the next request on. Tokens that it made for others stay good: the answer names whose they are.',
      action: `${prefix}.delete`,
      params: kind.one,
      answer: { status: 200, schema: DeletedManagementKey },
    }),
  } as const;
}

const newExpiry = Type.Optional(
  nullable(Time, {
    description: 'Null: it does not expire. Left out: it ends with the management key that makes it, where that ends.',
  }),
);

export const ofOrganization = keyOperations({
  suffix: '',
  path: '/organizations/{organization_id}/management-keys',
  of: 'an organization',
  prefix: 'management-key',
  all: { params: inOrganization },
  one: within('management_key_id'),
  creation: Type.Object(
    { name: Name, role: Role, allow: AllowList, expires_at: newExpiry },
    { $id: 'NewManagementKey', ...closed },
  ),
  update: Type.Object(
    { ...holderChange, role: Type.Optional(Role) },
    { $id: 'ManagementKeyUpdate', ...closed, minProperties: 1 },
  ),
});

export const ofInstance = keyOperations({
  suffix: 'Instance',
  path: '/instance/management-keys',
  of: 'the instance',
  prefix: 'instance.management-key',
  all: {},
  one: Type.Object({ management_key_id: Id }, closed),
  creation: Type.Object(
    { name: Name, allow: AllowList, expires_at: newExpiry },
    { $id: 'NewInstanceManagementKey', ...closed },
  ),
  update: Type.Object(holderChange, { $id: 'InstanceManagementKeyUpdate', ...closed, minProperties: 1 }),
});

export const managementKeyOperations = [...Object.values(ofOrganization), ...Object.values(ofInstance)] as const;
