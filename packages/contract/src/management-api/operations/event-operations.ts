import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, nullable, Time } from '../shared-schemas.ts';

/** A stream tells only that something changed. Clients read the new state by the ordinary operations. */
export const ChangeEvent = Type.Object(
  {
    kind: Type.String({
      description:
        'What changed: `certificate`, `deployment`, `organization`, `push-setting`, `messaging-key`, `messaging`, …; `retrieval` when a deployment that is less than an hour old was asked for, or was refused its certificate; `message-event` for a final status or a reply; `everything` when changes were missed.',
    }),
    id: nullable(Type.String(), {
      description: 'The id; for `message-event` the cursor of the latest event. Null: more than one.',
    }),
    organization_id: nullable(Id, { description: 'Null for what belongs to the instance.' }),
    at: Time,
  },
  { $id: 'ChangeEvent', ...closed },
);
export type ChangeEvent = Type.Static<typeof ChangeEvent>;

const operation = operationsOf('events');
const resuming =
  'Server-sent events named `change`, a comment every 15 seconds to keep the connection, and `Last-Event-ID` to go on where a connection was lost. The stream ends for a client that reads too slowly, or whose session or key ends.';

export const streamEvents = operation({
  id: 'streamEvents',
  method: 'GET',
  path: '/organizations/{organization_id}/events/stream',
  summary: 'Stream the changes of an organization',
  description: resuming,
  action: 'event.read',
  answer: { status: 200, schema: ChangeEvent, type: 'text/event-stream' },
});

export const streamInstanceEvents = operation({
  id: 'streamInstanceEvents',
  method: 'GET',
  path: '/instance/events/stream',
  summary: 'Stream the changes of the whole instance',
  description: resuming,
  action: 'instance.event.read',
  answer: { status: 200, schema: ChangeEvent, type: 'text/event-stream' },
});

export const eventOperations = [streamEvents, streamInstanceEvents] as const;
