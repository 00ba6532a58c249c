import { existsSync, lstatSync } from 'node:fs';
import type { Application } from '../../compose.ts';
import type { Settings } from '../../config/settings.ts';
import { type Check, fail, messageOf, ok, sentence, warn } from '../../instance/doctor/doctor-check.ts';
import { LostDatabase } from '../../instance/lost-database.ts';
import { systemClock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { LocalCommand } from '../command.ts';
import { localConnection, openHere, quietTelemetry } from '../exchange/inline-exchange.ts';
import { askStatus } from '../exchange/socket-exchange.ts';
import { controlSocketPath } from '../exchange/socket-path.ts';
import { readSettings } from '../local-settings.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text-table.ts';

interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

export const doctor: LocalCommand<Diagnosis> = {
  name: 'doctor',
  summary: 'Check the installation, and suggest a fix for each problem',
  notes: 'Changes nothing. Exit code 1 when something fails; warnings alone are 0.',
  async execute(_args, { terminal, envFile }) {
    const loaded = readSettings(terminal, envFile);
    if (!loaded.ok) {
      return diagnosis(
        loaded.problems.map(({ name, message }) =>
          fail('settings', 'setting_refused', { setting: name, fault: message }, `${name} ${message}.`, 'Correct it.'),
        ),
      );
    }
    const server = await inspectServer(loaded.settings);
    const rest = server.answers ? inspectRest(loaded.settings, terminal, server.runs) : inspectAlone(loaded.settings);
    const checks = withoutRepeats([...server.checks, ...(await rest)]);
    return diagnosis(server.runs ? checks : await withListenFaults(loaded.settings, checks));
  },
  print: ({ checks }) => checks.map(printCheck).join('\n'),
  isFailure: ({ ok }) => !ok,
};

function diagnosis(checks: readonly Check[]): Diagnosis {
  return { ok: checks.every(({ state }) => state !== 'fail'), checks };
}

function printCheck({ name, state, message, remedy }: Check): string {
  const line = plainText(`${state.padEnd(4)}  ${name.padEnd(16)}  ${message}`);
  return remedy === null ? line : `${line}\n${' '.repeat(24)}${plainText(remedy)}`;
}

interface Status {
  readonly version: string;
  readonly untrusted_forwards?: number;
  readonly workers?: readonly { readonly name: string; readonly state: string; readonly last_fault?: string | null }[];
}

interface ServerHealth {
  /** Also true of one that did not tell how it is. */
  readonly runs: boolean;
  /** Not so: nothing that takes longer is asked of it, and nobody else may open its database. */
  readonly answers: boolean;
  readonly checks: readonly Check[];
}

async function inspectServer({ data: folder }: Settings): Promise<ServerHealth> {
  const name = 'server';
  try {
    const answer = await askStatus(controlSocketPath(folder));
    if (answer === undefined) {
      const message = `No server runs on ${folder}.`;
      const checks = [ok(name, 'server_not_running', { folder }, message), ...checkSocketPlace(folder)];
      return { runs: false, answers: true, checks };
    }
    const { version, untrusted_forwards = 0, workers = [] } = JSON.parse(answer) as Status;
    const down = workers.filter(({ state }) => state !== 'running');
    const checks = [
      ok(name, 'server_running', { version, folder }, `A server of version ${version} runs on ${folder}.`),
    ];
    if (down.length > 0) {
      const faults = down.map((worker) => `${worker.name}: ${worker.last_fault ?? worker.state}`).join('; ');
      const message = sentence(`Not everything in the server works: ${faults}`);
      checks.push(fail('workers', 'workers_faulty', { faults }, message, 'Its log tells more.'));
    }
    if (untrusted_forwards > 0) {
      checks.push(
        warn(
          'forwarded_headers',
          'forwarded_headers_untrusted',
          { requests: untrusted_forwards },
          `${untrusted_forwards} requests came forwarded from this machine, but no proxy is trusted: every client looks like 127.0.0.1.`,
          'Set WAXWING_TRUSTED_PROXIES to the address of the proxy in front.',
        ),
      );
    }
    return { runs: true, answers: true, checks };
  } catch (error) {
    const fault = messageOf(error);
    const remedy = 'See to that first, and run the doctor again.';
    return { runs: true, answers: false, checks: [fail(name, 'server_unreachable', { fault }, fault, remedy)] };
  }
}

/** Of workers that all failed for want of the database nothing is said beside what is said of the database. */
function withoutRepeats(checks: readonly Check[]): readonly Check[] {
  const silence = checks.find(({ code }) => code === 'database_unreachable')?.parameters.fault;
  const isRepeat = ({ code, parameters }: Check) =>
    code === 'workers_faulty' &&
    String(parameters.faults)
      .split('; ')
      .every((fault) => fault.endsWith(`: ${silence}`));
  return silence === undefined ? checks : checks.filter((check) => !isRepeat(check));
}

/** A dead server's socket is replaced at the next start; anything else there refuses it. */
function checkSocketPlace(folder: string): readonly Check[] {
  const file = controlSocketPath(folder);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isSocket()) return [];
  const message = `${file} is in the way: it is not a socket, so the server does not start.`;
  return [fail('control_socket', 'control_socket_obstructed', { file }, message, 'Move it elsewhere.')];
}

/** The machine and the database; where no database opens, and no server does the looking, at least the machine. */
async function inspectRest(settings: Settings, terminal: Terminal, serverRuns: boolean): Promise<readonly Check[]> {
  const { apiClient } = await import('../exchange/api-client.ts');
  const connection = localConnection({ settings, terminal }, openUnchanged);
  try {
    // The codes are of this version: a server of another one is not asked.
    return (await apiClient(connection).call('inspectInstance')).checks as readonly Check[];
  } catch (error) {
    const database = judgeFailure(settings, error);
    return serverRuns ? [database] : [...(await inspectAlone(settings)), database];
  } finally {
    await connection.close();
  }
}

/** The machine, without the database. */
async function inspectAlone(settings: Settings): Promise<readonly Check[]> {
  const { inspectMachine } = await import('../../instance/doctor/inspect-machine.ts');
  return inspectMachine(settings, systemClock.now());
}

/** What cannot be listened on is no longer told to be in order. */
async function withListenFaults(settings: Settings, checks: readonly Check[]): Promise<readonly Check[]> {
  if (checks.some(({ code }) => code === 'listener_refused')) return checks;
  const { tryListeners } = await import('./try-listeners.ts');
  const faults = await tryListeners(settings);
  const isRefuted = ({ name, state }: Check) => state === 'ok' && faults.some((fault) => fault.name === name);
  return [...checks.filter((check) => !isRefuted(check)), ...faults];
}

function judgeFailure({ masterKeyFile: file }: Settings, error: unknown): Check {
  const isMissing = error instanceof Problem && error.code === 'not_found' && error.field === 'WAXWING_DATA';
  const lost = isMissing && existsSync(file) ? new LostDatabase(file) : error;
  if (lost instanceof LostDatabase) return fail('database', 'database_lost', { file }, lost.fault, lost.remedy);
  if (isMissing) {
    return warn('database', 'database_missing', {}, 'There is no database yet.', 'Start the server to make one.');
  }
  const fault = messageOf(error);
  return fail('database', 'database_not_opened', { fault }, fault, 'See to that, and run the doctor again.');
}

/**
 * Opening an instance migrates it, and makes the master key of a new one. A doctor changes nothing, so it looks first
 * whether there is anything to do.
 */
async function openUnchanged(settings: Settings, terminal: Terminal): Promise<Application> {
  const { connectToUse, databaseFile } = await import('../../compose.ts');
  const { holdsDatabase } = await import('../../database/sqlite/database-file.ts');
  const { readSchema } = await import('../../database/migrate.ts');
  const { loadKeyRing } = await import('../../secrets/master-key-file.ts');
  const isEmpty = settings.databaseUrl === undefined && !holdsDatabase(databaseFile(settings));
  // SQLite would begin a database in an empty file.
  if (isEmpty) throw new Problem('not_found', { field: 'WAXWING_DATA' });
  const database = await connectToUse(settings, await quietTelemetry(terminal));
  try {
    const { current, known } = await readSchema(database);
    // A file without tables is as good as none.
    if (current === 0 && database.dialect === 'sqlite') throw new Problem('not_found', { field: 'WAXWING_DATA' });
    if (current < known) {
      const detail = `The database has schema ${current}, this version needs ${known}: run "waxwing migrate".`;
      throw new Problem('conflict', { detail });
    }
    loadKeyRing(settings.masterKeyFile);
  } finally {
    await database.close();
  }
  return openHere(settings, terminal);
}
