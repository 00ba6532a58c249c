import type { Operator } from '../accounts/account.ts';
import type { OneTimeLink } from '../accounts/one-time-link.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { Command, Option } from './command.ts';
import { yesOption } from './confirmation.ts';
import { textFacts, textTable } from './text-table.ts';

const email: Option = { type: 'string', required: true, value: 'ADDRESS', help: "The person's mail address" };

interface ByEmail {
  readonly email: string;
}

/** The link is in the clear: shown once, here. */
type WithLink = Operator & { readonly link: string; readonly expires_at: string };

function withLink(operator: Operator, link: OneTimeLink): WithLink {
  return {
    ...operator,
    link: link.url.reveal(),
    expires_at: toRfc3339(link.expiresAt),
  };
}

function facts({ id, email, active, disabled, created_at }: Operator): string {
  return textFacts({ id, email, active, disabled, created: created_at });
}

function printed(purpose: (operator: Operator) => string) {
  return ({ link, expires_at, ...operator }: WithLink): string =>
    [facts(operator), '', `${purpose(operator)}, good once and until ${expires_at}:`, `  ${link}`].join('\n');
}

const setsPassword = 'The link to set a password';
const offers =
  'There is an account with this address. It runs the instance once its owner, signed in, has opened this link';

const create: Command<ByEmail, WithLink> = {
  name: 'operator create',
  summary: 'Make an account that runs this instance: prints a link to set its password',
  options: { email },
  prepare: (args) => ({ email: args.required('email') }),
  async run(application, { email }, actor) {
    const { operator, link } = await application.operators.create(actor, email);
    return withLink(operator, link);
  },
  print: printed(({ active }) => (active ? offers : setsPassword)),
};

const reset: Command<ByEmail, WithLink> = {
  name: 'operator reset',
  summary: 'Let somebody back in who cannot sign in: prints a link to set a new password',
  options: { email },
  notes:
    'When the link is used, the second factors of the account are removed and all its sessions end. Until then everything stays as it is. It works for any account, not for operators alone.',
  prepare: (args) => ({ email: args.required('email') }),
  async run(application, { email }, actor) {
    const { operator, link } = await application.operators.reset(actor, email);
    return withLink(operator, link);
  },
  print: printed(() => setsPassword),
};

const list: Command<object, readonly Operator[]> = {
  name: 'operator list',
  summary: 'List the people who run this instance',
  prepare: () => ({}),
  run: (application) => application.operators.list(),
  remote: (server) => server.list('listAccounts', { query: { operator: true } }),
  print: (operators) =>
    textTable(
      operators,
      {
        ID: ({ id }) => id,
        EMAIL: ({ email }) => email,
        ACTIVE: ({ active }) => active,
        DISABLED: ({ disabled }) => disabled,
        CREATED: ({ created_at }) => created_at,
      },
      'Nobody runs this instance yet. Begin with: waxwing operator create --email ADDRESS',
    ),
};

function disabling(disabled: boolean, summary: string): Command<ByEmail, Operator> {
  return {
    name: disabled ? 'operator disable' : 'operator enable',
    summary,
    options: { email, ...(disabled && { yes: yesOption }) },
    prepare: (args) => ({ email: args.required('email') }),
    ...(disabled && {
      question: async ({ email }: ByEmail) => ({
        consequence: `${email} is signed out at once and refused, until "operator enable".`,
      }),
    }),
    run: (application, { email }, actor) => application.operators.setDisabled(actor, email, disabled),
    print: facts,
  };
}

export const operatorCommands: readonly Command[] = [
  create,
  reset,
  list,
  disabling(true, 'Sign an account out at once and refuse it; nothing of it is lost'),
  disabling(false, 'Let a disabled account sign in again'),
];
