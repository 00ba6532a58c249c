import type { Application } from '../compose.ts';
import type { Command } from './command.ts';
import { type Check, fail, messageOf, ok, someOf, warn } from './doctor-check.ts';

const pageSize = 1000;
const soonMs = 14 * 86_400_000;

/**
 * The part of the doctor that is done where the database is open, and no command of its own. A server judges by its own
 * settings and its own account: those of whoever asks may be others.
 */
export const instanceInspection: Command<object, readonly Check[]> = {
  name: 'doctor instance',
  summary: 'Look at the machine and the database',
  prepare: () => ({}),
  run: inspectInstance,
  print: (checks) => checks.map(({ message }) => message).join('\n'),
};

/** Looks at the machine, and at everything that rests in the database. A check that cannot be made is one that fails. */
async function inspectInstance(application: Application): Promise<readonly Check[]> {
  const { inspectMachine } = await import('./inspect-machine.ts');
  const checks = [
    inspectMachine(application.settings, application.clock.now()),
    await attempt('schema', checkSchema(application)),
    await attempt('database', checkIntegrity(application)),
    await attempt('sealed_secrets', checkSealed(application)),
    await attempt('audit_trail', checkAudit(application)),
    await attempt('certificates', checkCertificates(application)),
    await attempt('deployments', checkDeployments(application)),
  ];
  return checks.flat();
}

async function attempt(name: string, check: Promise<Check | Check[]>): Promise<Check | Check[]> {
  try {
    return await check;
  } catch (error) {
    return fail(
      name,
      `This could not be looked at: ${messageOf(error)}`,
      'See to that first, and run the doctor again.',
    );
  }
}

async function checkSchema({ database }: Application): Promise<Check> {
  const { readSchema } = await import('../database/migrate.ts');
  const { current, known } = await readSchema(database);
  if (current === known) return ok('schema', `The database has schema ${current}, the newest this version knows.`);
  return fail('schema', `The database has schema ${current}, this version needs ${known}.`, 'Run "waxwing migrate".');
}

async function checkIntegrity({ database }: Application): Promise<Check> {
  const { checkDatabase } = await import('../database/database-check.ts');
  const { server, faults } = await checkDatabase(database);
  if (faults.length === 0) return ok('database', `${server} finds nothing wrong with the database.`);
  const message = `${server} finds the database damaged: ${someOf(faults)}.`;
  return fail('database', message, 'Stop the server, keep a copy of the database, and restore your last backup.');
}

async function checkSealed({ masterKeys, sealedStores }: Application): Promise<Check> {
  const results = await Promise.all(sealedStores.map((store) => store.check(masterKeys.ring())));
  const sealed = results.reduce((sum, result) => sum + result.sealed, 0);
  const faults = results.flatMap((result) => result.faults);
  if (faults.length === 0) return ok('sealed_secrets', `Sealed secrets that open: ${sealed} of ${sealed}.`);
  return fail(
    'sealed_secrets',
    `Sealed secrets that do not open: ${faults.length} of ${sealed}: ${someOf(faults)}.`,
    'Restore the master key file or the database from your copies, so that both are of the same time.',
  );
}

async function checkAudit({ audit }: Application): Promise<Check> {
  const { faults, head, entries } = await audit.verify();
  if (faults.length === 0) {
    return ok('audit_trail', `Entries that verify: ${entries}, up to head ${head.link}:${head.mac}.`);
  }
  const reasons = faults.map(({ link, reason }) => `link ${link}: ${reason}`);
  return fail(
    'audit_trail',
    `The audit trail is not unbroken: ${someOf(reasons)}.`,
    'Keep a copy of the database as it is, and find out who had access to it.',
  );
}

async function checkCertificates({ certificates, clock }: Application): Promise<Check[]> {
  const now = clock.now();
  const expired: string[] = [];
  const expiring: string[] = [];
  let count = 0;
  for await (const { id, name, state, expires_at } of allOf((after) =>
    certificates.list({ ...after, limit: pageSize }),
  )) {
    count += 1;
    if (state !== 'issued' || expires_at === null) continue;
    const left = Date.parse(expires_at) - now;
    if (left <= 0) expired.push(`${name} (${id})`);
    else if (left <= soonMs) expiring.push(`${name} (${id})`);
  }
  const renew = 'Import a new version by "waxwing certificate import --onto ID", or revoke what is not used any more.';
  const checks: Check[] = [];
  if (expired.length > 0) checks.push(warn('certificates', `Expired (${expired.length}): ${someOf(expired)}.`, renew));
  if (expiring.length > 0) {
    checks.push(warn('certificates', `Expiring within 14 days (${expiring.length}): ${someOf(expiring)}.`, renew));
  }
  return checks.length > 0 ? checks : [ok('certificates', `Expired or expiring within 14 days: none of ${count}.`)];
}

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
  if (closed.length > 0) {
    checks.push(
      warn('deployments', `Empty allow-list, which admits nobody (${closed.length}): ${someOf(closed)}.`, remedy),
    );
  }
  if (open.length > 0) {
    checks.push(
      warn('deployments', `Open to every address, by the token alone (${open.length}): ${someOf(open)}.`, remedy),
    );
  }
  return checks.length > 0 ? checks : [ok('deployments', `Empty or wide-open allow-lists: none of ${count}.`)];
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
