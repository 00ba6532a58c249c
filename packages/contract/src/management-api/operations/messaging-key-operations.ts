import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { AllowList, closed, extended, Id, listOf, Name, nullable, Time } from '../shared-schemas.ts';
import { formerToken, HeldTokens, holderChange, permissionChange, shownOnce, TokenRotation } from '../token-schemas.ts';

export const MessagingKey = Type.Object(
  {
    id: Id,
    organization_id: Id,
    name: Name,
    enabled: Type.Boolean({ description: 'False: its token is refused as invalid.' }),
    permitted: Type.Boolean({ description: 'False: its token is valid, but may not send.' }),
    query_token: Type.Boolean({ description: 'Whether `key=` in the URL counts as a credential.' }),
    allow: AllowList,
    expires_at: nullable(Time, { description: 'When its token expires. Null: never.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'MessagingKey', ...closed, description: "The key of a customer's system for sending messages." },
);
export type MessagingKey = Type.Static<typeof MessagingKey>;

const MessagingKeyDetails = extended(MessagingKey, { tokens: HeldTokens }, { $id: 'MessagingKeyDetails' });

const clear = shownOnce('wxm_');

const operation = operationsOf('messaging-keys');
const all = '/organizations/{organization_id}/messaging-keys';
const path = `${all}/{messaging_key_id}` as const;

export const listMessagingKeys = operation({
  id: 'listMessagingKeys',
  method: 'GET',
  path: all,
  summary: 'List messaging keys',
  description: 'Oldest first.',
  action: 'messaging-key.read',
  ...listOf(MessagingKey),
  everywhere: true,
});

export const createMessagingKey = operation({
  id: 'createMessagingKey',
  method: 'POST',
  path: all,
  summary: 'Let a program send messages',
  description:
    'Makes a token, shown only in this answer. A messaging key made by a management key expires with that key at the latest.',
  action: 'messaging-key.create',
  body: Type.Object({ name: Name, allow: AllowList }, { $id: 'NewMessagingKey', ...closed }),
  longBody: true,
  answer: { status: 201, schema: extended(MessagingKey, clear, { $id: 'MessagingKeyWithToken' }) },
  secret: true,
  idempotent: true,
});

export const showMessagingKey = operation({
  id: 'showMessagingKey',
  method: 'GET',
  path,
  summary: 'Show a messaging key',
  description: 'With its tokens, never in clear.',
  action: 'messaging-key.read',
  answer: { status: 200, schema: MessagingKeyDetails },
  tagged: MessagingKey,
});

export const updateMessagingKey = operation({
  id: 'updateMessagingKey',
  method: 'PATCH',
  path,
  summary: 'Change a messaging key',
  description: 'Takes effect on the next request. Absent fields stay as they are.',
  action: 'messaging-key.update',
  body: Type.Object(
    { ...holderChange, ...permissionChange },
    { $id: 'MessagingKeyUpdate', ...closed, minProperties: 1 },
  ),
  longBody: true,
  answer: { status: 200, schema: MessagingKey },
  tagged: MessagingKey,
  ifMatch: true,
});

export const rotateMessagingKey = operation({
  id: 'rotateMessagingKey',
  method: 'POST',
  path: `${path}/rotate`,
  summary: 'Make a new token for a messaging key',
  description: 'It is shown only in this answer. The former one stays valid for the overlap.',
  action: 'messaging-key.rotate',
  body: TokenRotation,
  answer: {
    status: 201,
    schema: extended(MessagingKey, { ...clear, ...formerToken }, { $id: 'RotatedMessagingKey' }),
  },
  secret: true,
  idempotent: true,
});

export const deleteMessagingKey = operation({
  id: 'deleteMessagingKey',
  method: 'DELETE',
  path,
  summary: 'Delete a messaging key and its tokens',
  description: 'They are refused from the next request on. Messages sent with it stay.',
  action: 'messaging-key.delete',
  answer: { status: 204 },
});

export const messagingKeyOperations = [
  listMessagingKeys,
  createMessagingKey,
  showMessagingKey,
  updateMessagingKey,
  rotateMessagingKey,
  deleteMessagingKey,
] as const;
