import Type from 'typebox';
import { CarrierProtocol, carrierChoice } from '../carrier-settings.ts';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, listOf, nullable, Time } from '../shared-schemas.ts';

const operation = operationsOf('carriers');

const count = Type.Integer({ minimum: 0 });

const CarrierConnection = Type.Object(
  {
    state: Type.Enum(['connecting', 'bound', 'refused']),
    since: Time,
    window_used: Type.Integer({ minimum: 0, description: 'Submits that wait for an answer.' }),
    last_error: nullable(Type.String(), { description: "The latest error, with the carrier's own code and words." }),
  },
  { $id: 'CarrierConnection', ...closed },
);

/** What a carrier does at the moment. */
export const carrierFacts = {
  state: Type.Enum(['disabled', 'connecting', 'bound', 'degraded', 'refused'], {
    description:
      '`degraded`: some connections are bound. `refused`: the carrier refuses the bind, such as for a wrong password.',
  }),
  connections: Type.Array(CarrierConnection),
  submitted: Type.Integer({ minimum: 0, description: 'Segments, like the next ones, since the link was started.' }),
  accepted: count,
  refused: count,
  throttled: Type.Integer({ minimum: 0, description: 'How often the carrier asked for fewer submits.' }),
  answered: count,
  answer_ms: Type.Integer({ minimum: 0, description: 'How long the answers of all answered submits took together.' }),
  receipts: count,
  unmatched_receipts: Type.Integer({ minimum: 0, description: 'Receipts for what nobody is known to have sent.' }),
  last_keep_alive_at: nullable(Time),
  held_by: nullable(Type.String(), { description: 'The server that runs it. Null: none at the moment.' }),
  held_until: nullable(Time, { description: 'When its server must have renewed this.' }),
  waiting_parts: Type.Integer({ minimum: 0, description: 'Segments that wait for it, counted to 10,000 at most.' }),
  oldest_due_at: nullable(Time, { description: 'When the oldest waiting segment was or will be due.' }),
};

export const ListedCarrier = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    simulated: Type.Boolean({ description: 'It sends nothing to real phones, and marks its messages as simulated.' }),
    protocol: nullable(CarrierProtocol, { description: 'Null, like the next ones: the simulator.' }),
    address: nullable(Type.String()),
    account: nullable(Type.String()),
    enabled: Type.Boolean({
      description: 'Whether it takes messages. The simulator does until a carrier is created for the first time.',
    }),
    priority: nullable(carrierChoice.priority),
    weight: nullable(carrierChoice.weight),
    ...carrierFacts,
  },
  { $id: 'ListedCarrier', ...closed },
);
export type ListedCarrier = Type.Static<typeof ListedCarrier>;

export const listCarriers = operation({
  id: 'listCarriers',
  method: 'GET',
  path: '/instance/carriers',
  summary: 'List the carriers',
  description: 'Oldest first; the simulator last.',
  action: 'instance.carrier.read',
  ...listOf(ListedCarrier),
});

export const replyBySimulator = operation({
  id: 'replyBySimulator',
  method: 'POST',
  path: '/instance/carriers/simulator/replies',
  summary: 'Simulate a reply from a phone',
  description:
    'Stays inside the simulator. A route, or else the latest message to that phone, decides which organization receives it.',
  action: 'instance.simulator.reply',
  body: Type.Object(
    {
      from: Type.String({ pattern: '^\\+[1-9][0-9]{3,14}$', description: 'The phone, international with +.' }),
      to: Type.String({ minLength: 1, maxLength: 20, description: 'The number or sender that the reply goes to.' }),
      text: Type.String({ minLength: 1, maxLength: 2000, description: 'STOP ends all messages to the phone.' }),
    },
    { $id: 'SimulatedReply', ...closed },
  ),
  answer: { status: 204 },
});

export const Route = Type.Object(
  {
    id: Id,
    organization_id: Id,
    carrier: Type.String({ description: 'Its name.' }),
    kind: Type.Enum(['number', 'prefix']),
    address: Type.String({ description: 'Without +.' }),
    created_at: Time,
  },
  {
    $id: 'Route',
    ...closed,
    description: 'Which organization owns an inbound number, or all that begin with a prefix.',
  },
);
export type Route = Type.Static<typeof Route>;

export const listOrganizationRoutes = operation({
  id: 'listOrganizationRoutes',
  method: 'GET',
  path: '/organizations/{organization_id}/routes',
  summary: "List an organization's inbound numbers",
  description: 'Oldest first.',
  action: 'route.read',
  ...listOf(Route),
});

export const listRoutes = operation({
  id: 'listRoutes',
  method: 'GET',
  path: '/instance/routes',
  summary: 'List which organization owns which inbound numbers',
  description: 'Oldest first.',
  action: 'instance.route.read',
  ...listOf(Route),
});

export const addRoute = operation({
  id: 'addRoute',
  method: 'POST',
  path: '/instance/routes',
  summary: 'Give inbound numbers to an organization',
  action: 'instance.route.add',
  body: Type.Object(
    {
      organization_id: Id,
      carrier: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'The id or the name of the carrier of the replies.',
      }),
      kind: Type.Enum(['number', 'prefix'], { description: 'The longest matching prefix counts.' }),
      address: Type.String({ minLength: 1, maxLength: 32, description: 'A number or name, or its beginning.' }),
    },
    { $id: 'NewRoute', ...closed },
  ),
  answer: { status: 201, schema: Route },
  problems: ['conflict', 'not_found'],
  idempotent: true,
});

export const showRoute = operation({
  id: 'showRoute',
  method: 'GET',
  path: '/instance/routes/{route_id}',
  summary: 'Show which organization owns an inbound number',
  action: 'instance.route.read',
  answer: { status: 200, schema: Route },
});

export const removeRoute = operation({
  id: 'removeRoute',
  method: 'DELETE',
  path: '/instance/routes/{route_id}',
  summary: 'Take inbound numbers from an organization',
  action: 'instance.route.remove',
  answer: { status: 204 },
});

export const carrierOperations = [
  listCarriers,
  replyBySimulator,
  listOrganizationRoutes,
  listRoutes,
  addRoute,
  showRoute,
  removeRoute,
] as const;
