import type { Organization } from '../accounts/organization.ts';
import { Problem } from '../runtime/problem.ts';
import { type Command, type Positional, Usage } from './command.ts';
import { counted, type LookUp, type Question, yesOption } from './confirmation.ts';
import { listDeployments } from './deployment-commands.ts';
import { listMessagingKeys } from './messaging-key-commands.ts';
import { mapped, present } from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';

const organizationId: Positional = { name: 'ID', help: 'The organization, as "organization list" shows it' };

function facts(organization: Organization): string {
  const { id, name, suspended, created_at } = organization;
  return textFacts({ id, name, suspended, created: created_at });
}

const create: Command<{ readonly name: string }, Organization> = {
  name: 'organization create',
  summary: 'Make an organization: a customer that owns certificates and deployments',
  options: { name: { type: 'string', required: true, value: 'NAME', help: 'Its name, of at most 200 characters' } },
  prepare: (args) => ({ name: args.required('name') }),
  run: (application, { name }, actor) => application.organizations.create(actor, name),
  remote: (server, { name }) => server.call('createOrganization', { body: { name } }),
  print: facts,
};

const longestSearch = 200;

/** As much as the management API takes. */
function searchText(option: string, text: string): string {
  if (text.length <= longestSearch) return text;
  throw new Usage(`--${option} must have at most ${longestSearch} characters.`);
}

const list: Command<{ readonly search?: string }, readonly Organization[]> = {
  name: 'organization list',
  summary: 'List all organizations, oldest first',
  options: {
    search: { type: 'string', value: 'TEXT', help: 'Only those with this in their name, in any case' },
  },
  prepare: (args) => present('search', mapped(args, 'search', searchText)),
  run: async ({ organizations }, { search }) =>
    search === undefined ? organizations.list() : (await organizations.search({}, search)).rows,
  remote: (server, { search }) => server.list('listOrganizations', { query: present('search', search) }),
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

function suspension(suspended: boolean, summary: string): Command<{ readonly id: string }, Organization> {
  return {
    name: suspended ? 'organization suspend' : 'organization resume',
    summary,
    positionals: [organizationId],
    ...(suspended && { options: { yes: yesOption }, question: suspensionQuestion }),
    prepare: (args) => ({ id: args.positional('ID') }),
    run: (application, { id }, actor) => application.organizations.setSuspended(actor, id, suspended),
    remote: (server, { id }) =>
      server.call(suspended ? 'suspendOrganization' : 'resumeOrganization', { params: { organization_id: id } }),
    print: facts,
  };
}

async function suspensionQuestion({ id }: { readonly id: string }, lookUp: LookUp): Promise<Question | undefined> {
  const organization = (await lookUp(list, {})).find((each) => each.id === id);
  if (organization === undefined || organization.suspended) return undefined;
  const most = 1000;
  const deployments = await orNone(lookUp(listDeployments, { organizationId: id, limit: most }));
  const keys = await orNone(lookUp(listMessagingKeys, { organizationId: id }));
  return {
    consequence:
      `${counted(deployments.length, 'deployment', most)} and ${counted(keys.length, 'messaging key')} of ${organization.name} ` +
      'will be refused from the next request on, until "organization resume".',
  };
}

/** A server elsewhere has no path to what WAXWING_MODULES leaves out there, and nobody whom it could refuse by it. */
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
  suspension(true, "Refuse an organization's tokens from the next request on; nothing of it is lost"),
  suspension(false, "Accept a suspended organization's tokens again"),
];
