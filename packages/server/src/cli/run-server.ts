import { statSync } from 'node:fs';
import { type Application, databaseFile, openApplication } from '../compose.ts';
import { listenerVerdict } from '../config/listener-verdict.ts';
import type { Settings } from '../config/settings.ts';
import { unreadableFiles } from '../config/unreadable-files.ts';
import { systemClock, toRfc3339 } from '../runtime/clock.ts';
import { freeStartMemory } from '../runtime/heap-growth.ts';
import { Problem } from '../runtime/problem.ts';
import { createTelemetry, isText, type Telemetry } from '../runtime/telemetry.ts';
import { version } from '../runtime/version.ts';
import { type RunningServer, startServer } from '../start-server.ts';
import { takeDataLockOrRefuse } from './exchange/data-lock.ts';
import { controlSocketPath } from './exchange/socket-path.ts';
import { type ControlServer, checkSocketPath, startControlServer } from './exchange/socket-server.ts';
import { badSettings } from './local-settings.ts';
import { makeFolder } from './person-files.ts';
import { printedBaseUrl } from './printed-base-url.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs the server until it is asked to stop, and stops it cleanly.
 * @throws Problem that says why it does not start; nothing stays open then
 */
export async function runServer(settings: Settings, terminal: Terminal): Promise<void> {
  const verdict = listenerVerdict(settings);
  if (!verdict.allowed) throw new Problem('conflict', { field: 'WAXWING_LISTEN', detail: verdict.message });
  const unreadable = unreadableFiles(settings);
  if (unreadable.length > 0) throw badSettings(unreadable);
  checkSocketPath(controlSocketPath(settings.data));
  // Database, key, socket: what this process makes is its owner's alone.
  process.umask(0o077);
  makeFolder('WAXWING_DATA', settings.data);
  const telemetry = createTelemetry({
    level: settings.logLevel,
    format: settings.logFormat,
    stream: terminal.stderr,
    clock: systemClock,
    version,
  });
  crashOnUnexpected(telemetry);
  const asked = stopRequested();
  const open = new AsyncDisposableStack();
  try {
    await start(settings, telemetry, terminal, open);
    telemetry.log.info({ signal: await asked }, 'stopping');
  } finally {
    const late = setTimeout(giveUp, settings.shutdownGrace + forcedStopMs, telemetry);
    await open.disposeAsync();
    // Not cleared: whatever was left open all the same does not keep a stopped server alive.
    late.unref();
  }
  telemetry.log.info('stopped');
}

/** Beyond the configured grace: for the database to be closed. */
const forcedStopMs = 800;

/** Puts each thing that it opens on `open`, so that what was opened last is closed first. */
async function start(
  settings: Settings,
  telemetry: Telemetry,
  terminal: Terminal,
  open: AsyncDisposableStack,
): Promise<void> {
  // Also beside PostgreSQL: the control socket and the name of this server live in the data folder.
  open.adopt(await takeDataLockOrRefuse(settings), (lock) => lock.release());
  const application = open.adopt(await openApplication(settings, systemClock, telemetry), (opened) => opened.close());
  const server = open.adopt(await startServer(application), (running) => running.stop());
  open.adopt(await takeCommands(application, server), (control) => control.stop(settings.shutdownGrace / 4));
  telemetry.log.info(
    { url: server.url, version, data: settings.data, database: application.database.dialect },
    'listening',
  );
  const remedies = [...closingOf(settings.data, '700'), ...closingOf(databaseFile(settings), '600')];
  if (remedies.length > 0) telemetry.log.warn({ remedies }, 'other accounts may use the files of this instance');
  // Never a link or a token: whoever reads this output is not yet known to be the operator.
  const hints = (await application.operators.exist()) ? [] : [firstOperatorHint];
  const greeting = `Waxwing ${version} listens on ${server.url} (data in ${settings.data})`;
  greet(terminal, settings.logFormat, [greeting, ...hints]);
  freeStartMemory();
}

/** The command that closes a file or folder to other accounts. The server leaves the mode alone: it may be intended. */
function closingOf(path: string, mode: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  const isOpen = stat !== undefined && (stat.mode & 0o077) !== 0 && process.platform !== 'win32';
  return isOpen ? [`chmod ${mode} ${path}`] : [];
}

const firstOperatorHint =
  'Nobody runs this instance yet. Make the first operator:\n' +
  '  npx --no waxwing operator create --email you@example.com';

/** In the form of the log: where nobody sits, one collector often reads both, and takes JSON alone. */
function greet({ stdout }: Terminal, format: Settings['logFormat'], sentences: readonly string[]): void {
  const time = toRfc3339(systemClock.now());
  const lines = isText(format, stdout)
    ? sentences
    : sentences.map((text) => JSON.stringify({ level: 'info', time, msg: text.replaceAll(/\s+/g, ' ') }));
  stdout.write(`${lines.join('\n')}\n`);
}

function takeCommands(application: Application, server: RunningServer): Promise<ControlServer> {
  const { settings } = application;
  const told = { ...application, settings: { ...settings, baseUrl: printedBaseUrl(settings, server.url) } };
  return startControlServer({
    path: controlSocketPath(settings.data),
    version,
    telemetry: application.telemetry,
    async openApi() {
      const { openLocalApi } = await import('./exchange/local-api.ts');
      return openLocalApi(told, () => [...server.status().workers]);
    },
    probe: server.probe,
    status: () => ({ ...server.status(), pid: process.pid }),
  });
}

/**
 * A terminal, npm and a service manager may each pass on the same signal, and a session that ends sends SIGTERM and SIGHUP
 * together: all within this time count as one.
 */
const sameRequestMs = 1_000;

/** Set by scripts/run-in-foreground.mjs for the process that it stands for. */
const launcherMark = 'LAUNCHED_IN_FOREGROUND';

/** @returns the first signal that asks to stop, or that the launcher was killed; a later signal ends the process at once */
function stopRequested(): Promise<string> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    // Other parents may open a channel as well, and leave their child to itself.
    if (process.env[launcherMark] !== undefined) {
      const stopAlone = () => resolve('launcher gone');
      if (process.connected === false) stopAlone();
      process.once('disconnect', stopAlone);
      process.channel?.unref();
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        const now = systemClock.monotonic();
        if (askedAt !== undefined && now - askedAt > sameRequestMs) process.exit(1);
        askedAt ??= now;
        resolve(signal);
      });
    }
  });
}

/** Crash only: a process that has lost its thread ends and is started again. Every acknowledged change is on disk. */
function crashOnUnexpected({ log }: Telemetry): void {
  const crash = (error: unknown): never => {
    log.fatal({ err: error }, 'unexpected fault; the process ends');
    process.exit(1);
  };
  process.on('unhandledRejection', crash);
  process.on('uncaughtException', crash);
}

function giveUp({ log }: Telemetry): never {
  log.error('the server did not stop in time; the process ends');
  process.exit(1);
}
