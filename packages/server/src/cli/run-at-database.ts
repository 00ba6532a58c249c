import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Application } from '../compose.ts';
import type { Settings } from '../config/settings.ts';
import { systemClock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { version } from '../runtime/version.ts';
import type { Command } from './command.ts';
import { callServer } from './control-client.ts';
import { controlSocketPath } from './control-protocol.ts';
import { takeDataLock } from './data-lock.ts';
import { makeFolder } from './person-files.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs a command where the database is: in the server that runs on the data folder; without one here, on SQLite as the
 * holder of serve.lock.
 * @param open how the application is opened when no server has it open
 * @throws Problem that the command throws, or that says why there is no database to run it on
 */
export async function runAtDatabase(
  { settings, terminal }: { readonly settings: Settings; readonly terminal: Terminal },
  command: Command,
  input: object,
  open: (settings: Settings, terminal: Terminal) => Promise<Application> = openHere,
): Promise<object> {
  const actor = actorName();
  const ask = (): Promise<object | undefined> =>
    callServer(controlSocketPath(settings.data), command.name, { input, actor });
  const here = async (): Promise<object> => {
    const application = await open(settings, terminal);
    try {
      return await command.run(application, input, actor);
    } finally {
      await application.close();
    }
  };
  const answer = await ask();
  if (answer !== undefined) return answer;
  return settings.databaseUrl === undefined ? lockedUnlessAnswered(settings, here, ask) : here();
}

/** The lock may be held by a server that has not opened its socket yet: then it is that server's turn. */
async function lockedUnlessAnswered(
  settings: Settings,
  work: () => Promise<object>,
  ask: () => Promise<object | undefined>,
): Promise<object> {
  const { databaseFile } = await import('../compose.ts');
  if (!existsSync(databaseFile(settings))) throw nothingThere(settings);
  let answer: object | undefined;
  const lock = await takeDataLock(settings, async () => {
    answer = await ask();
    return answer !== undefined;
  });
  if (lock === undefined) return answer ?? {};
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Commands of a mistyped folder shall not quietly make a second instance there. */
function nothingThere(settings: Settings): Problem {
  return new Problem('not_found', {
    field: 'WAXWING_DATA',
    detail: `There is no Waxwing database in ${settings.data}. Set WAXWING_DATA to where it is; "waxwing serve" or "waxwing migrate" makes a new one.`,
  });
}

/** The application in this process, on its own. What it makes is its owner's alone. */
export async function openHere(settings: Settings, terminal: Terminal): Promise<Application> {
  process.umask(0o077);
  makeFolder('WAXWING_DATA', settings.data);
  const { openApplication } = await import('../compose.ts');
  return openApplication(settings, systemClock, await quietTelemetry(terminal));
}

/** For what runs in the command line itself: warnings and worse, on stderr. */
export async function quietTelemetry({ stderr }: Terminal): Promise<Telemetry> {
  const { createTelemetry } = await import('../runtime/telemetry.ts');
  return createTelemetry({ level: 'warn', format: 'auto', stream: stderr, clock: systemClock, version });
}

/** `cli:` and the name of the person's account. */
export function actorName(): string {
  try {
    return `cli:${userInfo().username.slice(0, 100)}`;
  } catch {
    // An account without an entry in the user database, as in containers.
    return `cli:${process.getuid?.() ?? 'unknown'}`;
  }
}
