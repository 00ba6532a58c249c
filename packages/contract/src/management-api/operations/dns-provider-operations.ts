import Type from 'typebox';
import { providerKinds } from '../dns-provider-forms.ts';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, listOf, Name, nullable, Time } from '../shared-schemas.ts';

const operation = operationsOf('dns providers');

export const DnsProviderKind = Type.Enum(providerKinds, {
  description: 'How records are set. `manual`: by a person.',
});
export type DnsProviderKind = Type.Static<typeof DnsProviderKind>;

const Options = Type.Record(Type.String({ pattern: '^[a-z0-9-]{1,40}$' }), Type.String({ maxLength: 2000 }), {
  maxProperties: 20,
  description: 'As its kind names them, such as `server` and `zone` of `rfc2136`, `url` of `webhook`, `key-id`.',
});

export const DnsProvider = Type.Object(
  {
    id: Id,
    organization_id: Id,
    name: Name,
    kind: DnsProviderKind,
    options: Options,
    has_secret: Type.Boolean({ description: 'The secret itself is not shown.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'DnsProvider', ...closed, description: 'An account that sets DNS records, to prove names by DNS-01.' },
);
export type DnsProvider = Type.Static<typeof DnsProvider>;

const TestedDnsProvider = Type.Object(
  {
    ok: Type.Boolean(),
    ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
    error: nullable(Type.String(), { description: "Why it failed, in the provider's words. Null: it did not." }),
  },
  { $id: 'TestedDnsProvider', ...closed },
);

const secret = Type.String({ minLength: 1, maxLength: 8000, description: 'The credential, which is kept sealed.' });
const path = '/organizations/{organization_id}/dns-providers';
const one = `${path}/{dns_provider_id}` as const;

export const listDnsProviders = operation({
  id: 'listDnsProviders',
  method: 'GET',
  path,
  summary: 'List the DNS providers',
  description: 'Oldest first.',
  action: 'dns-provider.read',
  ...listOf(DnsProvider),
  everywhere: true,
});

export const createDnsProvider = operation({
  id: 'createDnsProvider',
  method: 'POST',
  path,
  summary: 'Add a DNS provider',
  action: 'dns-provider.create',
  body: Type.Object(
    { name: Name, kind: DnsProviderKind, options: Type.Optional(Options), secret: Type.Optional(secret) },
    { $id: 'NewDnsProvider', ...closed },
  ),
  answer: { status: 201, schema: DnsProvider },
  problems: ['conflict'],
  idempotent: true,
  longBody: true,
});

export const showDnsProvider = operation({
  id: 'showDnsProvider',
  method: 'GET',
  path: one,
  summary: 'Show a DNS provider',
  action: 'dns-provider.read',
  answer: { status: 200, schema: DnsProvider },
  tagged: DnsProvider,
});

export const updateDnsProvider = operation({
  id: 'updateDnsProvider',
  method: 'PATCH',
  path: one,
  summary: 'Change a DNS provider',
  description: 'Absent fields stay as they are; `options` are replaced as a whole. Its kind cannot change.',
  action: 'dns-provider.update',
  body: Type.Object(
    { name: Type.Optional(Name), options: Type.Optional(Options), secret: Type.Optional(secret) },
    { $id: 'DnsProviderUpdate', ...closed, minProperties: 1 },
  ),
  answer: { status: 200, schema: DnsProvider },
  tagged: DnsProvider,
  ifMatch: true,
  longBody: true,
});

export const deleteDnsProvider = operation({
  id: 'deleteDnsProvider',
  method: 'DELETE',
  path: one,
  summary: 'Delete a DNS provider',
  description: 'Refused while a certificate is renewed with it.',
  action: 'dns-provider.delete',
  answer: { status: 204 },
  problems: ['conflict'],
});

export const testDnsProvider = operation({
  id: 'testDnsProvider',
  method: 'POST',
  path: `${one}/test`,
  summary: 'Try a DNS provider',
  description: 'Sets a record of the domain and removes it.',
  action: 'dns-provider.test',
  body: Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) }, { $id: 'DnsProviderTest', ...closed }),
  answer: { status: 200, schema: TestedDnsProvider },
});

export const dnsProviderOperations = [
  listDnsProviders,
  createDnsProvider,
  showDnsProvider,
  updateDnsProvider,
  deleteDnsProvider,
  testDnsProvider,
] as const;
