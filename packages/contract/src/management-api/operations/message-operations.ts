import Type from 'typebox';
import { FinalStatus, MessageReport, PushState, SendMessagesRequest } from '../../messaging-api.ts';
import { operationsOf } from '../operation-declaration.ts';
import { closed, extended, Id, listOf, nullable, PhoneNumber, partialPage, Time } from '../shared-schemas.ts';
import { PushDetails } from './push-operations.ts';

const operation = operationsOf('messaging');
const path = '/organizations/{organization_id}/messages';

const Position = Type.Integer({ minimum: 0, description: 'In the batch, from 0.' });
const Carrier = nullable(Type.String(), { description: 'The name of the carrier that took it. Null: none yet.' });

export const Message = extended(
  MessageReport,
  {
    batch_id: Id,
    position: Position,
    number: Type.String({ description: 'International with +, as the carrier receives it.' }),
    carrier: Carrier,
    carrier_reason: nullable(Type.String(), {
      description: 'Why the carrier that took it, or is to take it, was chosen. Null: the simulator, or none was.',
    }),
  },
  { $id: 'Message', description: 'One message to one number.' },
);
export type Message = Type.Static<typeof Message>;

const batchFacts = {
  batch_id: Id,
  organization_id: Id,
  messaging_key_id: nullable(Id, { description: 'The key that sent it. Null: by hand.' }),
  content: Type.String(),
  sender: nullable(Type.String()),
  accepted_at: Time,
};

export const MessageBatch = Type.Object(
  { ...batchFacts, messages: Type.Array(Message, { description: 'In the order of the request.' }) },
  { $id: 'MessageBatch', ...closed, description: 'One accepted request.' },
);
export type MessageBatch = Type.Static<typeof MessageBatch>;

const Part = Type.Object(
  {
    part: Type.Integer({ minimum: 1, description: 'From 1.' }),
    text: Type.String({ description: 'The text of this segment.' }),
    state: Type.Union([Type.Enum(['queued', 'sent']), FinalStatus]),
    memo: nullable(Type.String(), { description: 'The reason of a rejection.' }),
    submits: Type.Integer({ minimum: 0, description: 'Recorded submits while it is queued.' }),
    next_submit_at: nullable(Time, { description: 'Null: a carrier has it, or it has ended.' }),
    carrier_message_id: nullable(Type.String(), { description: "The carrier's id for it in receipts." }),
    sent_at: nullable(Time),
  },
  { $id: 'MessagePart', ...closed },
);

export const MessageTimeline = Type.Object(
  {
    ...batchFacts,
    message: Message,
    parts: Type.Array(Part, { description: 'Its segments.' }),
    push: nullable(PushDetails, {
      description: 'The push of its final status with each attempt. Null: none was queued, or retention removed it.',
    }),
  },
  { $id: 'MessageTimeline', ...closed, description: 'A message from its acceptance to the last attempt of its push.' },
);
export type MessageTimeline = Type.Static<typeof MessageTimeline>;

const ReceivedReply = Type.Object(
  {
    id: Id,
    mobile: Type.String({ description: 'Who wrote it.' }),
    to: Type.String({ description: 'The receiving number.' }),
    message: Type.String(),
    carrier: Type.String(),
    owned_by: Type.Enum(['number', 'prefix', 'latest-message', 'nothing'], {
      description: 'How its organization was found. `nothing`: it is unmatched.',
    }),
    stop: Type.Boolean({ description: 'Whether it opted the phone out of all messages of the organization.' }),
    simulated: Type.Boolean(),
    push: Type.Optional(PushState),
    received_at: Time,
  },
  { $id: 'ReceivedReply', ...closed },
);

export const sendByHand = operation({
  id: 'sendByHand',
  method: 'POST',
  path,
  summary: 'Send a text message by hand',
  description:
    'The rules of the message interface apply: quotas, opt-outs, blocked lists, and one bad entry refuses the whole batch. ' +
    'The audit trail names the sender.',
  action: 'message.send',
  body: SendMessagesRequest,
  longBody: true,
  answer: { status: 201, schema: Type.Object({ batch_id: Id }, { $id: 'AcceptedBatch', ...closed }) },
  problems: ['conflict'],
  idempotent: true,
});

export const previewMessage = operation({
  id: 'previewMessage',
  method: 'POST',
  path: '/organizations/{organization_id}/message-previews',
  summary: 'Show the segments of a text',
  description: 'Sends and stores nothing. Also cuts texts with more segments than a message may have.',
  action: 'message.send',
  body: Type.Object({ content: Type.String({ minLength: 1, maxLength: 10_000 }) }, { $id: 'NewPreview', ...closed }),
  longBody: true,
  answer: {
    status: 200,
    schema: Type.Object(
      {
        encoding: Type.Enum(['gsm', 'ucs2'], {
          description: 'The GSM alphabet, or UCS-2 if one character is not in it.',
        }),
        segments: Type.Array(Type.String(), { minItems: 1, description: 'Their concatenation is the text.' }),
        max_segments: Type.Integer({ minimum: 1, description: 'The limit of a message.' }),
      },
      { $id: 'MessagePreview', ...closed },
    ),
  },
});

export const listMessages = operation({
  id: 'listMessages',
  method: 'GET',
  path,
  summary: 'List messages',
  description: `Newest batches first, in each the order of the request. ${partialPage}`,
  action: 'message.read',
  ...listOf(Message, {
    batch_id: Type.Optional(Id),
    mobile: Type.Optional(PhoneNumber),
    status: Type.Optional(
      Type.Enum(['DELIVRD', 'UNDELIV', 'REJECTED', 'open'], { description: '`open`: no final status yet.' }),
    ),
    accepted_since: Type.Optional(Time),
    accepted_before: Type.Optional(Time),
  }),
});

export const showMessageBatch = operation({
  id: 'showMessageBatch',
  method: 'GET',
  path: `${path}/{batch_id}`,
  summary: 'Show a batch with its messages',
  action: 'message.read',
  answer: { status: 200, schema: MessageBatch },
});

export const showMessageTimeline = operation({
  id: 'showMessageTimeline',
  method: 'GET',
  path: `${path}/{batch_id}/{position}`,
  summary: 'Show a message with its history',
  description: 'Its acceptance, its segments at the carrier, its receipts, and each attempt to push its final status.',
  action: 'message.read',
  answer: { status: 200, schema: MessageTimeline },
});

export const listReplies = operation({
  id: 'listReplies',
  method: 'GET',
  path: '/organizations/{organization_id}/replies',
  summary: 'List replies',
  description: `Newest first. ${partialPage}`,
  action: 'message.read',
  ...listOf(ReceivedReply, {
    mobile: Type.Optional(PhoneNumber),
    stop: Type.Optional(Type.Boolean({ description: 'Only opt-outs, or only other replies.' })),
  }),
});

export const listUnmatchedReplies = operation({
  id: 'listUnmatchedReplies',
  method: 'GET',
  path: '/instance/replies',
  summary: 'List unmatched replies',
  description: 'Newest first.',
  action: 'instance.reply.read',
  ...listOf(ReceivedReply),
});

export const messageOperations = [
  sendByHand,
  previewMessage,
  listMessages,
  showMessageBatch,
  showMessageTimeline,
  listReplies,
  listUnmatchedReplies,
] as const;
