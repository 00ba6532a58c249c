import Type from 'typebox';
import { operation } from './operation.ts';
import { closed, extended, Id, pageOf, pageQuery, Time } from './shared-schemas.ts';

const tag = 'accounts';
const Email = Type.String({ minLength: 3, maxLength: 254 });

export const Account = Type.Object(
  {
    id: Id,
    email: Type.String(),
    operator: Type.Boolean({ description: 'Whether the person runs the instance.' }),
    active: Type.Boolean({ description: 'Whether there is anything to sign in with yet.' }),
    disabled: Type.Boolean(),
    created_at: Time,
  },
  { $id: 'Account', ...closed, description: 'A person.' },
);

const WithLink = extended(
  Account,
  {
    link: Type.String({ description: 'Shown in this answer and never again; no mail is sent. Good once.' }),
    expires_at: Time,
  },
  { $id: 'AccountWithLink' },
);

export const listAccounts = operation({
  id: 'listAccounts',
  method: 'GET',
  path: '/instance/accounts',
  tag,
  summary: 'List the people of the instance',
  description: 'In the order their accounts were made.',
  action: 'instance.account.read',
  query: pageQuery({
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'This one alone.' })),
    operator: Type.Optional(Type.Boolean({ description: 'Those who run the instance, or those who do not.' })),
  }),
  answer: { status: 200, schema: pageOf(Account) },
  paged: true,
});

const one = Type.Object({ account_id: Id }, closed);
const onePath = '/instance/accounts/{account_id}';

export const showAccount = operation({
  id: 'showAccount',
  method: 'GET',
  path: onePath,
  tag,
  summary: 'Show a person',
  action: 'instance.account.read',
  params: one,
  answer: { status: 200, schema: Account },
});

export const createOperator = operation({
  id: 'createOperator',
  method: 'POST',
  path: '/instance/operators',
  tag,
  summary: 'Let somebody run the instance',
  description:
    'The link sets a password. Somebody who has an account begins to run the instance by opening the link signed in, and not before.',
  action: 'instance.account.create',
  body: Type.Object({ email: Email }, { $id: 'NewOperator', ...closed }),
  answer: { status: 201, schema: WithLink },
  problems: ['conflict'],
  secret: true,
  fresh: true,
  idempotent: true,
});

export const resetAccount = operation({
  id: 'resetAccount',
  method: 'POST',
  path: `${onePath}/reset`,
  tag,
  summary: 'Let somebody back in who cannot sign in any more',
  description:
    'The link sets a new password, removes every other way to sign in, all second factors and what the identity provider gave, and ends all sessions. Until it is used everything stays as it is.',
  action: 'instance.account.reset',
  params: one,
  answer: { status: 201, schema: WithLink },
  problems: ['conflict'],
  secret: true,
  fresh: true,
  idempotent: true,
});

export const disableAccount = operation({
  id: 'disableAccount',
  method: 'POST',
  path: `${onePath}/disable`,
  tag,
  summary: 'Disable an account',
  description:
    'The person is signed out at once and cannot sign in; nothing of theirs is lost. Nobody disables themselves.',
  action: 'instance.account.disable',
  params: one,
  answer: { status: 200, schema: Account },
  problems: ['conflict'],
  fresh: true,
});

export const enableAccount = operation({
  id: 'enableAccount',
  method: 'POST',
  path: `${onePath}/enable`,
  tag,
  summary: 'Let a disabled account sign in again',
  action: 'instance.account.enable',
  params: one,
  answer: { status: 200, schema: Account },
  fresh: true,
});

export const instanceAccountOperations = [
  listAccounts,
  showAccount,
  createOperator,
  resetAccount,
  disableAccount,
  enableAccount,
] as const;
