import Type from 'typebox';
import { operationsOf } from '../operation-declaration.ts';
import { closed, extended, Id, pageOf, pageQuery, Time } from '../shared-schemas.ts';

const operation = operationsOf('accounts');
const Email = Type.String({ minLength: 3, maxLength: 254 });

export const Account = Type.Object(
  {
    id: Id,
    email: Type.String(),
    operator: Type.Boolean({ description: 'Whether the person runs the instance.' }),
    active: Type.Boolean({
      description: 'Whether the person has set a password, or is an operator by the identity provider.',
    }),
    disabled: Type.Boolean(),
    created_at: Time,
  },
  { $id: 'Account', ...closed, description: 'A person.' },
);

const WithLink = extended(
  Account,
  {
    link: Type.String({ description: 'Shown only in this answer; no email is sent. Works once.' }),
    expires_at: Time,
  },
  { $id: 'AccountWithLink' },
);

export const listAccounts = operation({
  id: 'listAccounts',
  method: 'GET',
  path: '/instance/accounts',
  summary: 'List the people of the instance',
  description: 'In the order of account creation.',
  action: 'instance.account.read',
  query: pageQuery({
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Only this account.' })),
    operator: Type.Optional(Type.Boolean({ description: 'Only operators, or only other people.' })),
  }),
  answer: { status: 200, schema: pageOf(Account) },
  paged: true,
});

const onePath = '/instance/accounts/{account_id}';

export const showAccount = operation({
  id: 'showAccount',
  method: 'GET',
  path: onePath,
  summary: 'Show a person',
  action: 'instance.account.read',
  answer: { status: 200, schema: Account },
});

export const createOperator = operation({
  id: 'createOperator',
  method: 'POST',
  path: '/instance/operators',
  summary: 'Make a person operator of the instance',
  description:
    'A person who cannot sign in yet sets a password by the link. Anybody else opens the link while signed in, and becomes operator by that.',
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
  summary: 'Reset the sign-in of a person',
  description:
    'The link sets a new password, removes every other way to sign in, all second factors and the roles of the identity provider, and ends all sessions. Nothing changes until it is used.',
  action: 'instance.account.reset',
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
  summary: 'Disable an account',
  description:
    'The person is signed out at once and cannot sign in, but loses no data. You cannot disable your own account.',
  action: 'instance.account.disable',
  answer: { status: 200, schema: Account },
  problems: ['conflict'],
  fresh: true,
});

export const enableAccount = operation({
  id: 'enableAccount',
  method: 'POST',
  path: `${onePath}/enable`,
  summary: 'Let a disabled account sign in again',
  action: 'instance.account.enable',
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
