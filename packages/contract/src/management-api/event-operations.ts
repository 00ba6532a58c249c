import Type from 'typebox';
import { operation } from './operation.ts';
import { closed, Id, inOrganization, nullable, Time } from './shared-schemas.ts';

/** What a stream tells: that something is no longer what it was. Who wants to know more asks for it. */
export const ChangeEvent = Type.Object(
  {
    kind: Type.String({
      description:
        'What changed: `certificate`, `deployment`, `organization`, `push-setting`, `messaging-key`, `messaging`, …; `message-event` for a final status or a reply; `everything` when changes were missed.',
    }),
    id: nullable(Type.String(), {
      description: 'Which one; for `message-event` the cursor of the latest event. Null: not a single one.',
    }),
    organization_id: nullable(Id, { description: 'Null for what belongs to the instance.' }),
    at: Time,
  },
  { $id: 'ChangeEvent', ...closed },
);
export type ChangeEvent = Type.Static<typeof ChangeEvent>;

const tag = 'events';
const resuming =
  'Server-sent events named `change`, a comment every 15 seconds to keep the connection, and `Last-Event-ID` to go on where a connection was lost. A client that reads too slowly is cut off; one whose session or key ends, too.';

export const streamEvents = operation({
  id: 'streamEvents',
  method: 'GET',
  path: '/organizations/{organization_id}/events/stream',
  tag,
  summary: 'Hear of what changes in an organization',
  description: resuming,
  action: 'event.read',
  params: inOrganization,
  answer: { status: 200, schema: ChangeEvent, type: 'text/event-stream' },
});

export const streamInstanceEvents = operation({
  id: 'streamInstanceEvents',
  method: 'GET',
  path: '/instance/events/stream',
  tag,
  summary: 'Hear of what changes in the whole instance',
  description: resuming,
  action: 'instance.event.read',
  answer: { status: 200, schema: ChangeEvent, type: 'text/event-stream' },
});

export const eventOperations = [streamEvents, streamInstanceEvents] as const;
