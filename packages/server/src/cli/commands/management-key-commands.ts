import { systemClock } from '../../runtime/clock.ts';
import { type Arguments, type Command, type Option, type Positional, Usage } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem, ApiServer, Part } from '../exchange/api-server.ts';
import { allowOf, expiry, mapped, momentText, oneOf, onlyOfOption, ownerOption, present } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { organizationIfGiven, pick } from './find-thing.ts';
import { admittanceQuestion, changeQuestion, deletionQuestion, rotationQuestion } from './holder-questions.ts';
import { verbsOf } from './holder-verbs.ts';
import {
  allowOption,
  expiresOption,
  holderChanges,
  holderOptions,
  overlapOption,
  readRotation,
  requireChanges,
} from './token-holder-options.ts';
import { allowCell, allowText, rotatedText, tokenLines, tokenTable } from './token-text.ts';

type ManagementKey = ApiItem<'listManagementKeys'>;

const keyId: Positional = { name: 'ID', help: 'The management key, as "management-key list" shows it' };
const roles = ['owner', 'admin', 'developer', 'viewer', 'operator'] as const;

const allow = allowOption('use it');
const role: Option = {
  type: 'string',
  value: 'ROLE',
  help: 'What it may: owner, admin, developer or viewer of an organization, or operator of the instance',
};

const roleOf = (option: string, text: string): (typeof roles)[number] => oneOf(option, text, roles);

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

const create: Command<ApiAnswer<'createManagementKey'>> = {
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
  async call(server, args, { confirm }) {
    const role = roleOf('role', args.required('role'));
    const body = {
      name: args.required('name'),
      allow: allowOf(args) ?? [],
      ...present('expires_at', momentText(mapped(args, 'expires', expiry))),
    };
    if (args.flag('organization') && role === 'operator') throw notOfOrganization(this);
    if (!args.flag('organization') && role !== 'operator') {
      throw new Usage('A key of the instance has the role operator.', this.name);
    }
    await confirm(() => admittanceQuestion(body.name, body.allow));
    const organization_id = await organizationIfGiven(server, args);
    return organization_id === undefined || role === 'operator'
      ? server.call('createInstanceManagementKey', { body })
      : server.call('createManagementKey', { params: { organization_id }, body: { ...body, role } });
  },
  print: ({ token, ...key }) => [facts(key), '', ...tokenLines('The token', token)].join('\n'),
};

function notOfOrganization({ name }: Pick<Command, 'name'>): Usage {
  return new Usage('A key of an organization has another role.', name);
}

const update: Command<ManagementKey> = {
  name: 'management-key update',
  summary: 'Change a management key; takes effect on the next request',
  positionals: [keyId],
  options: { ...holderOptions, role, allow, organization: ownerOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const changes = holderChanges(args);
    const role = mapped(args, 'role', roleOf);
    requireChanges({ ...changes, ...present('role', role) }, this);
    const key = await findKey(server, args);
    const { organization_id, id } = key;
    const params = { management_key_id: id };
    if (organization_id === null && role !== undefined) {
      throw new Usage('The role of a key of the instance is operator.', this.name);
    }
    if (role === 'operator') throw notOfOrganization(this);
    await confirm(() => changeQuestion(key, changes, systemClock.now()));
    return organization_id === null
      ? server.call('updateInstanceManagementKey', { params, body: changes, readBy: 'showInstanceManagementKey' })
      : server.call('updateManagementKey', {
          params: { organization_id, ...params },
          body: { ...changes, ...present('role', role) },
          readBy: 'showManagementKey',
        });
  },
  print: facts,
};

const rotate: Command<ApiAnswer<'rotateManagementKey'>> = {
  name: 'management-key rotate',
  summary: 'Make a new token, shown once; the former one stays valid for a while',
  positionals: [keyId],
  options: { overlap: overlapOption, organization: ownerOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const body = readRotation(args);
    const { organization_id, id, name } = await findKey(server, args);
    const params = { management_key_id: id };
    await confirm(() => rotationQuestion(name, body));
    return organization_id === null
      ? server.call('rotateInstanceManagementKey', { params, body })
      : server.call('rotateManagementKey', { params: { organization_id, ...params }, body });
  },
  print: (rotated) => rotatedText(rotated),
};

const list: Command<readonly ManagementKey[]> = {
  name: 'management-key list',
  summary: 'List management keys, oldest first',
  options: { organization: onlyOfOption },
  call: async (server, args) => listKeys(server, await organizationIfGiven(server, args)),
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

const show: Command<ApiAnswer<'showManagementKey'>> = {
  name: 'management-key show',
  summary: 'Show a management key and its tokens',
  positionals: [keyId],
  options: { organization: ownerOption },
  async call(server, args) {
    const { organization_id, id } = await findKey(server, args);
    return organization_id === null
      ? server.call('showInstanceManagementKey', { params: { management_key_id: id } })
      : server.call('showManagementKey', { params: { organization_id, management_key_id: id } });
  },
  print: ({ tokens, ...key }) => [facts(key), '', tokenTable(tokens)].join('\n'),
};

/** @param organization_id undefined: of all that one may see, and of the instance */
function listKeys(
  server: ApiServer,
  organization_id: string | undefined,
  part?: Part,
): Promise<readonly ManagementKey[]> {
  return server.list('listManagementKeys', { params: { organization_id } }, part);
}

/** Of the path to a key its owner is a part: the instance has one of its own. */
async function findKey(server: ApiServer, args: Arguments): Promise<ManagementKey> {
  const organization = await organizationIfGiven(server, args);
  return pick(args.positional('ID'), 'management key', ({ search: _all, ...part }) =>
    listKeys(server, organization, part),
  );
}

const remove: Command<ApiAnswer<'deleteManagementKey'> & { readonly id: string }> = {
  name: 'management-key delete',
  summary: 'Delete a management key and its tokens',
  positionals: [keyId],
  options: { organization: ownerOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const { organization_id, id, name } = await findKey(server, args);
    const params = { management_key_id: id };
    await confirm(() => deletionQuestion(name));
    const { left } = await (organization_id === null
      ? server.call('deleteInstanceManagementKey', { params })
      : server.call('deleteManagementKey', { params: { organization_id, ...params } }));
    return { id, left };
  },
  print: ({ id, left }) =>
    [`Management key ${id} is deleted; its tokens are refused from now on.`, ...leftLines(left)].join('\n'),
};

/** The things that a thief of the key may go on using. */
function leftLines({ total, items }: ApiAnswer<'deleteManagementKey'>['left']): readonly string[] {
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

export const managementKeyCommands: readonly Command[] = [
  create,
  update,
  ...verbsOf(update),
  rotate,
  list,
  show,
  remove,
];
