import Type from 'typebox';
import { operation } from './operation.ts';
import { closed, Id, inOrganization, nullable, pageOf, pageQuery, Time } from './shared-schemas.ts';

const tag = 'push-settings';
const all = '/organizations/{organization_id}/push-settings';
const path = `${all}/{kind}` as const;

export const PushKind = Type.Enum(['status', 'uplink'], {
  description: 'Final statuses of messages, or replies.',
});
export const PushSpan = Type.Enum(['1h', '6h', '24h'], { description: 'How far back the series goes.' });
export type PushSpan = Type.Static<typeof PushSpan>;
const one = Type.Object({ organization_id: Id, kind: PushKind }, closed);

const choices = {
  enabled: Type.Boolean({ description: 'The switch. Off: nothing is queued.' }),
  timeout_seconds: Type.Integer({ minimum: 1, maximum: 30, description: 'For the whole of an attempt.' }),
  retries: Type.Integer({ minimum: 0, maximum: 10, description: 'Attempts after the first.' }),
  concurrency: Type.Integer({ minimum: 1, maximum: 64, description: 'The most attempts that run at once.' }),
};

export const PushSetting = Type.Object(
  {
    id: nullable(Id, { description: 'Null: nothing is set yet; what is shown are the standards.' }),
    organization_id: Id,
    kind: PushKind,
    url: nullable(Type.String(), {
      description: 'Whoever may not change it is shown stars instead of its query, which may hold a secret.',
    }),
    ...choices,
    signed: Type.Boolean({ description: 'Whether pushes carry a Webhook-Signature.' }),
    former_secret_until: nullable(Time, {
      description: 'Until when the secret replaced last signs beside the new one. Those before it end earlier.',
    }),
    created_at: nullable(Time),
    updated_at: nullable(Time),
    switched_at: nullable(Time, { description: 'When it was last switched on or off.' }),
  },
  { $id: 'PushSetting', ...closed, description: "Where an organization's pushes of one kind go." },
);
export type PushSetting = Type.Static<typeof PushSetting>;

/** Of an attempt, too. */
export const withheld = Type.Boolean({
  description: 'Whether the answer came from an address that is not public: then its content is not shown.',
});

const Attempted = {
  delivered: Type.Boolean(),
  outcome: Type.String(),
  status: nullable(Type.Integer()),
  error: nullable(Type.String()),
  address: nullable(Type.String(), { description: 'The address dialled, as far as it came to that.' }),
  ms: Type.Integer({ minimum: 0 }),
  answer: nullable(Type.String(), {
    description: 'The first KiB of the answer. Null where it was empty, or withheld.',
  }),
  withheld,
};

const TestPush = Type.Object(
  {
    url: Type.String({ description: 'With the sample parameters; stars instead of its own query.' }),
    headers: Type.Record(Type.String(), Type.String()),
    ...Attempted,
  },
  { $id: 'TestPush', ...closed, description: 'What a test push sent, and what came back.' },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });
const milliseconds = nullable(Type.Integer({ minimum: 0 }), { description: 'Milliseconds. Null: no attempt.' });

const figures = {
  attempts: count('Attempts that ended in this time.'),
  delivered: count('Those of them that were answered 200.'),
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
    oldest_due_at: nullable(Time, { description: 'When what waits longest was or will be due: the next retry.' }),
    lane: nullable(
      Type.Object(
        {
          state: Type.Enum(['open', 'probing', 'paused']),
          running: count('Attempts that run now.'),
          window: count('Attempts that may run at once.'),
          silence: count('Attempts in a row without an answer.'),
          next_at: nullable(Time, { description: 'When it goes on. Null: now.' }),
        },
        closed,
      ),
      {
        description: 'What pushes are doing at this node. Null: nothing waits, or another node pushes for the setting.',
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
      { description: 'The last 5 minutes, hour, 6 hours and day, over all nodes; a few seconds behind.' },
    ),
    series: Type.Object(
      {
        from: Time,
        step_minutes: count('How long a step is.'),
        steps: count('How many there are, up to the one that is now.'),
        points: Type.Array(Type.Object({ at: Time, ...figures }, closed), {
          description: 'The steps of the span in which something was attempted, oldest first.',
        }),
      },
      closed,
    ),
  },
  { $id: 'PushHealth', ...closed, description: 'How pushing goes, from figures kept by the minute.' },
);
export type PushHealth = Type.Static<typeof PushHealth>;

export const listPushSettings = operation({
  id: 'listPushSettings',
  method: 'GET',
  path: all,
  tag,
  summary: 'Show both push settings',
  action: 'push-setting.read',
  params: inOrganization,
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(PushSetting) },
  paged: true,
});

export const showPushSetting = operation({
  id: 'showPushSetting',
  method: 'GET',
  path,
  tag,
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
  tag,
  summary: 'Change a push setting, or make it',
  description:
    'Fields that are left out stay as they are; to make one, the url is needed. The url must be a public address: it is checked now, ' +
    'and again on every connection; `reason` says why it is refused: `malformed`, `scheme`, `user_info`, `port`, `host`, `parameter`, ' +
    '`local_name`, `unresolved`, `not_public` or `own_address`. A corrected url serves the retries too.',
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
  tag,
  summary: 'Sign pushes by a new secret',
  description:
    'A generated secret is shown in this answer and never again. Each one that is replaced signs beside it for 24 hours from then on: ' +
    'at most five do, and one more is refused with `too_many_secrets`. The current one given again changes nothing.',
  action: 'push-setting.update',
  params: one,
  body: Type.Object(
    {
      secret: Type.Optional(
        Type.String({ maxLength: 200, description: "The receiver's own, `whsec_…`. Left out: one is generated." }),
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
  tag,
  summary: 'Sign pushes no longer',
  description: 'Former secrets end with it: from the next attempt on there is no signature.',
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
  tag,
  summary: 'Try a push setting',
  description: 'One push with sample values over the very same path, whether the switch is on or off. It is not kept.',
  action: 'push-setting.test',
  params: one,
  query: Type.Object(
    { sample: Type.Optional(TestSample) },
    { ...closed, description: 'Of a delivery status: which one, DELIVRD unless given; only a rejection has a memo.' },
  ),
  answer: { status: 200, schema: TestPush },
  problems: ['conflict'],
});

export const showPushHealth = operation({
  id: 'showPushHealth',
  method: 'GET',
  path: `${path}/health`,
  tag,
  summary: 'Show how pushing goes',
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
