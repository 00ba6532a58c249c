import { type Arguments, type Command, type Option, Usage } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem, ApiServer, Part } from '../exchange/api-server.ts';
import { allowOf, expiry, mapped, momentText, oneOf, onlyOfOption, ownerOption, present } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { organizationIfGiven, pick } from './find-thing.ts';
import { type FoundHolder, type HolderKind, holderCommands, type Left } from './holder-commands.ts';
import { admittanceQuestion } from './holder-questions.ts';
import { allowOption, expiresOption, holderChanges, holderOptions } from './token-holder-options.ts';
import { allowCell, allowText, tokenLines } from './token-text.ts';

type ManagementKey = ApiItem<'listManagementKeys'>;

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

/** @param organization_id undefined: of all that one may see, and of the instance */
function listKeys(
  server: ApiServer,
  organization_id: string | undefined,
  part?: Part,
): Promise<readonly ManagementKey[]> {
  return server.list('listManagementKeys', { params: { organization_id } }, part);
}

/** Of the path to a key its owner is a part: the instance has one of its own. */
async function findKey(
  server: ApiServer,
  args: Arguments,
): Promise<FoundHolder<'ManagementKey' | 'InstanceManagementKey'>> {
  const organization = await organizationIfGiven(server, args);
  const { id, organization_id } = await pick(args.positional('ID'), 'management key', ({ search: _all, ...part }) =>
    listKeys(server, organization, part),
  );
  return organization_id === null
    ? { of: 'InstanceManagementKey', id, params: { management_key_id: id } }
    : { of: 'ManagementKey', id, params: { organization_id, management_key_id: id } };
}

/** The things that a thief of the key may go on using. */
function leftLines({ total, items }: Left): readonly string[] {
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

const kind: HolderKind<'ManagementKey' | 'InstanceManagementKey'> = {
  noun: 'management-key',
  find: findKey,
  facts,
  update: {
    options: { ...holderOptions, role, allow, organization: ownerOption, yes: yesOption },
    changes: (args) => ({ ...holderChanges(args), ...present('role', mapped(args, 'role', roleOf)) }),
    check(args, { of }) {
      const role = mapped(args, 'role', roleOf);
      if (of === 'InstanceManagementKey' && role !== undefined) {
        throw new Usage('The role of a key of the instance is operator.', 'management-key update');
      }
      if (role === 'operator') throw notOfOrganization({ name: 'management-key update' });
    },
  },
  show: { summary: 'Show a management key and its tokens' },
  remove: { summary: 'Delete a management key and its tokens', left: leftLines },
};

export const managementKeyCommands = holderCommands(kind, create, list);
