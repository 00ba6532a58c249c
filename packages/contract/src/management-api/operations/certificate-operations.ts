import Type, { type TSchema } from 'typebox';
import { renewalDays } from '../../renewal-days.ts';
import {
  CertificateKeyKind,
  ChallengeKind,
  IssuanceStep,
  IssuingAuthority,
  issuanceFields,
  listedIssuanceFields,
  Renewal,
} from '../issuance-schemas.ts';
import { operationsOf } from '../operation-declaration.ts';
import {
  closed,
  extended,
  Fault,
  Id,
  listOf,
  Name,
  nullable,
  partialPage,
  searchText,
  Time,
} from '../shared-schemas.ts';

const State = Type.Enum(['pending', 'issued', 'failed', 'revoked'], { $id: 'CertificateState' });

const Rollout = Type.Object(
  {
    current: Type.Integer({ minimum: 0 }),
    total: Type.Integer({ minimum: 0 }),
  },
  {
    $id: 'Rollout',
    ...closed,
    description:
      'How many of the deployments that can fetch the current version have fetched it last, and how many can: they are enabled, permitted and not expired, and neither certificate nor version is revoked.',
  },
);

export const Certificate = Type.Object(
  {
    id: Id,
    organization_id: Id,
    name: Type.String({ minLength: 1 }),
    state: State,
    source: Type.Enum(['imported', 'acme']),
    version: nullable(Id, { description: 'The current version. Null while nothing has been issued.' }),
    version_state: nullable(Type.Enum(['issued', 'revoked']), {
      description:
        'Of the current version. When it is revoked, requests without a version are refused until another version is imported.',
    }),
    domains: Type.Array(Type.String(), {
      description: 'Of the current version, IP addresses included. In a list the first 100.',
    }),
    domain_count: Type.Integer({ minimum: 0, description: 'How many domains there are.' }),
    expires_at: nullable(Time, { description: 'Null while nothing has been issued.' }),
    warnings: Type.Array(Fault, {
      description:
        'What is worth a look in the current version and its chain, checked every day: `missing_intermediate`, …',
    }),
    rollout: Rollout,
    ...listedIssuanceFields,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Certificate', ...closed, description: 'A certificate. Holds no key.' },
);
export type Certificate = Type.Static<typeof Certificate>;

export const CertificateVersion = Type.Object(
  {
    id: Id,
    number: Type.Integer({ minimum: 1 }),
    state: Type.Enum(['issued', 'revoked']),
    place: Type.Enum(['current', 'former', 'history'], {
      description: '`current` answers a plain request, `former` still answers `?version=`.',
    }),
    domains: Type.Array(Type.String(), { description: 'The first 100.' }),
    domain_count: Type.Integer({ minimum: 0, description: 'How many domains there are.' }),
    serial: Type.String(),
    fingerprint_sha256: Type.String(),
    issuer: Type.String(),
    subject: Type.String(),
    key_type: Type.String(),
    not_before: Time,
    expires_at: Time,
    created_at: Time,
    revoked_at: nullable(Time),
  },
  { $id: 'CertificateVersion', ...closed },
);
export type CertificateVersion = Type.Static<typeof CertificateVersion>;

const ChainLink = Type.Object(
  {
    subject: Type.String({ description: 'RFC 4514, most specific part first.' }),
    issuer: Type.String(),
    serial: Type.String(),
    fingerprint_sha256: Type.String(),
    key_type: Type.String(),
    not_before: Time,
    expires_at: Time,
  },
  { $id: 'ChainLink', ...closed },
);

const CertificateDetails = extended(
  Certificate,
  {
    versions: Type.Array(CertificateVersion, {
      description:
        'The newest 50, newest first, then the current one where it is older. `listCertificateVersions` has all.',
    }),
    ...issuanceFields,
  },
  { $id: 'CertificateDetails' },
);

const base64 = { pattern: '^[A-Za-z0-9+/]*={0,2}$', contentEncoding: 'base64' } as const;

/** A pair of the same value in the version that is current and in the one that would follow it. */
const beforeAndAfter = <const Schema extends TSchema>(schema: Schema) => ({ before: schema, after: schema });

/** Of the version that is current and one that would follow it. */
export const Comparison = Type.Object(
  {
    id: Id,
    name: Type.String({ description: 'Of the certificate.' }),
    version: Id,
    number: Type.Integer({ minimum: 1, description: 'Of the version that is current.' }),
    gained: Type.Array(Type.String(), { description: 'Domains that only the next version has.' }),
    lost: Type.Array(Type.String(), { description: 'Domains that only the current version has.' }),
    key: Type.Object({ ...beforeAndAfter(Type.String()), same_key: Type.Boolean() }, closed),
    issuer: Type.Object(beforeAndAfter(Type.String()), closed),
    chain: Type.Object(beforeAndAfter(Type.Integer({ minimum: 1, description: 'How many certificates.' })), closed),
    expires: Type.Object(beforeAndAfter(Time), closed),
    deployments: Type.Array(Type.String(), { description: 'The first 20 enabled ones, by name.' }),
    deployment_count: Type.Integer({ minimum: 0, description: 'Enabled deployments. They fetch the next version.' }),
    needs_confirmation: Type.Boolean({ description: 'Whether domains are lost while a deployment is enabled.' }),
  },
  { $id: 'Comparison', ...closed, description: 'What changes for servers when the next version becomes current.' },
);
export type Comparison = Type.Static<typeof Comparison>;

/** The instance's import limit counts the bytes of all files together. */
const ImportFile = Type.Union(
  [
    Type.Object({ name: Name, text: Type.String({ description: 'A PEM file as text.' }) }, closed),
    Type.Object({ name: Name, base64: Type.String({ ...base64, description: 'Any file in base64.' }) }, closed),
  ],
  { $id: 'ImportFile' },
);

const operation = operationsOf('certificates');
const path = '/organizations/{organization_id}/certificates/{certificate_id}';
const version = Type.Optional(
  Type.String({ maxLength: 64, description: 'Instead of the current version, by its id.' }),
);

export const listCertificates = operation({
  id: 'listCertificates',
  method: 'GET',
  path: '/organizations/{organization_id}/certificates',
  summary: 'List certificates',
  description: `Oldest first. With \`search\`: ${partialPage}`,
  action: 'certificate.read',
  ...listOf(Certificate, {
    state: Type.Optional(State),
    search: searchText('A part of the name or of a domain, in any letter case.'),
    expires_before: Type.Optional(Time),
  }),
  everywhere: true,
});

export const showCertificate = operation({
  id: 'showCertificate',
  method: 'GET',
  path,
  summary: 'Show a certificate with its newest versions',
  action: 'certificate.read',
  answer: { status: 200, schema: CertificateDetails },
});

export const updateCertificate = operation({
  id: 'updateCertificate',
  method: 'PATCH',
  path,
  summary: 'Rename a certificate',
  action: 'certificate.update',
  body: Type.Object({ name: Name }, { $id: 'CertificateUpdate', ...closed }),
  answer: { status: 200, schema: CertificateDetails },
});

export const deleteCertificate = operation({
  id: 'deleteCertificate',
  method: 'DELETE',
  path,
  summary: 'Delete a certificate with all versions and private keys',
  description:
    'Refused while it has a deployment. This cannot be undone. The audit trail keeps its entries. A certificate that is still valid should be revoked at its issuer.',
  action: 'certificate.delete',
  answer: { status: 204 },
  problems: ['conflict'],
});

export const listCertificateVersions = operation({
  id: 'listCertificateVersions',
  method: 'GET',
  path: `${path}/versions`,
  summary: 'List the versions of a certificate',
  description: 'Newest first.',
  action: 'certificate.read',
  ...listOf(CertificateVersion),
});

const importedFiles = {
  files: Type.Array(ImportFile, { minItems: 1, maxItems: 20 }),
  password: Type.Optional(Type.String({ maxLength: 1024, description: 'For encrypted files.' })),
  onto: Type.Optional(
    Type.String({ maxLength: 64, description: 'The certificate that gets a new version; it keeps its name.' }),
  ),
};

export const importCertificate = operation({
  id: 'importCertificate',
  method: 'POST',
  path: '/organizations/{organization_id}/certificates',
  summary: 'Import a certificate with its chain and private key',
  description:
    'PEM, DER or PKCS#12, in any order and number of files. Every fault is listed at once, and then nothing is stored. A certificate has at most 1,000 names of 65,536 characters together, and 2,000 characters of subject, issuer or serial number. Where an issued certificate has the same names, or more, or only some of them, it is refused as `certificate_exists` with that certificate as `parameters.id`, unless `onto` or `separate` is given.',
  action: 'certificate.import',
  body: Type.Object(
    {
      ...importedFiles,
      name: Type.Optional(Name),
      separate: Type.Optional(
        Type.Boolean({ description: 'Make a new certificate, even if another one has these names.' }),
      ),
      confirm_lost_names: Type.Optional(
        Type.Boolean({ description: 'Accept that enabled deployments lose names. Otherwise this is `names_lost`.' }),
      ),
      incomplete_chain: Type.Optional(
        Type.Boolean({ description: 'Accept a chain with a missing intermediate certificate.' }),
      ),
      complete_chain: Type.Optional(
        Type.Boolean({
          description: 'Fetch missing intermediate certificates from the URLs in the certificates (AIA).',
        }),
      ),
    },
    { $id: 'CertificateImport', ...closed },
  ),
  longBody: true,
  answer: {
    status: 201,
    schema: Type.Object(
      {
        id: Id,
        version: Id,
        number: Type.Integer({ minimum: 1 }),
        domains: Type.Array(Type.String()),
        expires_at: Time,
        warnings: Type.Array(Fault, { description: 'Accepted, but worth a look.' }),
      },
      { $id: 'ImportedCertificate', ...closed },
    ),
  },
  problems: ['certificate_rejected', 'certificate_exists', 'names_lost', 'conflict'],
  idempotent: true,
});

export const compareImport = operation({
  id: 'compareImport',
  method: 'POST',
  path: '/organizations/{organization_id}/certificates/compare',
  summary: 'Compare a certificate with the existing ones before it is imported',
  description:
    'Stores nothing. Faults are those of the import, except that a missing intermediate certificate is a warning here.',
  action: 'certificate.import',
  body: Type.Object(importedFiles, { $id: 'CertificateComparison', ...closed }),
  longBody: true,
  answer: {
    status: 200,
    schema: Type.Object(
      {
        material: Type.Object(
          {
            domains: Type.Array(Type.String()),
            domain_count: Type.Integer({ minimum: 0 }),
            key_type: Type.String(),
            issuer: Type.String(),
            subject: Type.String(),
            serial: Type.String(),
            not_before: Time,
            expires_at: Time,
            chain: Type.Array(ChainLink, { description: 'As servers would get it: leaf first.' }),
          },
          closed,
        ),
        warnings: Type.Array(Fault),
        missing_intermediate: Type.Boolean({
          description: 'The import needs `complete_chain` or `incomplete_chain`.',
        }),
        existing: Type.Array(
          Type.Object(
            {
              id: Id,
              name: Type.String(),
              relation: Type.Enum(['same', 'wider', 'narrower'], {
                description: 'Of its names to those of the files: `wider` has all of them and more.',
              }),
              deployments: Type.Integer({ minimum: 0, description: 'Enabled ones.' }),
            },
            closed,
          ),
          {
            description:
              'Issued certificates whose next version this may be, most likely first, at most 20. Any of them makes the import need `onto` or `separate`.',
          },
        ),
        target: nullable(Comparison, {
          description: 'Compared with `onto`, else with the first of `existing`. Null where there is none.',
        }),
      },
      { $id: 'ImportComparison', ...closed },
    ),
  },
  problems: ['certificate_rejected', 'conflict'],
});

export const showChain = operation({
  id: 'showChain',
  method: 'GET',
  path: `${path}/chain`,
  summary: 'Show the certificates of a chain',
  description: 'As servers get them: leaf first, each issued by the next, without the root.',
  action: 'certificate.read',
  query: Type.Object({ version }, closed),
  answer: {
    status: 200,
    schema: Type.Object({ version: Id, links: Type.Array(ChainLink) }, { $id: 'Chain', ...closed }),
  },
});

const ExportedFile = Type.Object(
  { name: Type.String({ description: 'A plain file name.' }), base64: Type.String(base64) },
  { $id: 'ExportedFile', ...closed },
);

const Exported = Type.Object(
  {
    id: Id,
    version: Id,
    revoked: Type.Boolean({ description: 'Whether the certificate or this version is revoked.' }),
    files: Type.Array(ExportedFile),
  },
  { $id: 'ExportedCertificate', ...closed },
);

export const exportChain = operation({
  id: 'exportChain',
  method: 'POST',
  path: `${path}/export-chain`,
  summary: 'Export a certificate and its chain',
  description: 'Without the private key: a PEM file, leaf first, or the leaf in DER.',
  action: 'certificate.read',
  body: Type.Object({ format: Type.Enum(['pem', 'der']), version }, { $id: 'ChainExport', ...closed }),
  answer: { status: 200, schema: Exported },
});

export const exportCertificate = operation({
  id: 'exportCertificate',
  method: 'POST',
  path: `${path}/export`,
  summary: 'Export a certificate with its private key',
  description: 'Recorded in the audit trail. A PKCS#12 file needs a password.',
  action: 'certificate.export',
  body: Type.Union(
    [
      Type.Object({ format: Type.Enum(['pem', 'der']), version }, closed),
      Type.Object(
        { format: Type.Literal('pkcs12'), password: Type.String({ minLength: 1, maxLength: 1024 }), version },
        closed,
      ),
    ],
    { $id: 'CertificateExport' },
  ),
  answer: { status: 200, schema: Exported },
  secret: true,
  fresh: true,
});

export const compareVersion = operation({
  id: 'compareVersion',
  method: 'GET',
  path: `${path}/compare`,
  summary: 'Compare a version with the current one before it is activated',
  action: 'certificate.read',
  query: Type.Object(
    { version: Type.Optional(Type.String({ maxLength: 64, description: 'Its id. By default the version before.' })) },
    closed,
  ),
  answer: { status: 200, schema: Comparison },
});

export const activateCertificate = operation({
  id: 'activateCertificate',
  method: 'POST',
  path: `${path}/activate`,
  summary: 'Make another version of a certificate the current one',
  description:
    'Any version that is not revoked. Servers get it with their next request. Their tokens do not change. The version that it replaces still answers `?version=`.',
  action: 'certificate.activate',
  body: Type.Object(
    { version: Type.String({ maxLength: 64, description: 'Its id.' }) },
    { $id: 'CertificateActivation', ...closed },
  ),
  answer: { status: 200, schema: CertificateDetails },
  problems: ['conflict'],
});

export const completeChain = operation({
  id: 'completeChain',
  method: 'POST',
  path: `${path}/complete-chain`,
  summary: 'Complete the chain of a certificate',
  description:
    'Fetches missing intermediate certificates from the URLs in the certificates (AIA), and stores certificate and key with the longer chain as the next version, which becomes current. Where only the root was missing, it is remembered, and there is no new version: `added` is empty, and `version` is the current one.',
  action: 'certificate.complete-chain',
  answer: {
    status: 201,
    schema: Type.Object(
      {
        id: Id,
        version: Id,
        number: Type.Integer({ minimum: 1 }),
        added: Type.Array(ChainLink, { description: 'In the order of the chain. Empty: only the root was missing.' }),
        warnings: Type.Array(Fault),
      },
      { $id: 'CompletedChain', ...closed },
    ),
  },
  problems: ['certificate_rejected', 'conflict'],
  idempotent: true,
});

export const revokeCertificate = operation({
  id: 'revokeCertificate',
  method: 'POST',
  path: `${path}/revoke`,
  summary: 'Revoke a certificate, or one version of it',
  description:
    'It is refused from the next request on. This cannot be undone. The authority of one that was requested here is told; whoever issued another one has to be told as well.',
  action: 'certificate.revoke',
  body: Type.Object({ version }, { $id: 'CertificateRevocation', ...closed }),
  answer: {
    status: 200,
    schema: Type.Object(
      {
        id: Id,
        version: nullable(Id, { description: 'Null: all versions.' }),
        state: Type.Literal('revoked'),
        authority_told: nullable(Type.Boolean(), {
          description: 'False: it could not be told yet, and is told later. Null: there is none to tell.',
        }),
      },
      { $id: 'RevokedCertificate', ...closed },
    ),
  },
  problems: ['conflict'],
});

export const requestCertificate = operation({
  id: 'requestCertificate',
  method: 'POST',
  path: '/organizations/{organization_id}/certificates/request',
  summary: 'Request a certificate from an authority',
  description:
    'It is `pending` until it is issued, and renewed by itself from then on. A request that cannot succeed is refused, naming the field: a wildcard without DNS-01, names of one label, underscores, ports, addresses without the `ip` profile, more than 100 names. Where the names are good, it has a `reason`: `wildcard_needs_dns`, `provider_needs_dns`, `tls_alpn_off`, `dns_provider_needed`, `address_not_by_dns` or `name_of_another` (another organization has a certificate for it, and neither `http-01` nor `tls-alpn-01` tells whose it is).',
  action: 'certificate.request',
  body: Type.Object(
    {
      authorities: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: 10,
        description: 'By id or name. The next one is tried when the one before fails.',
      }),
      domains: Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), { minItems: 1, maxItems: 1000 }),
      name: Type.Optional(Name),
      challenge: Type.Optional(ChallengeKind),
      dns_provider: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'By id or name. Left out with `dns-01`: managed delegation.',
        }),
      ),
      key: Type.Optional(CertificateKeyKind),
      keep_key: Type.Optional(Type.Boolean()),
      profile: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' })),
    },
    { $id: 'CertificateRequest', ...closed },
  ),
  answer: { status: 201, schema: CertificateDetails },
  problems: ['conflict'],
  idempotent: true,
  longBody: true,
});

const orderLimit =
  'At most five orders for the same names, three of which were issued, are placed with an authority within an hour: another one is refused with `ordered_too_often`.';

export const renewCertificate = operation({
  id: 'renewCertificate',
  method: 'POST',
  path: `${path}/renew`,
  summary: 'Renew a certificate now',
  description: `Only one that was requested here. Where an order is under way, that one goes on at once. ${orderLimit}`,
  action: 'certificate.renew',
  answer: { status: 202, schema: CertificateDetails },
  problems: ['conflict'],
});

export const requestCertificateAgain = operation({
  id: 'requestCertificateAgain',
  method: 'POST',
  path: `${path}/request-again`,
  summary: 'Go on with a request now',
  description: `Where an order is under way, what it waits for is looked at at once. Else a new one begins: of a request that failed without waiting for its next try. ${orderLimit}`,
  action: 'certificate.request',
  answer: { status: 202, schema: CertificateDetails },
  problems: ['conflict'],
});

const ComingRenewal = Type.Object(
  {
    certificate_id: Id,
    organization_id: Id,
    name: Type.String({ minLength: 1 }),
    state: State,
    expires_at: nullable(Time, { description: 'Null while nothing has been issued.' }),
    authority: IssuingAuthority,
    renewal: Renewal,
  },
  { $id: 'ComingRenewal', ...closed },
);

export const listRenewals = operation({
  id: 'listRenewals',
  method: 'GET',
  path: '/organizations/{organization_id}/renewals',
  summary: 'List the renewals of certificates in the order of their time',
  description:
    'With `failing` those whose latest order failed, latest failure first; first orders that failed are among them. Without it those that are planned, soonest first. One whose order is under way is not planned. Certificates that were imported are in neither.',
  action: 'certificate.read',
  ...listOf(ComingRenewal, {
    failing: Type.Optional(Type.Boolean()),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Only planned ones from this time on.' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Only planned ones before this time.' })),
  }),
  everywhere: true,
});

export const countRenewals = operation({
  id: 'countRenewals',
  method: 'GET',
  path: '/organizations/{organization_id}/renewal-counts',
  summary: `Count the renewals of the coming ${renewalDays} days`,
  description: 'Days without a renewal are left out. What is overdue counts as of today.',
  action: 'certificate.read',
  query: Type.Object(
    {
      offset_minutes: Type.Optional(
        Type.Integer({
          minimum: -840,
          maximum: 840,
          default: 0,
          description: 'How far days begin before those of UTC: 480 in China.',
        }),
      ),
    },
    closed,
  ),
  answer: {
    status: 200,
    schema: Type.Object(
      {
        from: Type.String({ format: 'date', description: 'Today.' }),
        failing: Type.Integer({ minimum: 0, description: 'Certificates whose latest order failed.' }),
        days: Type.Array(
          Type.Object({ day: Type.String({ format: 'date' }), planned: Type.Integer({ minimum: 1 }) }, closed),
          { maxItems: renewalDays },
        ),
      },
      { $id: 'RenewalCounts', ...closed },
    ),
  },
  everywhere: true,
});

export const showIssuanceProgress = operation({
  id: 'showIssuanceProgress',
  method: 'GET',
  path: `${path}/progress`,
  summary: 'Show the steps of the latest order of a certificate',
  action: 'certificate.read',
  answer: {
    status: 200,
    schema: Type.Object(
      {
        id: Id,
        state: State,
        step: nullable(Type.String({ description: 'The step under way. Null: no order is under way.' })),
        next_at: nullable(Time, { description: 'When that step is looked at.' }),
        error: nullable(Type.String(), { description: 'Why the latest order failed. Null: it did not.' }),
        progress: Type.Array(IssuanceStep),
      },
      { $id: 'IssuanceProgress', ...closed },
    ),
  },
});

export const certificateOperations = [
  listCertificates,
  importCertificate,
  compareImport,
  showCertificate,
  updateCertificate,
  deleteCertificate,
  listCertificateVersions,
  showChain,
  exportChain,
  exportCertificate,
  compareVersion,
  activateCertificate,
  completeChain,
  revokeCertificate,
  requestCertificate,
  renewCertificate,
  requestCertificateAgain,
  showIssuanceProgress,
  listRenewals,
  countRenewals,
] as const;
