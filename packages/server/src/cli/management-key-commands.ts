import type { ManagementKey } from '../accounts/management-key.ts';
import type { Manager } from '../accounts/members.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import { type Arguments, type Command, type Option, type Positional, Usage } from './command.ts';
import { moment, momentText, overlapBody, present, span } from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';

const keyId: Positional = { name: 'ID', help: 'The management key, as "management-key list" shows it' };
const roles = ['owner', 'admin', 'developer', 'viewer', 'operator'] as const;

const allow: Option = {
  type: 'string',
  multiple: true,
  value: 'CIDR[,CIDR]',
  help: 'Addresses and networks that may use it, such as 203.0.113.7,2001:db8::/32; "none" admits nobody',
};
const role: Option = {
  type: 'string',
  value: 'ROLE',
  help: 'What it may: owner, admin, developer or viewer of an organization, or operator of the instance',
};
const expires: Option = {
  type: 'string',
  value: 'DATE|never',
  help: 'The last day (in UTC) or the moment until which it is good: 2030-01-31, 2030-01-31T12:00:00Z',
};

const ownerElsewhere: Option = {
  type: 'string',
  value: 'ID',
  remote: true,
  help: 'With --server: the organization whose key it is; left out for one of the instance',
};

function allowOf(args: Arguments): readonly string[] {
  const entries = args.list('allow').flatMap((list) => list.split(','));
  return entries.length === 1 && entries[0] === 'none' ? [] : entries.map((entry) => entry.trim());
}

function roleOf(text: string): (typeof roles)[number] {
  const known = roles.find((each) => each === text);
  if (known === undefined) throw new Usage(`--role must be one of ${roles.join(', ')}.`, 'management-key');
  return known;
}

const expiryOf = (text: string): number | null => (text === 'never' ? null : moment('expires', text));

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
    allow: key.allow.join(', ') || 'nobody',
    expires: key.expires_at ?? 'never',
  });
}

interface CreateInput {
  readonly organizationId: string;
  readonly name: string;
  readonly role: (typeof roles)[number];
  readonly allow: readonly string[];
  readonly expiresAt: number | null;
}

const create: Command<CreateInput, WithToken> = {
  name: 'management-key create',
  summary: 'Let a program manage an organization or the instance: makes a token, which is shown once',
  options: {
    organization: { type: 'string', value: 'ID', help: 'The organization; left out for the whole instance' },
    name: { type: 'string', required: true, value: 'N', help: 'A name for the program' },
    role: { ...role, required: true },
    allow: { ...allow, required: true },
    expires,
  },
  prepare: (args) => ({
    organizationId: args.optional('organization') ?? '',
    name: args.required('name'),
    role: roleOf(args.required('role')),
    allow: allowOf(args),
    expiresAt: expiryOf(args.optional('expires') ?? 'never'),
  }),
  async run(application, request, actor) {
    const { key, token } = await application.people.managementKeys.create(manager(actor), request);
    return { ...key, token: token.reveal() };
  },
  remote(server, { organizationId, role, expiresAt, ...given }) {
    const body = { ...given, expires_at: expiresAt === null ? null : toRfc3339(expiresAt) };
    if (organizationId === '') {
      if (role !== 'operator') throw new Usage('A key of the instance has the role operator.', this.name);
      return server.call('createInstanceManagementKey', { body });
    }
    if (role === 'operator') throw new Usage('A key of an organization has another role.', this.name);
    return server.call('createManagementKey', { params: { organization_id: organizationId }, body: { ...body, role } });
  },
  print: ({ token, ...key }) => [facts(key), '', 'The token, shown this once:', `  ${token}`].join('\n'),
};

interface UpdateInput {
  readonly id: string;
  readonly name?: string | undefined;
  readonly role?: (typeof roles)[number] | undefined;
  readonly enabled?: boolean | undefined;
  readonly allow?: readonly string[] | undefined;
  readonly expiresAt?: number | null | undefined;
}

const update: Command<UpdateInput, ManagementKey> = {
  name: 'management-key update',
  summary: 'Change a management key; true from the next request on',
  positionals: [keyId],
  options: {
    enable: { type: 'boolean', help: 'Accept its token' },
    disable: { type: 'boolean', help: 'Refuse its token' },
    role,
    allow,
    expires,
    rename: { type: 'string', value: 'N', help: 'Its new name' },
    organization: ownerElsewhere,
  },
  prepare(args) {
    if (args.flag('enable') && args.flag('disable'))
      throw new Usage('Give --enable or --disable, not both.', this.name);
    const given: Omit<UpdateInput, 'id'> = {
      name: args.optional('rename'),
      role: mapped(args.optional('role'), roleOf),
      enabled: args.flag('enable') ? true : args.flag('disable') ? false : undefined,
      allow: args.list('allow').length === 0 ? undefined : allowOf(args),
      expiresAt: mapped(args.optional('expires'), expiryOf),
    };
    const changes = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    if (Object.keys(changes).length === 0) throw new Usage('Nothing to change was named.', this.name);
    return { id: args.positional('ID'), ...changes };
  },
  run: (application, { id, ...changes }, actor) =>
    application.people.managementKeys.update(manager(actor), id, changes),
  remote(server, { id, name, role, enabled, allow, expiresAt }, args) {
    const body = {
      ...present('name', name),
      ...present('enabled', enabled),
      ...present('allow', allow),
      ...present('expires_at', momentText(expiresAt)),
    };
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

function mapped<Value>(text: string | undefined, map: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : map(text);
}

type Rotated = WithToken & { readonly former_valid_until: string };

const rotate: Command<{ readonly id: string; readonly overlapMs: number }, Rotated> = {
  name: 'management-key rotate',
  summary: 'Make a new token, shown once; the one before stays valid for a while',
  positionals: [keyId],
  options: {
    overlap: { type: 'string', value: 'SPAN', help: 'How long the former token stays valid: 24h (default), 30m, 0 …' },
    organization: ownerElsewhere,
  },
  prepare: (args) => ({
    id: args.positional('ID'),
    overlapMs: span('overlap', args.optional('overlap') ?? '24h', '30d'),
  }),
  async run(application, { id, overlapMs }, actor) {
    const rotated = await application.people.managementKeys.rotate(manager(actor), id, overlapMs);
    return { ...rotated.key, token: rotated.token.reveal(), former_valid_until: rotated.formerValidUntil };
  },
  remote(server, { id, overlapMs }, args) {
    const organization_id = args.optional('organization');
    const body = overlapBody(overlapMs);
    return organization_id === undefined
      ? server.call('rotateInstanceManagementKey', { params: { management_key_id: id }, body })
      : server.call('rotateManagementKey', { params: { organization_id, management_key_id: id }, body });
  },
  print: ({ id, token, former_valid_until }) =>
    [
      textFacts({ id, 'former token valid until': former_valid_until }),
      '',
      'The new token, shown this once:',
      `  ${token}`,
    ].join('\n'),
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
        ALLOW: ({ allow }) =>
          allow.length > 3 ? `${allow.slice(0, 3)} +${allow.length - 3}` : allow.join(',') || 'nobody',
        EXPIRES: ({ expires_at }) => expires_at ?? 'never',
      },
      'There is no management key here. Make one: waxwing management-key create',
    ),
};

const remove: Command<{ readonly id: string }, { readonly id: string }> = {
  name: 'management-key delete',
  summary: 'Delete a management key and its tokens',
  positionals: [keyId],
  options: { organization: ownerElsewhere },
  prepare: (args) => ({ id: args.positional('ID') }),
  run: (application, { id }, actor) => application.people.managementKeys.delete(manager(actor), id),
  async remote(server, { id }, args) {
    const organization_id = args.optional('organization');
    if (organization_id === undefined) {
      await server.call('deleteInstanceManagementKey', { params: { management_key_id: id } });
    } else {
      await server.call('deleteManagementKey', { params: { organization_id, management_key_id: id } });
    }
    return { id };
  },
  print: ({ id }) => `Management key ${id} is deleted; its tokens are refused from now on.`,
};

export const managementKeyCommands: readonly Command[] = [create, update, rotate, list, remove];
