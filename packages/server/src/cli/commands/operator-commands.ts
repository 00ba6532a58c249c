import { Problem } from '../../runtime/problem.ts';
import type { Arguments, Command, Option } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem, ApiServer } from '../exchange/api-server.ts';
import { textFacts, textTable } from '../text-table.ts';

type Account = ApiItem<'listAccounts'>;
type WithLink = ApiAnswer<'createOperator'>;

const email: Option = { type: 'string', required: true, value: 'ADDRESS', help: "The person's mail address" };

function facts({ id, email, active, disabled, created_at }: Account): string {
  return textFacts({ id, email, active, disabled, created: created_at });
}

function printed(purpose: (operator: Account) => string) {
  return ({ link, expires_at, ...operator }: WithLink): string =>
    [facts(operator), '', `${purpose(operator)}, good once and until ${expires_at}:`, `  ${link}`].join('\n');
}

const setsPassword = 'The link to set a password';
const offers =
  'There is an account with this address. It runs the instance once its owner, signed in, has opened this link';

const create: Command<WithLink> = {
  name: 'operator create',
  machine: true,
  summary: "Make an operator's account: prints a link to set its password",
  options: { email },
  call: (server, args) => server.call('createOperator', { body: { email: args.required('email') } }),
  print: printed(({ active }) => (active ? offers : setsPassword)),
};

const reset: Command<WithLink> = {
  name: 'operator reset',
  machine: true,
  summary: 'Print a link to set a new password, for an operator who cannot sign in',
  options: { email },
  notes:
    'When the link is used, the second factors of the account are removed and all its sessions end. Until then everything stays as it is. It works for any account, not for operators alone.',
  call: async (server, args) => server.call('resetAccount', { params: await findAccount(server, args) }),
  print: printed(() => setsPassword),
};

async function findAccount(server: ApiServer, args: Arguments): Promise<{ readonly account_id: string }> {
  const email = args.required('email');
  const [account] = await server.list('listAccounts', { query: { email } }, { limit: 1 });
  if (account !== undefined) return { account_id: account.id };
  const detail = `There is no account ${email}. "operator list" shows the operators there are.`;
  throw new Problem('not_found', { field: 'email', detail });
}

const list: Command<readonly Account[]> = {
  name: 'operator list',
  summary: 'List the people who run this instance',
  call: (server) => server.list('listAccounts', { query: { operator: true } }),
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

function disabling(disabled: boolean, summary: string): Command<Account> {
  return {
    name: disabled ? 'operator disable' : 'operator enable',
    machine: true,
    summary,
    options: { email, ...(disabled && { yes: yesOption }) },
    async call(server, args, { confirm }) {
      if (!disabled) return server.call('enableAccount', { params: await findAccount(server, args) });
      await confirm(() => ({
        consequence: `${args.required('email')} is signed out at once and refused, until "operator enable".`,
      }));
      return server.call('disableAccount', { params: await findAccount(server, args) });
    },
    print: facts,
  };
}

export const operatorCommands: readonly Command[] = [
  create,
  reset,
  list,
  disabling(true, 'Sign an account out at once and refuse its sign-in; its data stays'),
  disabling(false, 'Let a disabled account sign in again'),
];
