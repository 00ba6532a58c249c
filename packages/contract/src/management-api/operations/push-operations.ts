import Type from 'typebox';
import { PushState } from '../../messaging-api.ts';
import { StatusPush, UplinkPush } from '../../push-request.ts';
import { operationsOf } from '../operation-declaration.ts';
import { closed, extended, Id, listOf, nullable, partialPage, searchText, Time } from '../shared-schemas.ts';
import { PushKind, withheld } from './push-setting-operations.ts';

const operation = operationsOf('pushes');
const all = '/organizations/{organization_id}/pushes';

const Ended = Type.Enum(['delivered', 'failed', 'off']);

export const Push = Type.Object(
  {
    id: Type.String({ description: 'Also its `Webhook-Id`.' }),
    organization_id: Id,
    kind: PushKind,
    state: PushState,
    parameters: Type.Union([StatusPush, UplinkPush], { description: 'The kind of event.' }),
    attempts: Type.Integer({ minimum: 0, description: 'Recorded attempts.' }),
    created_at: Time,
    due_at: nullable(Time, { description: 'When the next attempt is due. Null: it has ended.' }),
    ended_at: nullable(Time),
  },
  { $id: 'Push', ...closed },
);
export type Push = Type.Static<typeof Push>;

const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1 }),
    at: Time,
    ms: Type.Integer({ minimum: 0 }),
    address: nullable(Type.String(), { description: 'The address of the connection, if any.' }),
    outcome: Type.String({
      description: '`answered`, `timedOut`, `refused`, `blocked`, `broken`, `badCertificate` or `unresolved`.',
    }),
    status: nullable(Type.Integer()),
    error: nullable(Type.String()),
    answer: nullable(Type.String(), {
      description: 'The first KiB of the answer. Null: empty or withheld.',
    }),
    withheld,
  },
  { $id: 'PushAttempt', ...closed },
);

export const PushDetails = extended(Push, { attempt_log: Type.Array(Attempt) }, { $id: 'PushDetails' });
export type PushDetails = Type.Static<typeof PushDetails>;

export const Resend = Type.Object(
  {
    id: Id,
    organization_id: Id,
    setting_id: Id,
    states: Type.Array(Ended, { description: 'Which pushes are sent again.' }),
    moved: Type.Integer({ minimum: 0, description: 'How many are queued again so far.' }),
    created_at: Time,
  },
  { $id: 'Resend', ...closed, description: 'Pushes that are being sent again, at a bounded rate.' },
);
export type Resend = Type.Static<typeof Resend>;

const ResendProgress = extended(
  Resend,
  {
    left: Type.Integer({
      minimum: 0,
      description: 'Ended pushes still to be queued again, counted to 10,000 at most.',
    }),
  },
  { $id: 'ResendProgress' },
);

export const listPushes = operation({
  id: 'listPushes',
  method: 'GET',
  path: all,
  summary: 'List pushes',
  description: `Newest first: those accepted at \`since\` or later, and before \`until\`. ${partialPage}`,
  action: 'push.read',
  ...listOf(Push, {
    kind: Type.Optional(PushKind),
    state: Type.Optional(Type.Enum(['waiting', 'delivered', 'failed', 'off'])),
    search: searchText('The id of a batch, or a phone number or a part of it.'),
    since: Type.Optional(Time),
    until: Type.Optional(Time),
  }),
});

export const showPush = operation({
  id: 'showPush',
  method: 'GET',
  path: `${all}/{push_id}`,
  summary: 'Show a push with each of its attempts',
  action: 'push.read',
  answer: { status: 200, schema: PushDetails },
});

export const resendPush = operation({
  id: 'resendPush',
  method: 'POST',
  path: `${all}/{push_id}/resend`,
  summary: 'Send an ended push again',
  description: 'With a new budget of attempts and the same `Webhook-Id`, however it ended.',
  action: 'push.resend',
  answer: { status: 200, schema: Push },
  problems: ['conflict'],
});

export const resendPushes = operation({
  id: 'resendPushes',
  method: 'POST',
  path: `${all}/resend`,
  summary: 'Send selected pushes again',
  description: 'Skips pushes that wait already, whose setting is off, or that do not exist, and names them.',
  action: 'push.resend',
  body: Type.Object({ push_ids: Type.Array(Id, { minItems: 1, maxItems: 200 }) }, { $id: 'SelectedPushes', ...closed }),
  answer: {
    status: 200,
    schema: Type.Object(
      { resent: Type.Array(Id), left: Type.Array(Id, { description: 'The skipped pushes.' }) },
      { $id: 'ResentPushes', ...closed },
    ),
  },
});

export const createResend = operation({
  id: 'createResend',
  method: 'POST',
  path: '/organizations/{organization_id}/push-resends',
  summary: 'Send all pushes since a moment again',
  description:
    '`failed`: failed pushes. `undelivered`: also pushes held back while the setting was off. At a bounded rate, in the background.',
  action: 'push.resend',
  body: Type.Object(
    {
      kind: PushKind,
      which: Type.Enum(['failed', 'undelivered']),
      since: Type.Optional(
        nullable(Time, { description: 'Only events accepted since. Absent or null: all that are kept.' }),
      ),
    },
    { $id: 'NewResend', ...closed },
  ),
  answer: { status: 202, schema: Resend },
  problems: ['conflict'],
  idempotent: true,
});

export const listResends = operation({
  id: 'listResends',
  method: 'GET',
  path: '/organizations/{organization_id}/push-resends',
  summary: 'Show the running re-sends',
  description: 'At most ten of each kind. Finished ones disappear.',
  action: 'push.read',
  ...listOf(ResendProgress),
});

export const pushOperations = [listPushes, showPush, resendPush, resendPushes, createResend, listResends] as const;
