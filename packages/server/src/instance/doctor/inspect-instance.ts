import { type Application, databaseFile } from '../../compose.ts';
import { movedAway, movedRemedy } from '../../database/sqlite/database-file.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import { type Check, fail, firstOf, messageOf, ok, sentence, someOf, warn } from './doctor-check.ts';

const pageSize = 1000;
const soonMs = 14 * 86_400_000;

/** Looks at something; `onPart` is told which part of it is done, from 0 to 1. */
type Look = (application: Application, onPart: (part: number) => void) => Promise<Check | readonly Check[]>;

const looks: Readonly<Record<string, Look>> = {
  machine: lookAtMachine,
  database_file: checkPlace,
  schema: checkSchema,
  database: checkIntegrity,
  sealed_secrets: checkSealed,
  audit_trail: checkAudit,
  certificates: checkCertificates,
  issuing: checkIssuing,
  deployments: checkDeployments,
  clock: checkClock,
  push_receivers: checkReceivers,
  alerts: checkAlerts,
};

/** What needs no database. */
const beside: ReadonlySet<string> = new Set(['machine', 'database_file']);

/**
 * Looks at the machine, and at everything that rests in the database. A server judges by its own settings and its own
 * account: those of the person who asks may be others. A check that cannot be made is one that fails.
 * @param onProgress told how many of how many things were looked at, with the part of the one that is being looked at
 */
export async function inspectInstance(
  application: Application,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<readonly Check[]> {
  const silence = await faultOf(application.database.ping());
  const all = Object.entries(looks).filter(([name]) => silence === undefined || beside.has(name));
  const checks: Check[] = [];
  for (const [index, [name, look]] of all.entries()) {
    const onPart = (part: number) => onProgress(index + part, all.length);
    onPart(0);
    checks.push(...[await attempt(name, look(application, onPart))].flat());
  }
  return silence === undefined ? checks : [...checks, unreachable(silence)];
}

async function faultOf(work: Promise<void>): Promise<string | undefined> {
  return work.then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
}

/** Said once, instead of by every look that asks the database. */
function unreachable(fault: string): Check {
  const rest = Object.keys(looks).filter((name) => !beside.has(name) && name !== 'database');
  return fail(
    'database',
    'database_unreachable',
    { fault, looks: rest.join(', ') },
    `${sentence(fault)} Not looked at: ${rest.join(', ')}.`,
    'See to that first, and run the doctor again.',
  );
}

async function lookAtMachine({ settings, clock }: Application): Promise<readonly Check[]> {
  const { inspectMachine } = await import('./inspect-machine.ts');
  return inspectMachine(settings, clock.now());
}

async function attempt(name: string, check: ReturnType<Look>): Promise<Check | readonly Check[]> {
  try {
    return await check;
  } catch (error) {
    const fault = messageOf(error);
    const remedy = 'See to that first, and run the doctor again.';
    return fail(name, 'check_impossible', { fault }, sentence(`This could not be looked at: ${fault}`), remedy);
  }
}

/** Whoever restores a database beside the running server hears it here: all else is read from the former file, and is in order. */
async function checkPlace({ database, settings }: Application): Promise<readonly Check[]> {
  if (await database.isInPlace()) return [];
  const file = databaseFile(settings);
  return [fail('database_file', 'database_file_moved', { file }, movedAway(file), movedRemedy)];
}

async function checkSchema({ database }: Application): Promise<Check> {
  const { readSchema } = await import('../../database/migrate.ts');
  const { current, known } = await readSchema(database);
  if (current === known) {
    const message = `The database has schema ${current}, the newest this version knows.`;
    return ok('schema', 'schema_current', { schema: current }, message);
  }
  const message = `The database has schema ${current}, this version needs ${known}.`;
  return fail('schema', 'schema_outdated', { schema: current, needed: known }, message, 'Run "waxwing migrate".');
}

async function checkIntegrity({ database }: Application): Promise<Check> {
  const { checkDatabase } = await import('../../database/database-check.ts');
  const { server, faults } = await checkDatabase(database);
  if (faults.length === 0) {
    return ok('database', 'database_sound', { server }, `${server} finds nothing wrong with the database.`);
  }
  const message = `${server} finds the database damaged: ${someOf(faults)}.`;
  const remedy = 'Stop the server, keep a copy of the database, and restore your last backup.';
  return fail('database', 'database_damaged', { server, faults: firstOf(faults) }, message, remedy);
}

async function checkSealed({ masterKeys, sealedStores }: Application): Promise<Check> {
  const results = await Promise.all(sealedStores.map((store) => store.check(masterKeys.ring())));
  const sealed = results.reduce((sum, result) => sum + result.sealed, 0);
  const faults = results.flatMap((result) => result.faults);
  if (faults.length === 0) {
    return ok('sealed_secrets', 'sealed_secrets_open', { sealed }, `Sealed secrets that open: ${sealed} of ${sealed}.`);
  }
  return fail(
    'sealed_secrets',
    'sealed_secrets_unopened',
    { count: faults.length, sealed, faults: firstOf(faults) },
    `Sealed secrets that do not open: ${faults.length} of ${sealed}: ${someOf(faults)}.`,
    'Restore the master key file or the database from your copies, so that both are of the same time.',
  );
}

async function checkAudit({ audit }: Application, onPart: (part: number) => void): Promise<Check> {
  const { faults, head, entries } = await audit.verify(undefined, (links, ofLinks) => onPart(links / (ofLinks || 1)));
  if (faults.length === 0) {
    const message = `Entries that verify: ${entries}, up to head ${head.link}:${head.mac}.`;
    return ok('audit_trail', 'audit_trail_unbroken', { entries, ...head }, message);
  }
  const reasons = faults.map(({ link, reason }) => `link ${link}: ${reason}`);
  return fail(
    'audit_trail',
    'audit_trail_broken',
    // Only where: a verification tells what is wrong there, with a code for each fault.
    { links: firstOf([...new Set(faults.map(({ link }) => link))]) },
    `The audit trail is not unbroken: ${someOf(reasons)}.`,
    'Keep a copy of the database as it is, and find out who had access to it.',
  );
}

/** Looked at only where messages are sent. */
async function checkReceivers(application: Application): Promise<readonly Check[]> {
  if (!application.settings.modules.includes('messaging')) return [];
  const { inspectReceivers } = await import('./inspect-receivers.ts');
  return inspectReceivers(application);
}

async function checkIssuing(application: Application): Promise<Check> {
  const { inspectIssuing } = await import('./inspect-issuing.ts');
  return inspectIssuing(application);
}

async function checkAlerts(application: Application): Promise<readonly Check[]> {
  const { inspectAlerts } = await import('./inspect-alerts.ts');
  return inspectAlerts(application);
}

async function checkClock({ database, audit, clock }: Application): Promise<readonly Check[]> {
  const { clockLimits, judgeClock, readClockDifference } = await import('../clock-watch.ts');
  const { differenceMs } = await readClockDifference(database, clock);
  const verdict = judgeClock(differenceMs);
  const remedy = 'Set the clock of this machine right, and let a time service such as chrony keep it so.';
  const checks: Check[] = [];
  if (verdict !== 'close') {
    const seconds = Math.round(Math.abs(differenceMs) / 1000);
    const message = `The clocks of this server and of the database differ by ${seconds} s.`;
    const state = verdict === 'far' ? fail : warn;
    checks.push(state('clock', 'clock_apart', { seconds }, message, `${remedy} Or that of the database's machine.`));
  }
  const latest = await audit.latestAt();
  if (latest !== undefined && latest - clock.now() > clockLimits.apartMs) {
    const at = toRfc3339(latest);
    const message = `The audit trail has an entry of ${at}, which is later than now: this clock was set back, or was ahead before.`;
    checks.push(warn('clock', 'clock_set_back', { latest: at }, message, remedy));
  }
  if (checks.length > 0) return checks;
  return [ok('clock', 'clock_plausible', {}, 'Nothing recorded is later than the clock of this server.')];
}

type CertificateFinding =
  | 'certificates_withheld'
  | 'certificates_expired_deployed'
  | 'certificates_expired'
  | 'certificates_expiring';

async function checkCertificates(application: Application): Promise<Check[]> {
  const { certificates, clock } = application;
  const now = clock.now();
  const expired = new Map<string, string>();
  const expiring: string[] = [];
  const withheld: string[] = [];
  let count = 0;
  for await (const { id, name, state, version_state, expires_at } of allOf((after) =>
    certificates.list({ ...after, limit: pageSize }),
  )) {
    count += 1;
    if (state !== 'issued' || expires_at === null) continue;
    if (version_state === 'revoked') {
      withheld.push(`${name} (${id})`);
      continue;
    }
    const left = Date.parse(expires_at) - now;
    if (left <= 0) expired.set(id, `${name} (${id})`);
    else if (left <= soonMs) expiring.push(`${name} (${id})`);
  }
  const renew = 'Import a new version by "waxwing certificate import --onto ID", or revoke what is not used any more.';
  const checks: Check[] = [];
  const tell = (state: typeof warn | typeof fail, code: CertificateFinding, what: string, names: readonly string[]) => {
    if (names.length === 0) return;
    const found = { count: names.length, certificates: firstOf(names) };
    checks.push(state('certificates', code, found, `${what} (${names.length}): ${someOf(names)}.`, renew));
  };
  const fetched = await deployedOf(application, expired);
  const unused = [...expired].flatMap(([id, name]) => (fetched.has(id) ? [] : [name]));
  tell(warn, 'certificates_withheld', 'Handed out no more, since the current version is revoked', withheld);
  tell(fail, 'certificates_expired_deployed', 'Expired, and handed out to servers all the same', [...fetched.values()]);
  tell(warn, 'certificates_expired', 'Expired', unused);
  tell(warn, 'certificates_expiring', 'Expiring within 14 days', expiring);
  if (checks.length > 0) return checks;
  const message = `Expired or expiring within 14 days: none of ${count}.`;
  return [ok('certificates', 'certificates_not_expiring', { count }, message)];
}

/** Those certificates that an enabled deployment may fetch. */
async function deployedOf(
  { deployments, clock }: Application,
  certificates: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (certificates.size === 0) return found;
  const now = clock.now();
  for await (const deployment of allOf((after) => deployments.list({ ...after, limit: pageSize }))) {
    const { certificate_id: id, enabled, expires_at: end } = deployment;
    const name = certificates.get(id);
    if (name !== undefined && enabled && (end === null || Date.parse(end) > now)) found.set(id, name);
  }
  return found;
}

type DeploymentFinding = 'deployments_admitting_nobody' | 'deployments_admitting_everybody';

async function checkDeployments({ deployments }: Application): Promise<Check[]> {
  const closed: string[] = [];
  const open: string[] = [];
  let count = 0;
  for await (const { id, name, allow, enabled } of allOf((after) => deployments.list({ ...after, limit: pageSize }))) {
    count += 1;
    if (!enabled) continue;
    if (allow.length === 0) closed.push(`${name} (${id})`);
    if (allow.some((entry) => entry.endsWith('/0'))) open.push(`${name} (${id})`);
  }
  const remedy = 'Name the servers by "waxwing deployment update ID --allow CIDR".';
  const checks: Check[] = [];
  const tell = (code: DeploymentFinding, what: string, names: readonly string[]) => {
    if (names.length === 0) return;
    const found = { count: names.length, deployments: firstOf(names) };
    checks.push(warn('deployments', code, found, `${what} (${names.length}): ${someOf(names)}.`, remedy));
  };
  tell('deployments_admitting_nobody', 'Empty allow-list, which admits nobody', closed);
  tell('deployments_admitting_everybody', 'Open to every address, by the token alone', open);
  if (checks.length > 0) return checks;
  const message = `Empty or wide-open allow-lists: none of ${count}.`;
  return [ok('deployments', 'allow_lists_in_order', { count }, message)];
}

/** Page after page, so that it takes no more memory however many there are. */
async function* allOf<Row extends { readonly id: string }>(
  page: (after: { readonly after?: string }) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  let after: { readonly after?: string } = {};
  for (;;) {
    const rows = await page(after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = { after: last.id };
  }
}
