import Type from 'typebox';
import { operation } from './operation.ts';
import {
  AllowList,
  closed,
  extended,
  Id,
  inOrganization,
  Name,
  nullable,
  pageOf,
  pageQuery,
  Time,
  within,
} from './shared-schemas.ts';
import { formerToken, HeldTokens, holderChange, permissionChange, shownOnce, TokenRotation } from './token-schemas.ts';

export const MessagingKey = Type.Object(
  {
    id: Id,
    organization_id: Id,
    name: Name,
    enabled: Type.Boolean({ description: 'Off: its token is refused as invalid.' }),
    permitted: Type.Boolean({ description: 'Off: its token is known, but may not send.' }),
    query_token: Type.Boolean({ description: 'Whether `key=` in the URL counts as a credential.' }),
    allow: AllowList,
    expires_at: nullable(Time, { description: 'Until when its token is good. Null: it does not expire.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'MessagingKey', ...closed, description: "What a customer's system sends messages with." },
);
export type MessagingKey = Type.Static<typeof MessagingKey>;

const MessagingKeyDetails = extended(MessagingKey, { tokens: HeldTokens }, { $id: 'MessagingKeyDetails' });

const clear = shownOnce('wxm_');

const tag = 'messaging-keys';
const all = '/organizations/{organization_id}/messaging-keys';
const path = `${all}/{messaging_key_id}` as const;
const one = within('messaging_key_id');

export const listMessagingKeys = operation({
  id: 'listMessagingKeys',
  method: 'GET',
  path: all,
  tag,
  summary: 'List messaging keys',
  description: 'Oldest first.',
  action: 'messaging-key.read',
  params: inOrganization,
  query: pageQuery({}),
  answer: { status: 200, schema: pageOf(MessagingKey) },
  paged: true,
});

export const createMessagingKey = operation({
  id: 'createMessagingKey',
  method: 'POST',
  path: all,
  tag,
  summary: 'Let a program send messages',
  description:
    'Makes a token, which is shown in this answer and never again. A management key that ends makes a messaging key that ends with it.',
  action: 'messaging-key.create',
  params: inOrganization,
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
  tag,
  summary: 'Show a messaging key',
  description: 'With its tokens, never in clear.',
  action: 'messaging-key.read',
  params: one,
  answer: { status: 200, schema: MessagingKeyDetails },
  tagged: MessagingKey,
});

export const updateMessagingKey = operation({
  id: 'updateMessagingKey',
  method: 'PATCH',
  path,
  tag,
  summary: 'Change a messaging key',
  description: 'True from the next request on. Fields that are left out stay as they are.',
  action: 'messaging-key.update',
  params: one,
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
  tag,
  summary: 'Make a new token for a messaging key',
  description: 'It is shown in this answer and never again. The one before stays valid for the overlap.',
  action: 'messaging-key.rotate',
  params: one,
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
  tag,
  summary: 'Delete a messaging key and its tokens',
  description: 'They are refused from the next request on. What was sent with it stays.',
  action: 'messaging-key.delete',
  params: one,
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
