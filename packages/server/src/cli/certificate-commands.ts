import { resolve } from 'node:path';
import type { Certificate, CertificateVersion } from '../certificates/certificate.ts';
import type { ExportFormat } from '../certificates/export-formats.ts';
import { toRfc3339 } from '../runtime/clock.ts';
import type { Fault } from '../runtime/problem.ts';
import { type Arguments, type Command, type Option, type Positional, Usage } from './command.ts';
import { counted, type LookUp, type Question, yesOption } from './confirmation.ts';
import { listDeployments } from './deployment-commands.ts';
import { someOf } from './doctor-check.ts';
import { printWarning } from './error-report.ts';
import {
  afterId,
  isAfter,
  mapped,
  newestFirstOptions,
  nextPage,
  pageOptions,
  present,
  readLimit,
  remoteOrganization,
  wholeNumber,
} from './option-values.ts';
import { makeFolder, readFiles, writePrivateFiles } from './person-files.ts';
import { readPassword } from './read-password.ts';
import { plainText, textFacts, textTable } from './text-table.ts';

const certificateId: Positional = { name: 'ID', help: 'The certificate, as "certificate list" shows it' };
const version: Option = { type: 'string', value: 'V', help: 'One version of it instead, by its id' };

/** A file on its way to the server: JSON has no bytes. */
interface PackedFile {
  readonly name: string;
  readonly base64: string;
}

interface ImportInput {
  readonly organizationId: string;
  readonly files: readonly PackedFile[];
  readonly password?: string;
  readonly name?: string;
  readonly onto?: string;
}

interface Imported {
  readonly id: string;
  readonly version: string;
  readonly number: number;
  readonly domains: readonly string[];
  readonly expires_at: string;
  readonly warnings: readonly Fault[];
}

const importOne: Command<ImportInput, Imported> = {
  name: 'certificate import',
  summary: 'Import a certificate with its chain and private key',
  options: {
    organization: { type: 'string', required: true, value: 'ID', help: 'The organization that owns it' },
    certificate: {
      type: 'string',
      required: true,
      multiple: true,
      value: 'FILE',
      help: 'PEM, DER or PKCS#12: the certificate, its chain, its key, in any order',
    },
    key: { type: 'string', value: 'FILE', help: 'The private key, where it is in a file of its own' },
    'password-stdin': { type: 'boolean', help: "Read the files' password from the first line of stdin" },
    name: { type: 'string', value: 'N', help: 'Its name; its first domain if left out' },
    onto: { type: 'string', value: 'ID', help: 'Make it the new version of this certificate' },
  },
  notes: 'Every fault is listed at once, and then nothing is stored.',
  async prepare(args, { settings, terminal }) {
    const [name, onto] = [args.optional('name'), args.optional('onto')];
    if (name !== undefined && onto !== undefined) {
      throw new Usage('--name is for a new certificate, --onto keeps the name there is: give one of them.', this.name);
    }
    const key = args.optional('key');
    const paths = [...args.list('certificate'), ...(key === undefined ? [] : [key])];
    const files = readFiles(
      'certificate',
      paths.map((path) => resolve(terminal.folder, path)),
      settings.importLimit,
    );
    const password = args.flag('password-stdin') ? await readPassword(terminal) : undefined;
    return {
      organizationId: args.required('organization'),
      files: files.map((file) => ({ name: file.name, base64: file.bytes.toString('base64') })),
      ...(password === undefined ? {} : { password }),
      ...(name === undefined ? {} : { name }),
      ...(onto === undefined ? {} : { onto }),
    };
  },
  async run(application, { files, ...request }, actor) {
    const { notAfter, ...imported } = await application.certificates.import(actor, {
      ...request,
      files: files.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, 'base64') })),
    });
    return {
      id: imported.id,
      version: imported.version,
      number: imported.number,
      domains: imported.domains,
      expires_at: toRfc3339(notAfter),
      warnings: imported.warnings,
    };
  },
  remote: (server, { organizationId, ...body }) =>
    server.call('importCertificate', { params: { organization_id: organizationId }, body }),
  print: ({ id, version, number, domains, expires_at, warnings }) =>
    [
      textFacts({ id, version, number, domains: domains.join(', '), expires: expires_at }),
      ...warnings.map(({ field, message }) => plainText(`warning: ${field}: ${message}`)),
    ].join('\n'),
};

interface ListInput {
  readonly organizationId?: string;
  readonly after?: string;
  readonly limit: number;
}

const list: Command<ListInput, readonly Certificate[]> = {
  name: 'certificate list',
  summary: 'List certificates, oldest first',
  options: {
    organization: { type: 'string', value: 'ID', help: 'Only those of this organization' },
    ...pageOptions,
  },
  prepare(args) {
    const [organizationId, after] = [args.optional('organization'), args.optional('after')];
    return {
      limit: readLimit(args, 1000),
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(after === undefined ? {} : { after }),
    };
  },
  run: (application, filter) => application.certificates.list(filter),
  remote: (server, { organizationId, after, limit }) =>
    server.list(
      'listCertificates',
      { params: { organization_id: organizationId } },
      { limit, ...isAfter('id', after) },
    ),
  print: (certificates, args) =>
    textTable(
      certificates,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        STATE: stateWords,
        DOMAINS: shortList,
        EXPIRES: ({ expires_at }) => expires_at,
        ORGANIZATION: ({ organization_id }) => organization_id,
      },
      'There is no certificate here. Import one: waxwing certificate import',
    ) + nextPage(certificates, readLimit(args, 1000), afterId),
};

/** One that is issued may be handed out no more all the same. */
function stateWords({ state, version_state }: Pick<Certificate, 'state' | 'version_state'>): string {
  return state === 'issued' && version_state === 'revoked' ? 'version revoked' : state;
}

function shortList({ domains, domain_count: count }: Certificate): string {
  const shown = domains.slice(0, 3).join(' ');
  return count > 3 ? `${shown} +${count - 3}` : shown;
}

function remoteId(id: string, args: Arguments) {
  return { organization_id: args.optional('organization'), certificate_id: id };
}

type Details = Certificate & { readonly versions: readonly CertificateVersion[] };

const show: Command<{ readonly id: string }, Details> = {
  name: 'certificate show',
  summary: 'Show a certificate with its newest versions',
  positionals: [certificateId],
  options: { organization: remoteOrganization },
  prepare: (args) => ({ id: args.positional('ID') }),
  run: (application, { id }) => application.certificates.show(id),
  remote: (server, { id }, args) => server.call('showCertificate', { params: remoteId(id, args) }),
  print: (certificate) =>
    [
      textFacts({
        id: certificate.id,
        name: certificate.name,
        organization: certificate.organization_id,
        state: stateWords(certificate),
        source: certificate.source,
        domains: certificate.domains.join(', '),
        expires: certificate.expires_at,
      }),
      '',
      versionTable(certificate.versions),
      ...olderVersions(certificate),
    ].join('\n'),
};

function versionTable(versions: readonly CertificateVersion[]): string {
  return textTable(
    versions,
    {
      VERSION: ({ id }) => id,
      NUMBER: ({ number }) => number,
      STATE: ({ state }) => state,
      PLACE: ({ place }) => place,
      SERIAL: ({ serial }) => serial,
      KEY: ({ key_type }) => key_type,
      EXPIRES: ({ expires_at }) => expires_at,
    },
    'It has no version there.',
  );
}

/** Versions are counted from 1, and none goes away. */
function olderVersions({ id, versions }: Details): string[] {
  const { number = 1 } = versions.at(-1) ?? {};
  return number === 1 ? [] : ['', `The older ones: certificate versions ${id} ${beforeNumber({ number })}`];
}

const beforeNumber = ({ number }: { readonly number: number }): string => `--before ${number}`;

interface VersionsInput {
  readonly id: string;
  readonly before?: number;
  readonly limit: number;
}

const versions: Command<VersionsInput, readonly CertificateVersion[]> = {
  name: 'certificate versions',
  summary: 'List the versions of a certificate, newest first',
  positionals: [certificateId],
  options: {
    limit: newestFirstOptions.limit,
    before: { type: 'string', value: 'NUMBER', help: 'Go on before the version of this number' },
    organization: remoteOrganization,
  },
  prepare: (args) => ({
    id: args.positional('ID'),
    limit: readLimit(args, 100),
    ...present(
      'before',
      mapped(args, 'before', (option, text) => wholeNumber(option, text, 1, 1_000_000_000)),
    ),
  }),
  run: (application, { id, ...filter }) => application.certificates.listVersions(id, filter),
  remote: (server, { id, before, limit }, args) =>
    server.list(
      'listCertificateVersions',
      { params: remoteId(id, args) },
      { limit, ...(before !== undefined && { isWanted: ({ number }) => number < before }) },
    ),
  print: (versions, args) => versionTable(versions) + nextPage(versions, readLimit(args, 100), beforeNumber),
};

interface Revoked {
  readonly id: string;
  readonly version: string | null;
  readonly state: 'revoked';
}

const revoke: Command<{ readonly id: string; readonly version?: string }, Revoked> = {
  name: 'certificate revoke',
  summary: 'Hand out a certificate no more, from the next request on; this is final',
  positionals: [certificateId],
  options: { version, organization: remoteOrganization, yes: yesOption },
  notes: 'It stops the hand-out here. Whoever issued the certificate has to be told as well.',
  prepare: (args) => ({ id: args.positional('ID'), ...versionOf(args) }),
  question: revocationQuestion,
  run: (application, { id, version }, actor) => application.certificates.revoke(actor, id, version),
  remote: (server, { id, version }, args) =>
    server.call('revokeCertificate', { params: remoteId(id, args), body: present('version', version) }),
  print: ({ id, version, state }) => textFacts({ id, version: version ?? 'all', state }),
};

async function revocationQuestion(
  { id, version }: { readonly id: string; readonly version?: string },
  lookUp: LookUp,
  args: Arguments,
): Promise<Question> {
  const { name, version: current } = await lookUp(show, { id });
  if (version !== undefined && version !== current) {
    return { consequence: `This version of ${name} can be fetched no more from the next request on, for good.`, name };
  }
  const organization = present('organizationId', args.optional('organization'));
  const most = 1000;
  const all = await lookUp(listDeployments, { certificateId: id, limit: most, ...organization });
  const names = all.filter(({ enabled }) => enabled).map((deployment) => deployment.name);
  const who = `${counted(names.length, 'deployment', most)} of ${name}${names.length === 0 ? '' : ` (${someOf(names)})`}`;
  return { consequence: `${who} will be refused from the next request on, for good.`, name };
}

function versionOf(args: Arguments): { readonly version?: string } {
  const id = args.optional('version');
  return id === undefined ? {} : { version: id };
}

const formats: readonly ExportFormat[] = ['pem', 'pkcs12', 'der'];

interface ExportInput {
  readonly id: string;
  readonly version?: string;
  readonly format: ExportFormat;
  readonly password?: string;
}

interface Exported {
  readonly id: string;
  readonly version: string;
  /** Whether the certificate or this version of it is. */
  readonly revoked: boolean;
  readonly files: readonly PackedFile[];
}

type Written = Omit<Exported, 'files'> & { readonly files: readonly string[] };

const exportOne: Command<ExportInput, Exported, Written> = {
  name: 'certificate export',
  summary: 'Write a certificate, its chain and its private key to files; recorded in the audit trail',
  positionals: [certificateId],
  options: {
    format: { type: 'string', required: true, value: 'pem|pkcs12|der', help: 'The form of the files' },
    out: { type: 'string', required: true, value: 'DIR', help: 'Where to; nothing there is overwritten' },
    'password-stdin': { type: 'boolean', help: 'Read the password of a PKCS#12 file from the first line of stdin' },
    version,
  },
  notes:
    'The files may be read by their owner alone (0600). A revoked certificate can be exported, for example to tell its\n' +
    'issuer, with a warning on stderr.',
  async prepare(args, { terminal }) {
    const format = formats.find((each) => each === args.required('format'));
    if (format === undefined) throw new Usage('--format must be pem, pkcs12 or der.', this.name);
    if ((format === 'pkcs12') !== args.flag('password-stdin')) {
      throw new Usage('--password-stdin goes with --format pkcs12, which needs it, and with no other.', this.name);
    }
    // Before anything is recorded: a folder that cannot be made ends it here.
    makeFolder('out', resolve(terminal.folder, args.required('out')));
    const password = format === 'pkcs12' ? await readPassword(terminal) : undefined;
    return {
      id: args.positional('ID'),
      format,
      ...versionOf(args),
      ...(password === undefined ? {} : { password }),
    };
  },
  async run(application, input, actor) {
    const { version, revoked, files } = await application.certificates.export(actor, input);
    return {
      id: input.id,
      version,
      revoked,
      files: files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') })),
    };
  },
  async finish({ files, ...exported }, args, { terminal }) {
    const folder = resolve(terminal.folder, args.required('out'));
    const bytes = files.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, 'base64') }));
    const written = writePrivateFiles(folder, bytes);
    if (exported.revoked) terminal.stderr.write(`${printWarning(revokedWarning(exported), args.flag('json'))}\n`);
    return { ...exported, files: written };
  },
  print: ({ files }) => files.join('\n'),
};

function revokedWarning({ id, version }: { readonly id: string; readonly version: string }): string {
  return `Version ${version} of certificate ${id} is revoked: it is handed out no more, and no server should use it.`;
}

export const certificateCommands: readonly Command[] = [importOne, list, show, versions, revoke, exportOne];
