import Type from 'typebox';
import { operation } from './operation.ts';
import { closed, Id, inOrganization, nullable, pageOf, pageQuery, Time } from './shared-schemas.ts';

const tag = 'carriers';

export const Carrier = Type.Object(
  {
    id: Type.String(),
    simulated: Type.Boolean({ description: 'Nothing leaves the house, and messages say so.' }),
    held_by: nullable(Type.String(), { description: 'The node that runs it. Null: nobody does at the moment.' }),
    held_until: nullable(Time, { description: 'When its node must have renewed this.' }),
    waiting_parts: Type.Integer({ minimum: 0, description: 'Segments that wait for it, counted to 10,000 at most.' }),
    oldest_due_at: nullable(Time, { description: 'When the one that waits longest was or will be due.' }),
  },
  { $id: 'Carrier', ...closed },
);
export type Carrier = Type.Static<typeof Carrier>;

export const listCarriers = operation({
  id: 'listCarriers',
  method: 'GET',
  path: '/instance/carriers',
  tag,
  summary: 'Show the carriers',
  action: 'instance.carrier.read',
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(Carrier) },
  paged: true,
});

export const replyBySimulator = operation({
  id: 'replyBySimulator',
  method: 'POST',
  path: '/instance/carriers/simulator/replies',
  tag,
  summary: 'Reply as if somebody had written from a phone',
  description: 'Nothing leaves the simulator. Routes, and else the latest message to that phone, decide whose it is.',
  action: 'instance.simulator.reply',
  body: Type.Object(
    {
      from: Type.String({ pattern: '^\\+[1-9][0-9]{3,14}$', description: 'The phone, international with +.' }),
      to: Type.String({ minLength: 1, maxLength: 20, description: 'The number or sender that is replied to.' }),
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
    carrier: Type.String(),
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

export const listOrganizationRoutes = operation({
  id: 'listOrganizationRoutes',
  method: 'GET',
  path: '/organizations/{organization_id}/routes',
  tag,
  summary: "List an organization's inbound numbers",
  description: 'Oldest first.',
  action: 'route.read',
  params: inOrganization,
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(Route) },
  paged: true,
});

export const listRoutes = operation({
  id: 'listRoutes',
  method: 'GET',
  path: '/instance/routes',
  tag,
  summary: 'List which organization owns which inbound numbers',
  description: 'Oldest first.',
  action: 'instance.route.read',
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(Route) },
  paged: true,
});

export const addRoute = operation({
  id: 'addRoute',
  method: 'POST',
  path: '/instance/routes',
  tag,
  summary: 'Give inbound numbers to an organization',
  action: 'instance.route.add',
  body: Type.Object(
    {
      organization_id: Id,
      carrier: Type.String({ minLength: 1, maxLength: 64, description: 'Who hands the replies in.' }),
      kind: Type.Enum(['number', 'prefix'], { description: 'Of prefixes the longest that fits counts.' }),
      address: Type.String({ minLength: 1, maxLength: 32, description: 'A number or name, or how it begins.' }),
    },
    { $id: 'NewRoute', ...closed },
  ),
  answer: { status: 201, schema: Route },
  problems: ['conflict', 'not_found'],
  idempotent: true,
});

export const removeRoute = operation({
  id: 'removeRoute',
  method: 'DELETE',
  path: '/instance/routes/{route_id}',
  tag,
  summary: 'Take inbound numbers from an organization',
  action: 'instance.route.remove',
  params: Type.Object({ route_id: Id }, closed),
  answer: { status: 204 },
});

export const carrierOperations = [
  listCarriers,
  replyBySimulator,
  listOrganizationRoutes,
  listRoutes,
  addRoute,
  removeRoute,
] as const;
