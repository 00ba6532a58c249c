import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Application } from '../compose.ts';
import type { Settings } from '../config/settings.ts';
import { systemClock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { version } from '../runtime/version.ts';
import { wait } from '../runtime/wait.ts';
import type { Command } from './command.ts';
import { callServer } from './control-client.ts';
import { controlSocketPath } from './control-protocol.ts';
import type { Terminal } from './terminal.ts';

/** How long a server that is starting or stopping is waited for. */
const patienceMs = 3_000;
const lookEveryMs = 100;

/**
 * Runs a command where the database is: in the server that runs on the data folder; without one here, on SQLite as the
 * holder of serve.lock.
 * @throws Problem that the command throws, or that says why there is no database to run it on
 */
export async function runAtDatabase(
  { settings, terminal }: { readonly settings: Settings; readonly terminal: Terminal },
  command: Command,
  input: object,
): Promise<object> {
  const actor = actorName();
  const ask = (): Promise<object | undefined> =>
    callServer(controlSocketPath(settings.data), command.name, { input, actor });
  const here = async (): Promise<object> => {
    const application = await openHere(settings, terminal);
    try {
      return await command.run(application, input, actor);
    } finally {
      await application.close();
    }
  };
  if (settings.databaseUrl !== undefined) return (await ask()) ?? here();
  return (await ask()) ?? holdingServeLock(settings, here, ask);
}

/**
 * Runs `work` as the only one who uses the embedded database.
 * @param instead asked first, again and again while another process holds the lock: a server that is just starting
 * @throws Problem `not_found` where there is no database yet, `conflict` when the lock stays held
 */
export async function holdingServeLock<T>(
  settings: Settings,
  work: () => Promise<T>,
  instead: () => Promise<T | undefined>,
): Promise<T> {
  const { databaseFile } = await import('../compose.ts');
  const { takeServeLock } = await import('../database/serve-lock.ts');
  if (!existsSync(databaseFile(settings))) throw nothingThere(settings);
  const givingUp = AbortSignal.timeout(patienceMs);
  for (;;) {
    const lock = await takeServeLock(serveLockFile(settings));
    if (lock !== undefined) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (givingUp.aborted) throw inUse(settings);
    await wait(lookEveryMs, givingUp);
    const answer = await instead();
    if (answer !== undefined) return answer;
  }
}

export function serveLockFile(settings: Settings): string {
  return join(settings.data, 'serve.lock');
}

/** Commands of a mistyped folder shall not quietly make a second instance there. */
function nothingThere(settings: Settings): Problem {
  return new Problem('not_found', {
    field: 'WAXWING_DATA',
    detail: `There is no Waxwing database in ${settings.data}. Set WAXWING_DATA to where it is; "waxwing serve" or "waxwing migrate" makes a new one.`,
  });
}

export function inUse(settings: Settings): Problem {
  return new Problem('conflict', {
    field: 'WAXWING_DATA',
    detail: `Another process is starting or using the database in ${settings.data} (it holds ${serveLockFile(settings)}).`,
  });
}

/** The application in this process, on its own. What it makes is its owner's alone. */
async function openHere(settings: Settings, terminal: Terminal): Promise<Application> {
  process.umask(0o077);
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
