import { providerKinds as kinds } from '@waxwing/contract/management-api/dns-provider-forms.ts';
import { type Arguments, type Command, type Option, type Positional, Usage } from '../command.ts';
import { yesOption } from '../confirmation.ts';
import type { ApiAnswer, ApiItem } from '../exchange/api-server.ts';
import { oneOf, onlyOfOption, organizationOption, ownerOption, present } from '../option-values.ts';
import { readSecret } from '../person-files.ts';
import { plainText, textFacts, textTable } from '../text-table.ts';
import { find, organizationIfGiven, organizationOf } from './find-thing.ts';

type DnsProvider = ApiItem<'listDnsProviders'>;

const providerId: Positional = { name: 'ID', help: 'The DNS provider, as "dns-provider list" shows it' };

const account = {
  option: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    help: 'rfc2136: server, zone, key-name, algorithm; webhook: url; others: key-id',
  },
  'secret-file': { type: 'string', value: 'FILE', help: 'Where its credential is: a token, or a TSIG key in base64' },
} as const satisfies Record<string, Option>;

function optionsOf(args: Arguments): Readonly<Record<string, string>> {
  const options: Record<string, string> = {};
  for (const text of args.list('option')) {
    const [, name, value] = /^([a-z0-9-]{1,40})=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new Usage('--option must be NAME=VALUE, such as zone=example.com.');
    if (Object.hasOwn(options, name)) throw new Usage(`--option ${name} was given twice.`);
    options[name] = value;
  }
  return options;
}

function facts(provider: DnsProvider): string {
  return textFacts({
    id: provider.id,
    name: provider.name,
    organization: provider.organization_id,
    kind: provider.kind,
    options: Object.entries(provider.options)
      .map(([name, value]) => `${name}=${value}`)
      .join(' '),
    secret: provider.has_secret ? 'kept' : 'none',
  });
}

const create: Command<DnsProvider> = {
  name: 'dns-provider create',
  summary: 'Add an account that sets DNS records, to prove names by DNS-01',
  options: {
    organization: organizationOption,
    name: { type: 'string', required: true, value: 'N', help: 'A name for it' },
    kind: { type: 'string', required: true, value: 'KIND', help: `One of ${kinds.join(', ')}` },
    ...account,
  },
  async call(server, args, { terminal }) {
    const body = {
      name: args.required('name'),
      kind: oneOf('kind', args.required('kind'), kinds),
      options: optionsOf(args),
      ...present('secret', readSecret('secret-file', args.optional('secret-file'), terminal.folder)),
    };
    return server.call('createDnsProvider', { params: { organization_id: await organizationOf(server, args) }, body });
  },
  print: facts,
};

const update: Command<DnsProvider> = {
  name: 'dns-provider update',
  summary: 'Change a DNS provider; its options are replaced as a whole',
  positionals: [providerId],
  options: { name: { type: 'string', value: 'N', help: 'Its new name' }, ...account, organization: ownerOption },
  async call(server, args, { terminal }) {
    const body = {
      ...present('name', args.optional('name')),
      ...present('options', args.flag('option') ? optionsOf(args) : undefined),
      ...present('secret', readSecret('secret-file', args.optional('secret-file'), terminal.folder)),
    };
    if (Object.keys(body).length === 0) throw new Usage('Nothing to change was named.', this.name);
    const params = await find(server, 'dns provider', args);
    return server.call('updateDnsProvider', { params, body, readBy: 'showDnsProvider' });
  },
  print: facts,
};

const list: Command<readonly DnsProvider[]> = {
  name: 'dns-provider list',
  summary: 'List the DNS providers, oldest first',
  options: { organization: onlyOfOption },
  call: async (server, args) =>
    server.list('listDnsProviders', { params: { organization_id: await organizationIfGiven(server, args) } }),
  print: (providers) =>
    textTable(
      providers,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        KIND: ({ kind }) => kind,
        ORGANIZATION: ({ organization_id }) => organization_id,
      },
      'There is no DNS provider here. Add one: waxwing dns-provider create',
    ),
};

const show: Command<DnsProvider> = {
  name: 'dns-provider show',
  summary: 'Show a DNS provider',
  positionals: [providerId],
  options: { organization: ownerOption },
  call: async (server, args) => server.call('showDnsProvider', { params: await find(server, 'dns provider', args) }),
  print: facts,
};

const remove: Command<{ readonly id: string }> = {
  name: 'dns-provider delete',
  summary: 'Delete a DNS provider that renews no certificate',
  positionals: [providerId],
  options: { organization: ownerOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const params = await find(server, 'dns provider', args);
    await confirm(async () => {
      const { name } = await server.call('showDnsProvider', { params });
      return { consequence: `The credential of ${name} is deleted here, for good.`, name };
    });
    await server.call('deleteDnsProvider', { params });
    return { id: params.dns_provider_id };
  },
  print: ({ id }) => `DNS provider ${id} is deleted.`,
};

const tryOut: Command<ApiAnswer<'testDnsProvider'> & { readonly id: string }> = {
  name: 'dns-provider test',
  summary: 'Set a record of a domain and remove it',
  positionals: [providerId],
  options: {
    domain: { type: 'string', required: true, value: 'D', help: 'A domain whose records it can set' },
    organization: ownerOption,
  },
  notes: "The exit code is 1 when it failed, with the provider's own words.",
  async call(server, args) {
    const params = await find(server, 'dns provider', args);
    const tested = await server.call('testDnsProvider', { params, body: { domain: args.required('domain') } });
    return { id: params.dns_provider_id, ...tested };
  },
  print: ({ ms, error }) =>
    error === null ? `It works, and took ${ms} ms.` : `It failed after ${ms} ms: ${plainText(error)}`,
  isFailure: ({ ok }) => !ok,
};

export const dnsProviderCommands: readonly Command[] = [create, update, list, show, tryOut, remove];
