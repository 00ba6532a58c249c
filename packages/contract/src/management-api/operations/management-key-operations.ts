import Type, { type TObject } from 'typebox';
import type { Operation } from '../operation.ts';
import { operationsOf } from '../operation-declaration.ts';
import { AllowList, closed, extended, Id, listOf, Name, nullable, Time } from '../shared-schemas.ts';
import { formerToken, HeldTokens, holderChange, shownOnce, TokenRotation } from '../token-schemas.ts';
import { Role } from './account-operations.ts';

const operation = operationsOf('management-keys');

export const ManagementKey = Type.Object(
  {
    id: Id,
    organization_id: nullable(Id, { description: 'Null: of the whole instance.' }),
    name: Name,
    role: Type.Enum(['viewer', 'developer', 'admin', 'owner', 'operator']),
    enabled: Type.Boolean({ description: 'False: its token is refused.' }),
    allow: AllowList,
    expires_at: nullable(Time),
    created_by: Type.String({ description: 'The creator, as the audit trail names it.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'ManagementKey', ...closed, description: "A program's right to use this API." },
);
export type ManagementKey = Type.Static<typeof ManagementKey>;

export const ManagementKeyDetails = extended(ManagementKey, { tokens: HeldTokens }, { $id: 'ManagementKeyDetails' });

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
      { ...closed, description: 'Holders of valid tokens that the key has made, and so has seen.' },
    ),
  },
  { $id: 'DeletedManagementKey', ...closed },
);

/** Six operations, the same for keys of an organization and for keys of the instance. */
function keyOperations<
  const Suffix extends string,
  const Path extends string,
  const New extends TObject,
  const Update extends TObject,
>(kind: {
  readonly suffix: Suffix;
  readonly path: Path;
  readonly of: string;
  readonly prefix: string;
  readonly listed: Pick<Operation, 'everywhere'>;
  readonly creation: New;
  readonly update: Update;
}) {
  const { suffix, path, of, prefix } = kind;
  const one = `${path}/{management_key_id}` as const;
  return {
    list: operation({
      id: `list${suffix}ManagementKeys`,
      method: 'GET',
      path,
      summary: `List the management keys of ${of}`,
      description: 'Oldest first.',
      action: `${prefix}.read`,
      ...listOf(ManagementKey),
      ...kind.listed,
    }),
    create: operation({
      id: `create${suffix}ManagementKey`,
      method: 'POST',
      path,
      summary: `Let a program manage ${of}`,
      description: "Makes a token, shown only in this answer. The key's role cannot be above your own.",
      action: `${prefix}.create`,
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
      summary: `Show a management key of ${of}`,
      action: `${prefix}.read`,
      answer: { status: 200, schema: ManagementKeyDetails },
      tagged: ManagementKey,
    }),
    update: operation({
      id: `update${suffix}ManagementKey`,
      method: 'PATCH',
      path: one,
      summary: `Change a management key of ${of}`,
      description: 'Takes effect on the next request. Absent fields stay as they are.',
      action: `${prefix}.update`,
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
      summary: `Make a new token for a management key of ${of}`,
      description: 'It is shown only in this answer. The former one stays valid for the overlap.',
      action: `${prefix}.rotate`,
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
      summary: `Delete a management key of ${of}`,
      description:
        'Its tokens are refused from the next request on. Tokens that it made for others stay valid; the answer names their holders.',
      action: `${prefix}.delete`,
      answer: { status: 200, schema: DeletedManagementKey },
    }),
  } as const;
}

const newExpiry = Type.Optional(
  nullable(Time, {
    description: 'Null: never. Absent: with the management key that makes it, if that expires.',
  }),
);

export const ofOrganization = keyOperations({
  suffix: '',
  path: '/organizations/{organization_id}/management-keys',
  of: 'an organization',
  prefix: 'management-key',
  listed: { everywhere: true },
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
  listed: {},
  creation: Type.Object(
    { name: Name, allow: AllowList, expires_at: newExpiry },
    { $id: 'NewInstanceManagementKey', ...closed },
  ),
  update: Type.Object(holderChange, { $id: 'InstanceManagementKeyUpdate', ...closed, minProperties: 1 }),
});

export const managementKeyOperations = [...Object.values(ofOrganization), ...Object.values(ofInstance)] as const;
