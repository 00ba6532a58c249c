import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, listOf, nullable, OrganizationId, Time } from '../shared-schemas.ts';

const operation = operationsOf('push-settings');
const all = '/organizations/{organization_id}/push-settings';
const path = `${all}/{kind}` as const;

export const PushKind = Type.Enum(['status', 'uplink'], {
  description: 'Final statuses of messages, or replies.',
});
export const PushSpan = Type.Enum(['1h', '6h', '24h'], { description: 'How far back the series goes.' });
export type PushSpan = Type.Static<typeof PushSpan>;
const one = Type.Object({ organization_id: OrganizationId, kind: PushKind }, closed);

const choices = {
  enabled: Type.Boolean({ description: 'False: nothing is queued.' }),
  timeout_seconds: Type.Integer({ minimum: 1, maximum: 30, description: 'For a whole attempt.' }),
  retries: Type.Integer({ minimum: 0, maximum: 10, description: 'Attempts after the first.' }),
  concurrency: Type.Integer({ minimum: 1, maximum: 64, description: 'The most attempts that run at once.' }),
};

export const PushSetting = Type.Object(
  {
    id: nullable(Id, { description: 'Null: nothing is set yet, and the defaults are shown.' }),
    organization_id: Id,
    kind: PushKind,
    url: nullable(Type.String(), {
      description: 'Callers that may not change it see stars instead of its query, which may hold a secret.',
    }),
    ...choices,
    signed: Type.Boolean({ description: 'Whether pushes carry a Webhook-Signature.' }),
    former_secret_until: nullable(Time, {
      description: 'Until when the last replaced secret signs beside the new one. Earlier ones end earlier.',
    }),
    created_at: nullable(Time),
    updated_at: nullable(Time),
    switched_at: nullable(Time, { description: 'When it was last switched on or off.' }),
  },
  { $id: 'PushSetting', ...closed, description: "The receiver of an organization's pushes of one kind." },
);
export type PushSetting = Type.Static<typeof PushSetting>;

/** Also used for attempts. */
export const withheld = Type.Boolean({
  description: 'Whether the answer is not shown, because it came from an address that is not public.',
});

const Attempted = {
  delivered: Type.Boolean(),
  outcome: Type.String(),
  status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  address: nullable(Type.String(), { description: 'The address of the connection, if any.' }),
  ms: Type.Integer({ minimum: 0 }),
  answer: nullable(Type.String(), {
    description: 'The first KiB of the answer. Null: empty or withheld.',
  }),
  withheld,
};

const TestPush = Type.Object(
  {
    url: Type.String({ description: 'With the sample parameters, and stars instead of its own query.' }),
    headers: Type.Record(Type.String(), Type.String()),
    ...Attempted,
  },
  { $id: 'TestPush', ...closed, description: 'The request and the answer of a test push.' },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });
const milliseconds = nullable(Type.Integer({ minimum: 0 }), { description: 'Milliseconds. Null: no attempt.' });

const figures = {
  attempts: count('Attempts that ended in this time.'),
  delivered: count('Attempts with the answer 200.'),
  p50_ms: milliseconds,
  p95_ms: milliseconds,
  p99_ms: milliseconds,
};

export const PushHealth = Type.Object(
  {
    kind: PushKind,
    enabled: Type.Boolean(),
    waiting: count('Pushes that wait, counted to 10,000 at most.'),
    failed: count('Pushes that failed and can be sent again, counted to 10,000 at most.'),
    oldest_due_at: nullable(Time, { description: 'When the oldest waiting push was or will be due: the next retry.' }),
    lane: nullable(
      Type.Object(
        {
          state: Type.Enum(['open', 'probing', 'paused']),
          running: count('Attempts that run now.'),
          window: count('Attempts that may run at once.'),
          silence: count('Attempts in a row without an answer.'),
          next_at: nullable(Time, { description: 'When it resumes. Null: it is not paused.' }),
        },
        closed,
      ),
      {
        description: 'The state of pushing on this server. Null: nothing waits, or another server runs the setting.',
      },
    ),
    windows: Type.Array(
      Type.Object(
        {
          minutes: count('How long, up to now.'),
          ...figures,
          success_rate: nullable(Type.Number({ minimum: 0, maximum: 1 })),
        },
        closed,
      ),
      { description: 'The last 5 minutes, hour, 6 hours and day, over all servers, a few seconds behind.' },
    ),
    series: Type.Object(
      {
        from: Time,
        step_minutes: count('The length of a step.'),
        steps: count('The number of steps, including the current one.'),
        points: Type.Array(Type.Object({ at: Time, ...figures }, closed), {
          description: 'The steps with attempts, oldest first.',
        }),
      },
      closed,
    ),
  },
  { $id: 'PushHealth', ...closed, description: 'The state of pushing, from figures by the minute.' },
);
export type PushHealth = Type.Static<typeof PushHealth>;

export const listPushSettings = operation({
  id: 'listPushSettings',
  method: 'GET',
  path: all,
  summary: 'Show both push settings',
  action: 'push-setting.read',
  ...listOf(PushSetting),
});

export const showPushSetting = operation({
  id: 'showPushSetting',
  method: 'GET',
  path,
  summary: 'Show a push setting',
  action: 'push-setting.read',
  params: one,
  answer: { status: 200, schema: PushSetting },
  tagged: PushSetting,
});

export const updatePushSetting = operation({
  id: 'updatePushSetting',
  method: 'PATCH',
  path,
  summary: 'Create or change a push setting',
  description:
    'Absent fields stay as they are. A new setting needs the url. It must be a public address, which is checked now ' +
    'and on every connection. `reason` tells why it is refused: `malformed`, `scheme`, `user_info`, `port`, `host`, `parameter`, ' +
    '`local_name`, `unresolved`, `not_public` or `own_address`. Retries use a corrected url.',
  action: 'push-setting.update',
  params: one,
  body: Type.Object(
    {
      url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
      enabled: Type.Optional(choices.enabled),
      timeout_seconds: Type.Optional(choices.timeout_seconds),
      retries: Type.Optional(choices.retries),
      concurrency: Type.Optional(choices.concurrency),
    },
    { $id: 'PushSettingUpdate', ...closed, minProperties: 1 },
  ),
  answer: { status: 200, schema: PushSetting },
  problems: ['conflict'],
  tagged: PushSetting,
  ifMatch: true,
});

export const setPushSecret = operation({
  id: 'setPushSecret',
  method: 'POST',
  path: `${path}/secret`,
  summary: 'Sign pushes by a new secret',
  description:
    'A generated secret is shown only in this answer. A replaced secret signs beside it for 24 hours. ' +
    'At most five do; another change is refused with `too_many_secrets`. Giving the current secret again changes nothing.',
  action: 'push-setting.update',
  params: one,
  body: Type.Object(
    {
      secret: Type.Optional(
        Type.String({ maxLength: 200, description: "The receiver's own, `whsec_…`. Absent: one is generated." }),
      ),
    },
    { $id: 'NewPushSecret', ...closed },
  ),
  answer: {
    status: 201,
    schema: Type.Object(
      {
        setting: PushSetting,
        secret: nullable(Type.String(), { description: 'The generated secret. Null: it was given.' }),
      },
      { $id: 'PushSettingWithSecret', ...closed },
    ),
  },
  problems: ['conflict'],
  secret: true,
  idempotent: true,
});

export const removePushSecret = operation({
  id: 'removePushSecret',
  method: 'DELETE',
  path: `${path}/secret`,
  summary: 'Stop signing pushes',
  description: 'Ends former secrets as well. Attempts have no signature from the next one on.',
  action: 'push-setting.update',
  params: one,
  answer: { status: 200, schema: PushSetting },
  problems: ['conflict'],
});

export const TestSample = Type.Enum(['delivered', 'undelivered', 'rejected']);
export type TestSample = Type.Static<typeof TestSample>;

export const testPushSetting = operation({
  id: 'testPushSetting',
  method: 'POST',
  path: `${path}/test`,
  summary: 'Try a push setting',
  description: 'Sends one push with sample values the same way, even if the setting is off. It is not kept.',
  action: 'push-setting.test',
  params: one,
  query: Type.Object(
    { sample: Type.Optional(TestSample) },
    { ...closed, description: 'The status of a delivery push, by default DELIVRD. Only a rejection has a memo.' },
  ),
  answer: { status: 200, schema: TestPush },
  problems: ['conflict'],
});

export const showPushHealth = operation({
  id: 'showPushHealth',
  method: 'GET',
  path: `${path}/health`,
  summary: 'Show the state of pushing',
  action: 'push-setting.read',
  params: one,
  query: Type.Object({ span: Type.Optional(PushSpan) }, closed),
  answer: { status: 200, schema: PushHealth },
});

export const pushSettingOperations = [
  listPushSettings,
  showPushSetting,
  updatePushSetting,
  setPushSecret,
  removePushSecret,
  testPushSetting,
  showPushHealth,
] as const;
