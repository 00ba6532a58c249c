import Type from 'typebox';
import { FinalStatus, MessageReport, PushState, SendMessagesRequest } from '../messaging-api.ts';
import { operation } from './operation.ts';
import { PushDetails } from './push-operations.ts';
import {
  closed,
  extended,
  Id,
  inOrganization,
  nullable,
  PhoneNumber,
  pageOf,
  pageQuery,
  partialPage,
  Time,
  within,
} from './shared-schemas.ts';

const tag = 'messaging';
const path = '/organizations/{organization_id}/messages';

const Position = Type.Integer({ minimum: 0, description: 'In the batch, from 0.' });
const Carrier = nullable(Type.String(), { description: 'Who took it. Null: nobody has.' });

export const Message = extended(
  MessageReport,
  {
    batch_id: Id,
    position: Position,
    number: Type.String({ description: 'International with +, as the carrier is told.' }),
    carrier: Carrier,
  },
  { $id: 'Message', description: 'One message to one number.' },
);
export type Message = Type.Static<typeof Message>;

const batchFacts = {
  batch_id: Id,
  organization_id: Id,
  messaging_key_id: nullable(Id, { description: 'What it was sent with. Null: by hand.' }),
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
    text: Type.String({ description: 'What this segment carries.' }),
    state: Type.Union([Type.Enum(['queued', 'sent']), FinalStatus]),
    memo: nullable(Type.String(), { description: 'The reason of a rejection.' }),
    submits: Type.Integer({ minimum: 0, description: 'Submits with a recorded result while it is queued.' }),
    next_submit_at: nullable(Time, { description: 'Null: a carrier has it, or it has ended.' }),
    carrier_message_id: nullable(Type.String(), { description: 'What the carrier calls it in its receipts.' }),
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
      description: 'The push of its final status with each attempt. Null: none was queued, or it is no longer kept.',
    }),
  },
  { $id: 'MessageTimeline', ...closed, description: 'A message from its acceptance to the last attempt of its push.' },
);
export type MessageTimeline = Type.Static<typeof MessageTimeline>;

export const ReceivedReply = Type.Object(
  {
    id: Id,
    mobile: Type.String({ description: 'Who wrote it.' }),
    to: Type.String({ description: 'What it was sent to.' }),
    message: Type.String(),
    carrier: Type.String(),
    owned_by: Type.Enum(['number', 'prefix', 'latest-message', 'nothing'], {
      description: 'By what its organization was found; `nothing`: it is nobody’s.',
    }),
    stop: Type.Boolean({ description: 'It ended all messages of the organization to this phone.' }),
    simulated: Type.Boolean(),
    push: Type.Optional(PushState),
    received_at: Time,
  },
  { $id: 'ReceivedReply', ...closed },
);
export type ReceivedReply = Type.Static<typeof ReceivedReply>;

export const sendByHand = operation({
  id: 'sendByHand',
  method: 'POST',
  path,
  tag,
  summary: 'Send a text message by hand',
  description:
    'By the rules of the message interface: quotas, opt-outs and blocked lists count, and one bad entry refuses the whole batch. ' +
    'The audit trail tells who sent it.',
  action: 'message.send',
  params: inOrganization,
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
  tag,
  summary: 'Show how a text would be cut into segments',
  description: 'Nothing is sent or kept. A text of more segments than a message may have is cut all the same.',
  action: 'message.send',
  params: inOrganization,
  body: Type.Object({ content: Type.String({ minLength: 1, maxLength: 10_000 }) }, { $id: 'NewPreview', ...closed }),
  longBody: true,
  answer: {
    status: 200,
    schema: Type.Object(
      {
        encoding: Type.Enum(['gsm', 'ucs2'], {
          description: 'The GSM alphabet, or UCS-2 as soon as one character is not in it.',
        }),
        segments: Type.Array(Type.String(), { minItems: 1, description: 'Joined they are the text.' }),
        max_segments: Type.Integer({ minimum: 1, description: 'What a message may have.' }),
      },
      { $id: 'MessagePreview', ...closed },
    ),
  },
});

export const listMessages = operation({
  id: 'listMessages',
  method: 'GET',
  path,
  tag,
  summary: 'List messages',
  description: `Newest batches first, in each the order of the request. ${partialPage}`,
  action: 'message.read',
  params: inOrganization,
  query: pageQuery({
    batch_id: Type.Optional(Id),
    mobile: Type.Optional(PhoneNumber),
    status: Type.Optional(
      Type.Enum(['DELIVRD', 'UNDELIV', 'REJECTED', 'open'], { description: '`open`: no final status yet.' }),
    ),
    accepted_since: Type.Optional(Time),
    accepted_before: Type.Optional(Time),
  }),
  answer: { status: 200, schema: pageOf(Message) },
  paged: true,
});

export const showMessageBatch = operation({
  id: 'showMessageBatch',
  method: 'GET',
  path: `${path}/{batch_id}`,
  tag,
  summary: 'Show what became of a batch',
  action: 'message.read',
  params: within('batch_id'),
  answer: { status: 200, schema: MessageBatch },
});

export const showMessageTimeline = operation({
  id: 'showMessageTimeline',
  method: 'GET',
  path: `${path}/{batch_id}/{position}`,
  tag,
  summary: 'Show the way of one message',
  description:
    'Accepted, taken by a carrier in all of its segments, settled by receipts, and each attempt to push its final status.',
  action: 'message.read',
  params: within('batch_id', 'position'),
  answer: { status: 200, schema: MessageTimeline },
});

const replies = { tag, answer: { status: 200, schema: pageOf(ReceivedReply) }, paged: true } as const;

export const listReplies = operation({
  id: 'listReplies',
  method: 'GET',
  path: '/organizations/{organization_id}/replies',
  summary: 'List replies',
  description: `Newest first. ${partialPage}`,
  action: 'message.read',
  params: inOrganization,
  query: pageQuery({
    mobile: Type.Optional(PhoneNumber),
    stop: Type.Optional(
      Type.Boolean({ description: 'Only those that ended all messages to the phone, or only others.' }),
    ),
  }),
  ...replies,
});

export const listUnmatchedReplies = operation({
  id: 'listUnmatchedReplies',
  method: 'GET',
  path: '/instance/replies',
  summary: 'List replies that no route and no message leads to an organization',
  description: 'Newest first.',
  action: 'instance.reply.read',
  query: pageQuery({}),
  ...replies,
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
