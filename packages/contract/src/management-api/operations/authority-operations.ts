import Type from 'typebox';
import { authorityPresetNames } from '../authority-presets.ts';
import { operationsOf } from '../operation-declaration.ts';
import { closed, Id, listOf, Name, nullable, Time } from '../shared-schemas.ts';

const operation = operationsOf('authorities');

export const AuthorityPreset = Type.Enum(authorityPresetNames, {
  description:
    'An authority whose directory is known. SSL.com has two: `sslcom` for certificates with EC keys, `sslcom-rsa` for those with RSA keys.',
});

export const AccountKeyKind = Type.Enum(['ec256', 'ec384', 'rsa2048']);

const email = Type.String({ minLength: 3, maxLength: 254, description: 'Where the authority writes to.' });
const profile = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,64}$',
  description: 'Of the certificates, as the authority names it. A request may name another one.',
});
const directory = Type.String({ minLength: 9, maxLength: 2000, description: 'The URL of its directory: `https://…`.' });
const rootPem = Type.String({
  minLength: 1,
  maxLength: 100_000,
  description: 'PEM. Roots that its HTTPS may end at, beside those of the machine.',
});
const externalAccount = Type.Object(
  {
    kid: Type.String({ minLength: 1, maxLength: 400 }),
    hmac: Type.String({ minLength: 1, maxLength: 1000, description: 'The HMAC key in base64url, as it was given.' }),
  },
  { ...closed, description: 'The account there that ours is bound to (EAB).' },
);

export const Authority = Type.Object(
  {
    id: Id,
    name: Name,
    preset: nullable(AuthorityPreset),
    directory: Type.String(),
    root_pem: nullable(Type.String(), { description: 'Null: the roots of the machine.' }),
    email: Type.String(),
    account_key: AccountKeyKind,
    account_url: nullable(Type.String(), { description: 'Null: there is no account yet; a test makes it.' }),
    eab_kid: nullable(Type.String(), { description: 'Null: no `external_account` is set. Its key is not shown.' }),
    profile: nullable(Type.String()),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Authority', ...closed, description: 'A certification authority that issues certificates by ACME.' },
);
export type Authority = Type.Static<typeof Authority>;

const OfferedAuthority = Type.Object(
  { id: Id, name: Name, directory: Type.String(), profile: nullable(Type.String()) },
  { $id: 'OfferedAuthority', ...closed, description: 'An authority as those see it who request certificates.' },
);

const TestedAuthority = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether the account is there.' }),
    account_url: nullable(Type.String()),
    existed: nullable(Type.Boolean({ description: 'Whether the account was found; else it was made.' })),
    renewal_info: nullable(Type.Boolean({ description: 'Whether it says when to renew (ARI).' })),
    profiles: Type.Array(Type.String()),
    terms_of_service: nullable(Type.String()),
    ms: Type.Integer({ minimum: 0, description: 'How long it took.' }),
    error: nullable(Type.String(), { description: "Why it failed, in the authority's words. Null: it did not." }),
  },
  { $id: 'TestedAuthority', ...closed },
);

const path = '/instance/authorities';
const one = `${path}/{authority_id}` as const;

export const listAuthorities = operation({
  id: 'listAuthorities',
  method: 'GET',
  path,
  summary: 'List the authorities',
  description: 'Oldest first.',
  action: 'instance.authority.read',
  ...listOf(Authority),
});

export const listOfferedAuthorities = operation({
  id: 'listOfferedAuthorities',
  method: 'GET',
  path: '/organizations/{organization_id}/authorities',
  summary: 'List the authorities that a certificate can be requested from',
  description: 'Oldest first. They are the same for every organization.',
  action: 'authority.read',
  ...listOf(OfferedAuthority),
});

export const createAuthority = operation({
  id: 'createAuthority',
  method: 'POST',
  path,
  summary: 'Add an authority',
  description:
    'Asks nobody: the account is made with the first order, or by a test. The authorities of the presets `zerossl`, `google`, `sslcom` and `sslcom-rsa` make an account only with an `external_account`, which can be set later.',
  action: 'instance.authority.create',
  body: Type.Object(
    {
      name: Name,
      preset: Type.Optional(AuthorityPreset),
      directory: Type.Optional(directory),
      root_pem: Type.Optional(rootPem),
      email,
      account_key: Type.Optional(AccountKeyKind),
      external_account: Type.Optional(externalAccount),
      profile: Type.Optional(profile),
    },
    { $id: 'NewAuthority', ...closed, description: 'With `preset` or `directory`, one of both.' },
  ),
  answer: { status: 201, schema: Authority },
  problems: ['conflict'],
  idempotent: true,
  longBody: true,
});

export const showAuthority = operation({
  id: 'showAuthority',
  method: 'GET',
  path: one,
  summary: 'Show an authority',
  action: 'instance.authority.read',
  answer: { status: 200, schema: Authority },
  tagged: Authority,
});

export const updateAuthority = operation({
  id: 'updateAuthority',
  method: 'PATCH',
  path: one,
  summary: 'Change an authority',
  description:
    'Absent fields stay as they are. Another directory, or another account there, makes a new account. Another directory is refused while a certificate that is not revoked is renewed by the authority. The authority is told another email address by the next test.',
  action: 'instance.authority.update',
  body: Type.Object(
    {
      name: Type.Optional(Name),
      directory: Type.Optional(directory),
      root_pem: Type.Optional(nullable(rootPem)),
      email: Type.Optional(email),
      external_account: Type.Optional(nullable(externalAccount)),
      profile: Type.Optional(nullable(profile)),
    },
    { $id: 'AuthorityUpdate', ...closed, minProperties: 1 },
  ),
  answer: { status: 200, schema: Authority },
  problems: ['conflict'],
  tagged: Authority,
  ifMatch: true,
  longBody: true,
});

export const deleteAuthority = operation({
  id: 'deleteAuthority',
  method: 'DELETE',
  path: one,
  summary: 'Delete an authority',
  description:
    'Refused while a certificate that is not revoked is renewed by it. The account stays there, and its key is lost here.',
  action: 'instance.authority.delete',
  answer: { status: 204 },
  problems: ['conflict'],
});

export const testAuthority = operation({
  id: 'testAuthority',
  method: 'POST',
  path: `${one}/test`,
  summary: 'Try an authority',
  description: 'Reads its directory, finds or makes the account, and tells the authority the email address.',
  action: 'instance.authority.test',
  answer: { status: 200, schema: TestedAuthority },
});

const RolledAuthorityKey = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether the account has the new key.' }),
    account_url: nullable(Type.String()),
    error: nullable(Type.String(), { description: "Why it failed, in the authority's words. Null: it did not." }),
  },
  { $id: 'RolledAuthorityKey', ...closed },
);

export const rollAuthorityKey = operation({
  id: 'rollAuthorityKey',
  method: 'POST',
  path: `${one}/roll-key`,
  summary: 'Give the account at an authority another key',
  description:
    'The account stays the same (RFC 8555 §7.3.5); its former key is good for nothing from then on. After a failure the next call goes on: with the same new key, where the authority may know it.',
  action: 'instance.authority.update',
  answer: { status: 200, schema: RolledAuthorityKey },
});

export const authorityOperations = [
  listAuthorities,
  listOfferedAuthorities,
  createAuthority,
  showAuthority,
  updateAuthority,
  deleteAuthority,
  testAuthority,
  rollAuthorityKey,
] as const;
