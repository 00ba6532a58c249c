import { resolve } from 'node:path';
import { someOf } from '../../instance/doctor/doctor-check.ts';
import { type Arguments, type Command, type Option, type Positional, type Question, Usage } from '../command.ts';
import { counted, yesOption } from '../confirmation.ts';
import { printWarning } from '../error-report.ts';
import type { ApiAnswer, ApiItem, ApiServer } from '../exchange/api-server.ts';
import { listPages, oldestFirst } from '../list-pages.ts';
import { oneOf, onlyOfOption, organizationOption, ownerOption, present, wholeNumber } from '../option-values.ts';
import { makeFolder, readFiles, writePrivateFiles } from '../person-files.ts';
import { readPassword } from '../read-password.ts';
import { plainText, textFacts, textTable } from '../text-table.ts';
import { find, organizationIfGiven, organizationOf, type PathTo, pick, wholeId } from './find-thing.ts';

type Certificate = ApiItem<'listCertificates'>;
type CertificateVersion = ApiItem<'listCertificateVersions'>;

export const certificateId: Positional = { name: 'ID', help: 'The certificate, as "certificate list" shows it' };
const version: Option = { type: 'string', value: 'V', help: 'One version of it instead, by its id or number' };

const importOne: Command<ApiAnswer<'importCertificate'>> = {
  name: 'certificate import',
  summary: 'Import a certificate with its chain and private key',
  options: {
    organization: { ...organizationOption, help: 'The organization that owns it' },
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
    separate: { type: 'boolean', help: 'Make a new certificate, even if another one has the same names' },
    'complete-chain': {
      type: 'boolean',
      help: 'Fetch missing intermediate certificates from the URLs in the certificates (AIA)',
    },
    'incomplete-chain': { type: 'boolean', help: 'Accept a chain with a missing intermediate certificate' },
    yes: { type: 'boolean', help: 'Do not ask at a terminal, and let enabled deployments lose names' },
  },
  notes:
    'If anything is wrong, every fault is listed and nothing is stored. At a terminal the command shows what the next version\n' +
    'of a certificate changes, and asks. Elsewhere a certificate with these names needs --onto or --separate.',
  async call(server, args, { settings, terminal, confirm }) {
    const [name, onto] = [args.optional('name'), args.optional('onto')];
    if (name !== undefined && onto !== undefined) {
      throw new Usage('--name is for a new certificate, --onto keeps the name there is: give one of them.', this.name);
    }
    if (onto !== undefined && args.flag('separate')) {
      throw new Usage('--separate makes a new certificate, --onto a version of one: give one of them.', this.name);
    }
    const paths = [...args.list('certificate'), ...args.list('key')].map((path) => resolve(terminal.folder, path));
    // JSON has no bytes.
    const files = readFiles('certificate', paths, settings.importLimit).map((file) => ({
      name: file.name,
      base64: file.bytes.toString('base64'),
    }));
    const password = args.flag('password-stdin') ? await readPassword(terminal) : undefined;
    const params = { organization_id: await organizationOf(server, args) };
    const material = { files, ...present('password', password) };
    let target = onto && (await find(server, 'certificate', args, onto)).certificate_id;
    let isConfirmed = args.flag('yes');
    await confirm(async () => {
      if (args.flag('separate')) return undefined;
      const body = { ...material, ...present('onto', target) };
      const { target: comparison, ...compared } = await server.call('compareImport', { params, body });
      if (comparison === null) return undefined;
      const remarks = [...warningLines(compared.warnings), ...chainHint(compared, args)];
      terminal.stderr.write(`${[comparisonText(comparison), ...remarks].join('\n')}\n`);
      const has =
        target === undefined ? `${comparison.name} (${comparison.id}) has these names, or some of them. ` : '';
      const other = target === undefined ? ' For a certificate of its own say --separate.' : '';
      const named = name === undefined ? '' : ' It keeps its name: --name is not used.';
      target = comparison.id;
      isConfirmed = comparison.needs_confirmation;
      return { consequence: `${has}This becomes the next version of ${comparison.name}.${named}${other}` };
    });
    return server.call('importCertificate', {
      params,
      body: {
        ...material,
        ...(target === undefined ? present('name', name) : { onto: target }),
        ...(args.flag('separate') && { separate: true }),
        ...(isConfirmed && { confirm_lost_names: true }),
        ...(args.flag('complete-chain') && { complete_chain: true }),
        ...(args.flag('incomplete-chain') && { incomplete_chain: true }),
      },
    });
  },
  print: ({ id, version, number, domains, expires_at, warnings }) =>
    [
      textFacts({ id, version, number, domains: domains.join(', '), expires: expires_at }),
      ...warningLines(warnings),
    ].join('\n'),
};

/** Before the question, because the import is refused after it. */
function chainHint(
  { missing_intermediate: isMissing }: Pick<ApiAnswer<'compareImport'>, 'missing_intermediate'>,
  args: Arguments,
): string[] {
  if (!isMissing || args.flag('complete-chain') || args.flag('incomplete-chain')) return [];
  return ['Without --complete-chain or --incomplete-chain this import is refused.'];
}

const warningLines = (warnings: readonly { readonly field: string; readonly message: string }[]): string[] =>
  warnings.map(({ field, message }) => plainText(`warning: ${field}: ${message}`));

/** What changes for servers, one fact on a line. */
function comparisonText(comparison: ApiAnswer<'compareVersion'>): string {
  const { number, gained, lost, key, issuer, chain, expires, deployments, deployment_count } = comparison;
  const change = ({ before, after }: { readonly before: string | number; readonly after: string | number }) =>
    before === after ? `${after}, as before` : `${before} -> ${after}`;
  const names = (list: readonly string[]) => (list.length === 0 ? 'none' : `${list.length}: ${someOf(list)}`);
  return textFacts({
    certificate: comparison.name,
    'current version': `${comparison.version} (number ${number})`,
    'names gained': names(gained),
    'names lost': names(lost),
    key: `${change(key)}; ${key.same_key ? 'the same key' : 'another key'}`,
    issuer: change(issuer),
    'chain length': change(chain),
    expires: change(expires),
    deployments: deployment_count === 0 ? 'none' : `${deployment_count}: ${someOf(deployments)}`,
  });
}

const list: Command<readonly Certificate[]> = {
  name: 'certificate list',
  summary: 'List certificates, oldest first',
  options: { organization: onlyOfOption, ...oldestFirst.options },
  async call(server, args) {
    const part = oldestFirst.part(args);
    const params = { organization_id: await organizationIfGiven(server, args) };
    return server.list('listCertificates', { params }, part);
  },
  print: (certificates, args) =>
    textTable(
      certificates,
      {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        STATE: stateWords,
        DOMAINS: shortList,
        EXPIRES: ({ expires_at }) => expires_at,
        SOURCE: ({ source, authority }) => authority?.name ?? source,
        'NEXT RENEWAL': ({ renewal }) => (renewal?.state === 'running' ? 'under way' : (renewal?.next_at ?? '')),
        ROLLOUT: ({ rollout }) => (rollout.total === 0 ? '' : `${rollout.current} of ${rollout.total}`),
        WARNINGS: ({ warnings }) => warnings.map(({ code }) => code).join(' '),
        'LAST ERROR': ({ renewal }) => renewal?.last_error ?? '',
        ORGANIZATION: ({ organization_id }) => organization_id,
      },
      'There is no certificate here. Import one: waxwing certificate import',
    ) + oldestFirst.next(certificates, args),
};

/** One that is issued may be handed out no more all the same. */
function stateWords({ state, version_state }: Pick<Certificate, 'state' | 'version_state'>): string {
  return state === 'issued' && version_state === 'revoked' ? 'version revoked' : state;
}

function shortList({ domains, domain_count: count }: Certificate): string {
  const shown = domains.slice(0, 3).join(' ');
  return count > 3 ? `${shown} +${count - 3}` : shown;
}

export type Details = ApiAnswer<'showCertificate'>;

export const showOne: Command<Details> = {
  name: 'certificate show',
  summary: 'Show a certificate with its newest versions',
  positionals: [certificateId],
  options: { organization: ownerOption },
  call: async (server, args) => server.call('showCertificate', { params: await find(server, 'certificate', args) }),
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
        rollout: rolloutWords(certificate.rollout),
        ...renewalFacts(certificate),
      }),
      ...withGap(delegationLines(certificate)),
      ...warningLines(certificate.warnings),
      '',
      versionTable(certificate.versions),
      ...olderVersions(certificate),
    ].join('\n'),
};

function renewalFacts({ renewal, progress }: Details) {
  if (renewal === null) return {};
  const running = renewal.state === 'running' ? progress.at(-1) : undefined;
  const step = running === undefined ? '' : `: ${running.step}`;
  const next = renewal.next_at === null ? '' : `, next at ${renewal.next_at}`;
  return {
    renewal: `${renewal.state}${step}${next}`,
    ...present('waits for', running?.words ?? undefined),
    ...present('last error', renewal.last_error ?? undefined),
  };
}

/** Of managed delegation: what the customer sets. Before the first look a renewal says nothing: they were there. */
export function delegationLines({ delegation, state }: Pick<Details, 'delegation' | 'state'>): string[] {
  const missing = delegation.filter(({ seen }) => (state === 'issued' ? seen === false : seen !== true));
  if (missing.length === 0) return [];
  return ['Set these CNAME records:', ...missing.map(({ name, target }) => `  ${name}. CNAME ${target}.`)];
}

const withGap = (lines: readonly string[]) => (lines.length === 0 ? [] : ['', ...lines]);

function rolloutWords({ current, total }: Details['rollout']): string {
  return total === 0
    ? 'no deployment can fetch it'
    : `${current} of ${counted(total, 'server')} have the current version`;
}

const rename: Command<Details> = {
  name: 'certificate rename',
  summary: 'Give a certificate another name',
  positionals: [certificateId, { name: 'NAME', help: 'Its new name' }],
  options: { organization: ownerOption },
  async call(server, args) {
    const params = await find(server, 'certificate', args);
    return server.call('updateCertificate', { params, body: { name: args.positional('NAME') } });
  },
  print: showOne.print,
};

const remove: Command<{ readonly id: string }> = {
  name: 'certificate delete',
  summary: 'Delete a certificate without deployments, with all its versions and private keys',
  positionals: [certificateId],
  options: { organization: ownerOption, yes: yesOption },
  async call(server, args, { confirm }) {
    const params = await find(server, 'certificate', args);
    await confirm(async () => {
      const { name } = await server.call('showCertificate', { params });
      return { consequence: `Every version of ${name} and its private keys are deleted, for good.`, name };
    });
    await server.call('deleteCertificate', { params });
    return { id: params.certificate_id };
  },
  print: ({ id }) => `Certificate ${id} is deleted.`,
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

/** Versions are counted from 1, and none goes away. Only the current one may stand behind a gap. */
function olderVersions({ id, versions }: Details): string[] {
  const gap = versions.find(({ number }, index) => (versions[index + 1]?.number ?? 0) < number - 1);
  return gap === undefined ? [] : ['', `The older ones: certificate versions ${id} --before ${gap.number}`];
}

const newestVersionsFirst = listPages<CertificateVersion>({
  standard: 100,
  from: 'before',
  option: { value: 'NUMBER', help: 'Go on before the version of this number' },
  place: (option, text) => [wholeNumber(option, text, 1, 1_000_000_000)],
  behind: ({ number }) => number,
});

const versions: Command<readonly CertificateVersion[]> = {
  name: 'certificate versions',
  summary: 'List the versions of a certificate, newest first',
  positionals: [certificateId],
  options: { ...newestVersionsFirst.options, organization: ownerOption },
  async call(server, args) {
    const part = newestVersionsFirst.part(args);
    const params = await find(server, 'certificate', args);
    return server.list('listCertificateVersions', { params }, part);
  },
  print: (versions, args) => versionTable(versions) + newestVersionsFirst.next(versions, args),
};

const activate: Command<Details> = {
  name: 'certificate activate',
  summary: 'Make another version of a certificate the current one',
  positionals: [certificateId],
  options: {
    version: { type: 'string', required: true, value: 'V', help: 'The version, by its id or number' },
    organization: ownerOption,
    yes: yesOption,
  },
  notes:
    'Servers get it with their next request. Their tokens do not change. The version that it replaces becomes the one before\n' +
    'the current one. The same command with that version goes back.',
  async call(server, args, { terminal, confirm }) {
    const params = await find(server, 'certificate', args);
    const { version = '' } = await versionOf(server, params, args);
    await confirm(async () => {
      const comparison = await server.call('compareVersion', { params, query: { version } });
      terminal.stderr.write(`${comparisonText(comparison)}\n`);
      return { consequence: `Servers get version ${version} of ${comparison.name} from the next request on.` };
    });
    return server.call('activateCertificate', { params, body: { version } });
  },
  print: showOne.print,
};

const completeChain: Command<ApiAnswer<'completeChain'>> = {
  name: 'certificate complete-chain',
  summary: 'Add the missing intermediate certificates to a chain, as a new version with the same key',
  positionals: [certificateId],
  options: { organization: ownerOption },
  notes:
    'They are taken from WAXWING_EXTRA_ROOTS, or fetched from where the certificates say (AIA). Only public addresses are\n' +
    'asked, and the ones that WAXWING_PUSH_ALLOW_NETWORKS lists. Where only the root was missing, it is remembered, and there\n' +
    'is no new version.',
  call: async (server, args) => server.call('completeChain', { params: await find(server, 'certificate', args) }),
  print: ({ id, version, number, added, warnings }) =>
    [
      textFacts({
        id,
        version,
        number,
        added: added.map(({ subject }) => subject).join('; ') || 'none, only the root was missing',
      }),
      ...warningLines(warnings),
    ].join('\n'),
};

const revoke: Command<ApiAnswer<'revokeCertificate'>> = {
  name: 'certificate revoke',
  summary: 'Revoke a certificate: it is refused from the next request on. This cannot be undone',
  positionals: [certificateId],
  options: { version, organization: ownerOption, yes: yesOption },
  notes:
    'It stops the hand-out here. The authority of a certificate that was requested here is told. Whoever issued an\n' +
    'imported one has to be told as well.',
  async call(server, args, { confirm }) {
    const params = await find(server, 'certificate', args);
    const body = await versionOf(server, params, args);
    await confirm(() => revocationQuestion(server, params, body.version));
    return server.call('revokeCertificate', { params, body });
  },
  print: ({ id, version, state, authority_told: told }) =>
    textFacts({
      id,
      version: version ?? 'all',
      state,
      ...(told !== null && { authority: told ? 'told' : 'cannot be reached now, and is told later' }),
    }),
};

async function revocationQuestion(
  server: ApiServer,
  params: PathTo<'certificate'>,
  version: string | undefined,
): Promise<Question> {
  const { id, organization_id, name, version: current } = await server.call('showCertificate', { params });
  if (version !== undefined && version !== current) {
    return { consequence: `This version of ${name} can be fetched no more from the next request on, for good.`, name };
  }
  const most = 1000;
  const of = { params: { organization_id }, query: { certificate_id: id } };
  const names = (await server.list('listDeployments', of, { limit: most }))
    .filter(({ enabled }) => enabled)
    .map((deployment) => deployment.name);
  const who = `${counted(names.length, 'deployment', most)} of ${name}${names.length === 0 ? '' : ` (${someOf(names)})`}`;
  return { consequence: `${who} will be refused from the next request on, for good.`, name };
}

/** By its id, a beginning of that, or its number. */
async function versionOf(
  server: ApiServer,
  params: PathTo<'certificate'>,
  args: Arguments,
): Promise<{ readonly version?: string }> {
  const given = args.optional('version');
  if (given === undefined || wholeId.test(given)) return present('version', given);
  const read = async () =>
    (await server.list('listCertificateVersions', { params })).map(({ id, number }) => ({ id, name: String(number) }));
  return { version: (await pick(given, 'version', read, 'certificate versions')).id };
}

const formats = ['pem', 'pkcs12', 'der'] as const;

type Written = Omit<ApiAnswer<'exportCertificate'>, 'files'> & { readonly files: readonly string[] };

const exportOne: Command<Written> = {
  name: 'certificate export',
  machine: true,
  summary: 'Write a certificate, its chain and its private key to files; recorded in the audit trail',
  positionals: [certificateId],
  options: {
    format: { type: 'string', required: true, value: 'pem|pkcs12|der', help: 'The form of the files' },
    out: { type: 'string', required: true, value: 'DIR', help: 'Where to; nothing there is overwritten' },
    'password-stdin': { type: 'boolean', help: 'Read the password of a PKCS#12 file from the first line of stdin' },
    version,
    organization: ownerOption,
  },
  notes:
    'The files may be read by their owner alone (0600). A revoked certificate can be exported, for example to tell its\n' +
    'issuer, with a warning on stderr.',
  async call(server, args, { terminal }) {
    const format = oneOf('format', args.required('format'), formats);
    if ((format === 'pkcs12') !== args.flag('password-stdin')) {
      throw new Usage('--password-stdin goes with --format pkcs12, which needs it, and with no other.', this.name);
    }
    const folder = resolve(terminal.folder, args.required('out'));
    // Before anything is recorded: a folder that cannot be made ends it here.
    makeFolder('out', folder);
    const password = format === 'pkcs12' ? await readPassword(terminal) : '';
    const params = await find(server, 'certificate', args);
    const version = await versionOf(server, params, args);
    const body = format === 'pkcs12' ? { format, password, ...version } : { format, ...version };
    const { files, ...exported } = await server.call('exportCertificate', { params, body });
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

export const certificateCommands: readonly Command[] = [
  importOne,
  list,
  showOne,
  versions,
  rename,
  activate,
  completeChain,
  revoke,
  remove,
  exportOne,
];
