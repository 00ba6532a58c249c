import type { DeletedKey } from '../accounts/manage-management-keys.ts';
import type { ManagementKey } from '../accounts/management-key.ts';
import type { Manager } from '../accounts/members.ts';
import { systemClock } from '../runtime/clock.ts';
import { type Arguments, type Command, type Option, type Positional, Usage } from './command.ts';
import { type LookUp, yesOption } from './confirmation.ts';
import { admittanceQuestion, changeQuestion, deletionQuestion, rotationQuestion } from './holder-questions.ts';
import { allowOf, expiry, mapped, momentText, oneOf, present } from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';
import {
  allowOption,
  expiresOption,
  type HolderChanges,
  holderBody,
  holderChanges,
  holderOptions,
  overlapBody,
  overlapOption,
  type Rotation,
  readRotation,
  requireChanges,
} from './token-holder-options.ts';
import { allowCell, allowText, rotatedText, tokenLines } from './token-text.ts';

const keyId: Positional = { name: 'ID', help: 'The management key, as "management-key list" shows it' };
const roles = ['owner', 'admin', 'developer', 'viewer', 'operator'] as const;

const allow = allowOption('use it');
const role: Option = {
  type: 'string',
  value: 'ROLE',
  help: 'What it may: owner, admin, developer or viewer of an organization, or operator of the instance',
};

const ownerElsewhere: Option = {
  type: 'string',
  value: 'ID',
  remote: true,
  help: 'With --server: the organization whose key it is; left out for one of the instance',
};

const roleOf = (option: string, text: string): (typeof roles)[number] => oneOf(option, text, roles);

/** Whoever has the machine runs the instance. */
const manager = (actor: string): Manager => ({ by: actor, rank: 'operator' });

/** The token is in the clear: shown once, here. */
type WithToken = ManagementKey & { readonly token: string };

function facts(key: ManagementKey): string {
  return textFacts({
    id: key.id,
    organization: key.organization_id ?? 'the instance',
    name: key.name,
    role: key.role,
    enabled: key.enabled,
    allow: allowText(key.allow),
    expires: key.expires_at ?? 'never',
  });
}

interface CreateInput {
  readonly organizationId: string;
  readonly name: string;
  readonly role: (typeof roles)[number];
  readonly allow: readonly string[];
  readonly expiresAt?: number | null;
}

const create: Command<CreateInput, WithToken> = {
  name: 'management-key create',
  summary: 'Let a program manage an organization or the instance: makes a token, which is shown once',
  options: {
    organization: { type: 'string', value: 'ID', help: 'The organization; left out for the whole instance' },
    name: { type: 'string', required: true, value: 'N', help: 'A name for the program' },
    role: { ...role, required: true },
    allow: { ...allow, required: true },
    expires: expiresOption,
    yes: yesOption,
  },
  prepare: (args) => ({
    organizationId: args.optional('organization') ?? '',
    name: args.required('name'),
    role: roleOf('role', args.required('role')),
    allow: allowOf(args) ?? [],
    ...present('expiresAt', mapped(args, 'expires', expiry)),
  }),
  question: async ({ name, allow }) => admittanceQuestion(name, allow),
  async run(application, request, actor) {
    const { key, token } = await application.people.managementKeys.create(manager(actor), request);
    return { ...key, token: token.reveal() };
  },
  remote(server, { organizationId, role, expiresAt, ...given }) {
    const body = { ...given, ...present('expires_at', momentText(expiresAt)) };
    if (organizationId === '') {
      if (role !== 'operator') throw new Usage('A key of the instance has the role operator.', this.name);
      return server.call('createInstanceManagementKey', { body });
    }
    if (role === 'operator') throw new Usage('A key of an organization has another role.', this.name);
    return server.call('createManagementKey', { params: { organization_id: organizationId }, body: { ...body, role } });
  },
  print: ({ token, ...key }) => [facts(key), '', ...tokenLines('The token', token)].join('\n'),
};

interface UpdateInput extends HolderChanges {
  readonly role?: (typeof roles)[number];
}

const update: Command<UpdateInput & { readonly id: string }, ManagementKey> = {
  name: 'management-key update',
  summary: 'Change a management key; true from the next request on',
  positionals: [keyId],
  options: {
    ...holderOptions,
    role,
    allow,
    organization: ownerElsewhere,
    yes: yesOption,
  },
  prepare(args) {
    const changes: UpdateInput = { ...holderChanges(args), ...present('role', mapped(args, 'role', roleOf)) };
    return { id: args.positional('ID'), ...requireChanges(changes, this) };
  },
  async question({ id, ...changes }, lookUp, args) {
    const key = await namedKey(id, lookUp, args);
    return key && changeQuestion(key, changes, systemClock.now());
  },
  run: (application, { id, ...changes }, actor) =>
    application.people.managementKeys.update(manager(actor), id, changes),
  remote(server, { id, role, ...changes }, args) {
    const body = holderBody(changes);
    const organization_id = args.optional('organization');
    const params = { organization_id, management_key_id: id };
    if (organization_id === undefined) {
      if (role !== undefined) throw new Usage('The role of a key of the instance is operator.', this.name);
      return server.call('updateInstanceManagementKey', {
        params: { management_key_id: id },
        body,
        readBy: 'showInstanceManagementKey',
      });
    }
    if (role === 'operator') throw new Usage('A key of an organization has another role.', this.name);
    return server.call('updateManagementKey', {
      params,
      body: { ...body, ...present('role', role) },
      readBy: 'showManagementKey',
    });
  },
  print: facts,
};

type Rotated = WithToken & { readonly former_valid_until: string };

const rotate: Command<Rotation, Rotated> = {
  name: 'management-key rotate',
  summary: 'Make a new token, shown once; the one before stays valid for a while',
  positionals: [keyId],
  options: {
    overlap: overlapOption,
    organization: ownerElsewhere,
    yes: yesOption,
  },
  prepare: readRotation,
  async question(rotation, lookUp, args) {
    const key = await namedKey(rotation.id, lookUp, args);
    return key && rotationQuestion(key.name, rotation);
  },
  async run(application, { id, overlapMs }, actor) {
    const rotated = await application.people.managementKeys.rotate(manager(actor), id, overlapMs);
    return { ...rotated.key, token: rotated.token.reveal(), former_valid_until: rotated.formerValidUntil };
  },
  remote(server, rotation, args) {
    const organization_id = args.optional('organization');
    const { id } = rotation;
    const body = overlapBody(rotation);
    return organization_id === undefined
      ? server.call('rotateInstanceManagementKey', { params: { management_key_id: id }, body })
      : server.call('rotateManagementKey', { params: { organization_id, management_key_id: id }, body });
  },
  print: (rotated) => rotatedText(rotated),
};

const list: Command<{ readonly organizationId?: string }, readonly ManagementKey[]> = {
  name: 'management-key list',
  summary: 'List management keys, oldest first',
  options: { organization: { type: 'string', value: 'ID', help: 'Only those of this organization' } },
  prepare(args) {
    const organizationId = args.optional('organization');
    return organizationId === undefined ? {} : { organizationId };
  },
  run: (application, { organizationId }) => application.people.managementKeys.list(organizationId),
  remote: (server, { organizationId }) =>
    organizationId === undefined
      ? server.list('listInstanceManagementKeys', {})
      : server.list('listManagementKeys', { params: { organization_id: organizationId } }),
  print: (keys) =>
    textTable(
      keys,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        ORGANIZATION: ({ organization_id }) => organization_id ?? '(instance)',
        ROLE: ({ role }) => role,
        ENABLED: ({ enabled }) => enabled,
        ALLOW: ({ allow }) => allowCell(allow),
        EXPIRES: ({ expires_at }) => expires_at ?? 'never',
      },
      'There is no management key here. Make one: waxwing management-key create',
    ),
};

/** @returns undefined when there is none: the command itself says so */
async function namedKey(id: string, lookUp: LookUp, args: Arguments): Promise<ManagementKey | undefined> {
  const keys = await lookUp(list, present('organizationId', args.optional('organization')));
  return keys.find((key) => key.id === id);
}

const remove: Command<{ readonly id: string }, DeletedKey> = {
  name: 'management-key delete',
  summary: 'Delete a management key and its tokens',
  positionals: [keyId],
  options: { organization: ownerElsewhere, yes: yesOption },
  prepare: (args) => ({ id: args.positional('ID') }),
  async question({ id }, lookUp, args) {
    const key = await namedKey(id, lookUp, args);
    return key && deletionQuestion(key.name);
  },
  run: (application, { id }, actor) => application.people.managementKeys.delete(manager(actor), id),
  async remote(server, { id }, args) {
    const organization_id = args.optional('organization');
    const { left } = await (organization_id === undefined
      ? server.call('deleteInstanceManagementKey', { params: { management_key_id: id } })
      : server.call('deleteManagementKey', { params: { organization_id, management_key_id: id } }));
    return { id, left };
  },
  print: ({ id, left }) =>
    [`Management key ${id} is deleted; its tokens are refused from now on.`, ...leftLines(left)].join('\n'),
};

/** What somebody who had got hold of the key may go on using. */
function leftLines({ total, items }: DeletedKey['left']): readonly string[] {
  if (total === 0) return [];
  const rest = total > items.length ? [`… and ${total - items.length} more; "audit list" has them all.`] : [];
  return [
    '',
    `It has made tokens for ${total} other${total === 1 ? '' : 's'}, which stay good. Where it was lost, rotate or delete them as well:`,
    '',
    textTable(
      items,
      {
        WHAT: ({ kind }) => kind.replace('_', ' '),
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        ORGANIZATION: ({ organization_id }) => organization_id || '(instance)',
      },
      '',
    ),
    ...rest,
  ];
}

export const managementKeyCommands: readonly Command[] = [create, update, rotate, list, remove];
