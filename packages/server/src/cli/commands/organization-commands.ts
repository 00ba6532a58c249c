import { Problem } from '../../runtime/problem.ts';
import { type Command, type Positional, type Question, Usage } from '../command.ts';
import { counted, yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiServer } from '../exchange/api-server.ts';
import { mapped, present } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { findOrganization } from './find-thing.ts';

type Organization = ApiAnswer<'showOrganization'>;

const organizationId: Positional = { name: 'ID', help: 'The organization, as "organization list" shows it' };

function facts({ id, name, suspended, created_at }: Organization): string {
  return textFacts({ id, name, suspended, created: created_at });
}

const create: Command<Organization> = {
  name: 'organization create',
  summary: 'Make an organization: a customer that owns certificates and deployments',
  options: { name: { type: 'string', required: true, value: 'NAME', help: 'Its name, of at most 200 characters' } },
  call: (server, args) => server.call('createOrganization', { body: { name: args.required('name') } }),
  print: facts,
};

const longestSearch = 200;

/** As much as the management API takes. */
function searchText(option: string, text: string): string {
  if (text.length <= longestSearch) return text;
  throw new Usage(`--${option} must have at most ${longestSearch} characters.`);
}

const list: Command<readonly Organization[]> = {
  name: 'organization list',
  summary: 'List all organizations, oldest first',
  options: {
    search: { type: 'string', value: 'TEXT', help: 'Only organizations with this in their name, in any case' },
  },
  async call(server, args) {
    return server.list('listOrganizations', { query: present('search', mapped(args, 'search', searchText)) });
  },
  print: (organizations, args) =>
    textTable(
      organizations,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        SUSPENDED: ({ suspended }) => suspended,
        CREATED: ({ created_at }) => created_at,
      },
      args.optional('search') === undefined
        ? 'There is no organization yet. Make one: waxwing organization create --name NAME'
        : 'No organization has this in its name.',
    ),
};

const show: Command<Organization> = {
  name: 'organization show',
  summary: 'Show an organization',
  positionals: [organizationId],
  async call(server, args) {
    const organization_id = await findOrganization(server, args.positional('ID'));
    return server.call('showOrganization', { params: { organization_id } });
  },
  print: facts,
};

const rename: Command<Organization> = {
  name: 'organization rename',
  summary: 'Give an organization another name',
  positionals: [organizationId, { name: 'NAME', help: 'Its new name' }],
  async call(server, args) {
    const organization_id = await findOrganization(server, args.positional('ID'));
    return server.call('updateOrganization', { params: { organization_id }, body: { name: args.positional('NAME') } });
  },
  print: facts,
};

const remove: Command<{ readonly id: string }> = {
  name: 'organization delete',
  summary: 'Delete an organization that is empty',
  positionals: [organizationId],
  options: { yes: yesOption },
  notes:
    'It is empty without certificates, keys, inbound numbers, messages, replies and records of pushes. Messages and records\n' +
    'go when their retention ends. Members keep their accounts.',
  async call(server, args, { confirm }) {
    const params = { organization_id: await findOrganization(server, args.positional('ID')) };
    await confirm(async () => {
      const { name } = await server.call('showOrganization', { params });
      return {
        consequence: `Its settings, lists, invitations and the places of its members go with ${name}, for good.`,
        name,
      };
    });
    await server.call('deleteOrganization', { params });
    return { id: params.organization_id };
  },
  print: ({ id }) => `Organization ${id} is deleted.`,
};

function suspension(suspended: boolean, summary: string): Command<Organization> {
  return {
    name: suspended ? 'organization disable' : 'organization enable',
    formerly: suspended ? 'organization suspend' : 'organization resume',
    summary,
    positionals: [organizationId],
    ...(suspended && { options: { yes: yesOption } }),
    async call(server, args, { confirm }) {
      const params = { organization_id: await findOrganization(server, args.positional('ID')) };
      if (!suspended) return server.call('resumeOrganization', { params });
      await confirm(() => suspensionQuestion(server, params));
      return server.call('suspendOrganization', { params });
    },
    print: facts,
  };
}

async function suspensionQuestion(
  server: ApiServer,
  params: { readonly organization_id: string },
): Promise<Question | undefined> {
  const { name, suspended } = await server.call('showOrganization', { params });
  if (suspended) return undefined;
  const most = 1000;
  const deployments = await orNone(server.list('listDeployments', { params }, { limit: most }));
  const keys = await orNone(server.list('listMessagingKeys', { params }));
  return {
    consequence:
      `${counted(deployments.length, 'deployment', most)} and ${counted(keys.length, 'messaging key')} of ${name} ` +
      'will be refused from the next request on, until "organization enable".',
  };
}

/** A remote server has no path for a module that its WAXWING_MODULES leaves out, and then no such key either. */
async function orNone<Row>(looking: Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof Problem && error.code === 'route_not_found') return [];
    throw error;
  }
}

export const organizationCommands: readonly Command[] = [
  create,
  list,
  show,
  rename,
  remove,
  suspension(true, "Refuse an organization's tokens from the next request on; its data stays"),
  suspension(false, "Accept a disabled organization's tokens again"),
];
