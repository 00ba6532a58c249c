/** The message interface on the wire. Errors use the retrieval interface's envelope. Times are RFC 3339 in UTC. */
import Type from 'typebox';

/** In one request. */
export const maxMobiles = 1000;
/** Of one content, as the server counts them. */
export const maxSegments = 10;
/** On one page. */
export const maxEvents = 1000;

const mobile = Type.String({
  minLength: 1,
  maxLength: 32,
  description:
    'A phone number: international with +, or national and read with the default region of the organization.',
});

const content = Type.String({
  minLength: 1,
  description: `The text: at most ${maxSegments} segments, of 160 characters of the GSM alphabet or 70 others (153 and 67 in more than one segment). U+0000 is refused.`,
});

/**
 * Digits of a phone number, or a name with a letter in it: 11 characters fit the address field (TS 23.040 §9.1.2.5).
 */
export const senderPattern = '^(?:\\+?[0-9]{3,20}|(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 ._-]{0,10})$';

const sender = Type.String({
  pattern: senderPattern,
  description:
    'The number or name that the recipient sees: 3 to 20 digits, or at most 11 letters, digits, spaces, dots, underscores and hyphens.',
});

const closed = { additionalProperties: false } as const;

export const SendMessagesRequest = Type.Union(
  [
    Type.Object({ mobile, content, sender: Type.Optional(sender) }, closed),
    Type.Object(
      {
        mobiles: Type.Array(mobile, {
          minItems: 1,
          maxItems: maxMobiles,
          description: 'A repeated number is one message.',
        }),
        content,
        sender: Type.Optional(sender),
      },
      closed,
    ),
  ],
  { $id: 'SendMessagesRequest' },
);
export type SendMessagesRequest = Type.Static<typeof SendMessagesRequest>;

/** Answered after the batch is on disk. */
export const SendMessagesSuccess = Type.Object(
  {
    status: Type.Literal('success'),
    data: Type.Object({ batch_id: Type.String() }, closed),
  },
  { $id: 'SendMessagesSuccess', ...closed },
);
export type SendMessagesSuccess = Type.Static<typeof SendMessagesSuccess>;

export const FinalStatus = Type.Union([Type.Literal('DELIVRD'), Type.Literal('UNDELIV'), Type.Literal('REJECTED')], {
  $id: 'FinalStatus',
  description: 'Received; not received; blocked or returned, with the reason in memo.',
});
export type FinalStatus = Type.Static<typeof FinalStatus>;

export const MessageState = Type.Union([Type.Literal('queued'), Type.Literal('sent'), Type.Literal('settled')], {
  $id: 'MessageState',
  description: 'Waiting for a carrier; accepted by a carrier in all its segments; final.',
});
export type MessageState = Type.Static<typeof MessageState>;

export const PushState = Type.Union(
  [Type.Literal('off'), Type.Literal('waiting'), Type.Literal('delivered'), Type.Literal('failed')],
  { $id: 'PushState', description: 'The state of the push of the final status.' },
);
export type PushState = Type.Static<typeof PushState>;

const time = Type.String({ format: 'date-time' });
const memo = Type.String({ minLength: 1, description: 'The reason. Only with the status REJECTED.' });
const simulated = Type.Boolean({ description: 'Accepted by the built-in simulator: no phone received anything.' });
const mobileAsSent = Type.String({ description: 'As in the request.' });

export const MessageReport = Type.Object(
  {
    mobile: mobileAsSent,
    state: MessageState,
    status: Type.Optional(FinalStatus),
    memo: Type.Optional(memo),
    segments: Type.Integer({ minimum: 1, maximum: maxSegments }),
    simulated,
    push: Type.Optional(PushState),
    accepted_at: time,
    sent_at: Type.Optional(time),
    settled_at: Type.Optional(time),
  },
  { $id: 'MessageReport', ...closed },
);
export type MessageReport = Type.Static<typeof MessageReport>;

/** Messages stand in the order of the request. */
export const BatchReportSuccess = Type.Object(
  {
    status: Type.Literal('success'),
    data: Type.Object({ batch_id: Type.String(), accepted_at: time, messages: Type.Array(MessageReport) }, closed),
  },
  { $id: 'BatchReportSuccess', ...closed },
);
export type BatchReportSuccess = Type.Static<typeof BatchReportSuccess>;

const cursor = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'Opaque. Send it back as `after`.',
});

export const StatusEvent = Type.Object(
  {
    cursor,
    kind: Type.Literal('status'),
    batch_id: Type.String(),
    mobile: mobileAsSent,
    status: FinalStatus,
    memo: Type.Optional(memo),
    simulated,
    settled_at: time,
  },
  { $id: 'StatusEvent', ...closed },
);
export type StatusEvent = Type.Static<typeof StatusEvent>;

export const ReplyEvent = Type.Object(
  {
    cursor,
    kind: Type.Literal('reply'),
    mobile: Type.String({ description: 'The phone that replied, international with +.' }),
    message: Type.String(),
    simulated,
    received_at: time,
  },
  { $id: 'ReplyEvent', ...closed },
);
export type ReplyEvent = Type.Static<typeof ReplyEvent>;

export const EventsQuery = Type.Object(
  {
    after: Type.Optional(cursor),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxEvents, default: 100 })),
  },
  { $id: 'EventsQuery', description: 'Without `after` the oldest kept event comes first.' },
);
export type EventsQuery = Type.Static<typeof EventsQuery>;

/** In the order in which the events happened. None is ever skipped. */
export const EventsSuccess = Type.Object(
  {
    status: Type.Literal('success'),
    data: Type.Object(
      {
        events: Type.Array(Type.Union([StatusEvent, ReplyEvent])),
        next: Type.String({ description: 'The `after` of the next request, also while there is no event.' }),
        more: Type.Boolean({ description: 'Whether more events follow this page.' }),
      },
      closed,
    ),
  },
  { $id: 'EventsSuccess', ...closed },
);
export type EventsSuccess = Type.Static<typeof EventsSuccess>;
