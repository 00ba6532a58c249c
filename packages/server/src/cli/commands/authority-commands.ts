import { resolve } from 'node:path';
import { authorityPresetNames as presets } from '@waxwing/contract/management-api/authority-presets.ts';
import { type Arguments, type Command, type Option, type Place, type Positional, Usage } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem, ApiServer } from '../exchange/api-server.ts';
import { mapped, oneOf, present } from '../option-values.ts';
import { readFiles, readSecret } from '../person-files.ts';
import { plainText, textFacts, textTable } from '../text-table.ts';
import { organizationIfGiven, pick } from './find-thing.ts';

type Authority = ApiItem<'listAuthorities'>;
type Offered = ApiItem<'listOfferedAuthorities'>;

const authorityId: Positional = { name: 'ID', help: 'The authority, as "authority list" shows it' };
const accountKeys = ['ec256', 'ec384', 'rsa2048'] as const;
const rootBytes = 100_000;

const place = {
  directory: { type: 'string', value: 'URL', help: 'Its ACME directory: https://…' },
  'root-file': {
    type: 'string',
    value: 'FILE',
    help: 'PEM: roots that its HTTPS may end at, beside those of the machine',
  },
} as const satisfies Record<string, Option>;

const account = {
  'eab-kid': { type: 'string', value: 'K', help: 'The account there that ours is bound to' },
  'eab-hmac-file': { type: 'string', value: 'FILE', help: 'Where its HMAC key is, in base64url' },
  profile: { type: 'string', value: 'P', help: 'Of the certificates, where it has several' },
} as const satisfies Record<string, Option>;

function externalOf(args: Arguments, { terminal }: Place, command: string) {
  const kid = args.optional('eab-kid');
  const hmac = readSecret('eab-hmac-file', args.optional('eab-hmac-file'), terminal.folder);
  if ((kid === undefined) !== (hmac === undefined)) throw new Usage('--eab-kid goes with --eab-hmac-file.', command);
  return present('external_account', kid === undefined || hmac === undefined ? undefined : { kid, hmac });
}

function rootsOf(args: Arguments, { terminal }: Place) {
  const path = args.optional('root-file');
  const [file] = path === undefined ? [] : readFiles('root-file', [resolve(terminal.folder, path)], rootBytes);
  return present('root_pem', file?.bytes.toString());
}

function facts(authority: Authority): string {
  return textFacts({
    id: authority.id,
    name: authority.name,
    directory: authority.directory,
    roots: authority.root_pem === null ? 'those of the machine' : 'its own',
    email: authority.email,
    'account key': authority.account_key,
    account: authority.account_url ?? 'none yet: "authority test" makes it',
    ...present('external account', authority.eab_kid ?? undefined),
    ...present('profile', authority.profile ?? undefined),
  });
}

const create: Command<ApiAnswer<'createAuthority'>> = {
  name: 'authority create',
  summary: 'Add a certification authority that issues certificates by ACME',
  options: {
    name: { type: 'string', required: true, value: 'N', help: 'A name for it' },
    preset: { type: 'string', value: 'P', help: `One of ${presets.join(', ')}` },
    ...place,
    email: { type: 'string', required: true, value: 'M', help: 'Where the authority writes to' },
    ...account,
    'account-key': { type: 'string', value: 'KIND', help: `The key of the account: ${accountKeys.join(', ')}` },
  },
  notes:
    'Nobody is asked yet. "authority test" makes the account and tells whether it works. Some authorities make one only with --eab-kid and --eab-hmac-file; "authority update" takes them later.',
  async call(server, args, where) {
    if (args.flag('preset') === args.flag('directory')) throw new Usage('Give --preset or --directory.', this.name);
    const body = {
      name: args.required('name'),
      email: args.required('email'),
      ...present(
        'preset',
        mapped(args, 'preset', (option, text) => oneOf(option, text, presets)),
      ),
      ...present('directory', args.optional('directory')),
      ...rootsOf(args, where),
      ...externalOf(args, where, this.name),
      ...present('profile', args.optional('profile')),
      ...present(
        'account_key',
        mapped(args, 'account-key', (option, text) => oneOf(option, text, accountKeys)),
      ),
    };
    return server.call('createAuthority', { body });
  },
  print: facts,
};

const contradictions = [
  ['root-file', 'machine-roots'],
  ['eab-kid', 'no-eab'],
  ['eab-hmac-file', 'no-eab'],
  ['profile', 'no-profile'],
] as const;

const update: Command<Authority> = {
  name: 'authority update',
  summary: 'Change an authority',
  positionals: [authorityId],
  notes: 'The directory stays while a certificate is renewed by it: create another authority for another one.',
  options: {
    name: { type: 'string', value: 'N', help: 'Its new name' },
    ...place,
    'machine-roots': { type: 'boolean', help: 'Check its HTTPS by the roots of the machine alone again' },
    email: { type: 'string', value: 'M', help: 'Where the authority writes to; "authority test" tells it' },
    ...account,
    'no-eab': { type: 'boolean', help: 'Its account is bound to no other there any more; makes a new account' },
    'no-profile': { type: 'boolean', help: 'Name no profile any more' },
  },
  async call(server, args, where) {
    for (const [set, remove] of contradictions) {
      if (args.flag(set) && args.flag(remove)) throw new Usage(`Give --${set} or --${remove}, not both.`, this.name);
    }
    const body = {
      ...present('name', args.optional('name')),
      ...present('directory', args.optional('directory')),
      ...present('email', args.optional('email')),
      ...(args.flag('no-profile') ? { profile: null } : present('profile', args.optional('profile'))),
      ...(args.flag('machine-roots') ? { root_pem: null } : rootsOf(args, where)),
      ...(args.flag('no-eab') ? { external_account: null } : externalOf(args, where, this.name)),
    };
    if (Object.keys(body).length === 0) throw new Usage('Nothing to change was named.', this.name);
    const { id: authority_id } = await findAuthority(server, args);
    return server.call('updateAuthority', { params: { authority_id }, body, readBy: 'showAuthority' });
  },
  print: facts,
};

const list: Command<readonly (Authority | Offered)[]> = {
  name: 'authority list',
  summary: 'List the authorities, oldest first',
  options: {
    organization: { type: 'string', value: 'ID', help: 'Those that this organization can request certificates from' },
  },
  notes: 'Accounts are shown to operators only. A key of an organization needs --organization.',
  async call(server, args) {
    const organization_id = await organizationIfGiven(server, args);
    return organization_id === undefined
      ? server.list('listAuthorities')
      : server.list('listOfferedAuthorities', { params: { organization_id } });
  },
  print: (authorities, args) =>
    textTable<Authority | Offered>(
      authorities,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        DIRECTORY: ({ directory }) => directory,
        ...(args.flag('organization') ? { PROFILE: ({ profile }) => profile ?? '' } : accountColumns),
      },
      'There is no authority here. An operator adds one: waxwing authority create',
    ),
};

const accountColumns = {
  EMAIL: (authority: Authority | Offered) => ('email' in authority ? authority.email : ''),
  ACCOUNT: (authority: Authority | Offered) =>
    'account_url' in authority ? (authority.account_url ?? 'none yet') : '',
};

const show: Command<Authority> = {
  name: 'authority show',
  summary: 'Show an authority',
  positionals: [authorityId],
  options: {},
  call: (server, args) => findAuthority(server, args),
  print: facts,
};

const remove: Command<{ readonly id: string }> = {
  name: 'authority delete',
  summary: 'Delete an authority that renews no certificate',
  positionals: [authorityId],
  options: { yes: yesOption },
  async call(server, args, { confirm }) {
    const { id, name } = await findAuthority(server, args);
    await confirm(() => ({ consequence: `The key of the account at ${name} is lost, for good.`, name }));
    await server.call('deleteAuthority', { params: { authority_id: id } });
    return { id };
  },
  print: ({ id }) => `Authority ${id} is deleted.`,
};

const tryOut: Command<ApiAnswer<'testAuthority'> & { readonly id: string }> = {
  name: 'authority test',
  summary: 'Ask an authority for its directory, and find or make the account there',
  positionals: [authorityId],
  options: {},
  notes: "The exit code is 1 when it failed, with the authority's own words.",
  async call(server, args) {
    const { id } = await findAuthority(server, args);
    return { id, ...(await server.call('testAuthority', { params: { authority_id: id } })) };
  },
  print: ({ error, account_url, existed, renewal_info, profiles, ms }) =>
    error === null
      ? textFacts({
          account: `${account_url ?? ''} (${existed === true ? 'found' : 'made'})`,
          'tells when to renew': renewal_info === true,
          profiles: profiles.join(', '),
          took: `${ms} ms`,
        })
      : `It failed after ${ms} ms: ${plainText(error)}`,
  isFailure: ({ ok }) => !ok,
};

const rollKey: Command<ApiAnswer<'rollAuthorityKey'> & { readonly id: string }> = {
  name: 'authority roll-key',
  summary: 'Give the account at an authority another key; the former one is good for nothing then',
  positionals: [authorityId],
  options: {},
  notes: 'The exit code is 1 when it failed. Run it again then: it goes on where it was.',
  async call(server, args) {
    const { id } = await findAuthority(server, args);
    return { id, ...(await server.call('rollAuthorityKey', { params: { authority_id: id } })) };
  },
  print: ({ account_url, error }) =>
    error === null ? `The account ${account_url ?? ''} has a new key.` : `It failed: ${plainText(error)}`,
  isFailure: ({ ok }) => !ok,
};

function findAuthority(server: ApiServer, args: Arguments): Promise<Authority> {
  return pick(args.positional('ID'), 'authority', ({ search: _all, ...part }) =>
    server.list('listAuthorities', {}, part),
  );
}

export const authorityCommands: readonly Command[] = [create, update, list, show, tryOut, rollKey, remove];
