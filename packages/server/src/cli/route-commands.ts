import type { NewRoute, Route } from '../intake/manage-routes.ts';
import { type Command, type Positional, Usage } from './command.ts';
import { organizationOption, present } from './option-values.ts';
import { textFacts, textTable } from './text-table.ts';

const routeId: Positional = { name: 'ID', help: 'The route, as "route list" shows it' };

const add: Command<NewRoute, Route> = {
  name: 'route add',
  summary: 'Give replies to a number, or to all that begin with a prefix, to an organization',
  options: {
    organization: organizationOption,
    carrier: { type: 'string', required: true, value: 'NAME', help: 'The carrier that hands them in: simulator' },
    number: { type: 'string', value: 'N', help: 'The number or name that was replied to' },
    prefix: { type: 'string', value: 'P', help: 'How it begins; the longest that fits counts' },
  },
  prepare(args) {
    const [number, prefix] = [args.optional('number'), args.optional('prefix')];
    const address = number ?? prefix;
    if (address === undefined || (number !== undefined && prefix !== undefined)) {
      throw new Usage('Give --number N or --prefix P, one of them.', this.name);
    }
    return {
      organizationId: args.required('organization'),
      carrier: args.required('carrier'),
      kind: number === undefined ? 'prefix' : 'number',
      address,
    };
  },
  run: (application, route, actor) => application.messaging.routes.add(actor, route),
  remote: (server, { organizationId, ...route }) =>
    server.call('addRoute', { body: { organization_id: organizationId, ...route } }),
  print: ({ id, organization_id, carrier, kind, address, created_at }) =>
    textFacts({ id, organization: organization_id, carrier, [kind]: address, created: created_at }),
};

const list: Command<{ readonly organizationId?: string }, readonly Route[]> = {
  name: 'route list',
  summary: 'List which organization owns which inbound numbers',
  options: { organization: { ...organizationOption, required: false, help: 'Only those of this organization' } },
  prepare: (args) => present('organizationId', args.optional('organization')),
  run: (application, { organizationId }) => application.messaging.routes.list(organizationId),
  remote: (server, { organizationId }) =>
    organizationId === undefined
      ? server.list('listRoutes', {})
      : server.list('listOrganizationRoutes', { params: { organization_id: organizationId } }),
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

const remove: Command<{ readonly id: string }, { readonly id: string }> = {
  name: 'route remove',
  summary: 'Take an inbound number from an organization',
  positionals: [routeId],
  prepare: (args) => ({ id: args.positional('ID') }),
  run: (application, { id }, actor) => application.messaging.routes.remove(actor, id),
  async remote(server, { id }) {
    await server.call('removeRoute', { params: { route_id: id } });
    return { id };
  },
  print: ({ id }) => `Route ${id} is removed.`,
};

export const routeCommands: readonly Command[] = [add, list, remove];
