import { type Arguments, type Command, type Positional, Usage } from '../command.ts';
import type { ApiItem, ApiServer } from '../exchange/api-server.ts';
import { onlyOfOption, organizationOption } from '../option-values.ts';
import { textFacts, textTable } from '../text-table.ts';
import { pickCarrier } from './carrier-commands.ts';
import { organizationIfGiven, organizationOf, pick } from './find-thing.ts';

type Route = ApiItem<'listRoutes'>;

const routeId: Positional = { name: 'ID', help: 'The route, as "route list" shows it' };

function facts({ id, organization_id, carrier, kind, address, created_at }: Route): string {
  return textFacts({ id, organization: organization_id, carrier, [kind]: address, created: created_at });
}

async function findRoute(server: ApiServer, args: Arguments): Promise<{ readonly route_id: string }> {
  const read = ({ search: _none, ...part }: Parameters<Parameters<typeof pick>[2]>[0]) =>
    server.list('listRoutes', {}, part);
  return { route_id: (await pick(args.positional('ID'), 'route', read)).id };
}

const add: Command<Route> = {
  name: 'route add',
  summary: 'Give replies to a number, or to all that begin with a prefix, to an organization',
  options: {
    organization: organizationOption,
    carrier: {
      type: 'string',
      required: true,
      value: 'ID',
      help: 'The carrier that hands them in, as "carrier list" shows it',
    },
    number: { type: 'string', value: 'N', help: 'The number or name that was replied to' },
    prefix: { type: 'string', value: 'P', help: 'How it begins; the longest that fits counts' },
  },
  async call(server, args) {
    const [number, prefix] = [args.optional('number'), args.optional('prefix')];
    const address = number ?? prefix;
    if (address === undefined || (number !== undefined && prefix !== undefined)) {
      throw new Usage('Give --number N or --prefix P, one of them.', this.name);
    }
    const kind = number === undefined ? 'prefix' : 'number';
    const organization_id = await organizationOf(server, args);
    const { id: carrier } = await pickCarrier(server, args.required('carrier'));
    return server.call('addRoute', { body: { organization_id, carrier, kind, address } });
  },
  print: facts,
};

const list: Command<readonly Route[]> = {
  name: 'route list',
  summary: 'List inbound numbers and the organizations that own them',
  options: { organization: onlyOfOption },
  async call(server, args) {
    const organization_id = await organizationIfGiven(server, args);
    return organization_id === undefined
      ? server.list('listRoutes')
      : server.list('listOrganizationRoutes', { params: { organization_id } });
  },
  print: (routes) =>
    textTable(
      routes,
      {
        ID: ({ id }) => id,
        ORGANIZATION: ({ organization_id }) => organization_id,
        CARRIER: ({ carrier }) => carrier,
        KIND: ({ kind }) => kind,
        ADDRESS: ({ address }) => address,
        CREATED: ({ created_at }) => created_at,
      },
      'There is no route here: replies go to whoever wrote last to their phone. Make one: waxwing route add',
    ),
};

const show: Command<Route> = {
  name: 'route show',
  summary: 'Show which organization owns an inbound number',
  positionals: [routeId],
  call: async (server, args) => server.call('showRoute', { params: await findRoute(server, args) }),
  print: facts,
};

const remove: Command<{ readonly id: string }> = {
  name: 'route remove',
  summary: 'Take an inbound number from an organization',
  positionals: [routeId],
  async call(server, args) {
    const params = await findRoute(server, args);
    await server.call('removeRoute', { params });
    return { id: params.route_id };
  },
  print: ({ id }) => `Route ${id} is removed.`,
};

export const routeCommands: readonly Command[] = [add, list, show, remove];
