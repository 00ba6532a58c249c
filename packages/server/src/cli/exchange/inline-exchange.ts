import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { cliActorHeader } from '../../api/actor.ts';
import type { Application } from '../../compose.ts';
import type { Settings } from '../../config/settings.ts';
import type { ServeLock } from '../../database/sqlite/serve-lock.ts';
import { systemClock } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import { version } from '../../runtime/version.ts';
import { makeFolder } from '../person-files.ts';
import type { Terminal } from '../terminal.ts';
import { takeDataLock } from './data-lock.ts';
import type { ApiReply, ApiRequest, Connection, Exchange } from './exchange.ts';
import { askSocket } from './socket-exchange.ts';
import { controlSocketPath } from './socket-path.ts';

/**
 * The way to the instance of this machine: the server that runs on the data folder, by its socket. Without a server the
 * same API in this process, on SQLite as the holder of serve.lock.
 * @param open how the application is opened when no server has it open
 */
export function localConnection(
  { settings, terminal }: { readonly settings: Settings; readonly terminal: Terminal },
  open: (settings: Settings, terminal: Terminal) => Promise<Application> = openHere,
): Connection {
  const socket = controlSocketPath(settings.data);
  let inline: { readonly exchange: Exchange; close(): Promise<void> } | undefined;

  async function begin(lock: ServeLock | undefined): Promise<NonNullable<typeof inline>> {
    const opened = new AsyncDisposableStack();
    try {
      if (lock !== undefined) opened.adopt(lock, (held) => held.release());
      const application = opened.adopt(await open(settings, terminal), (each) => each.close());
      const { openLocalApi } = await import('./local-api.ts');
      const api = opened.adopt(await openLocalApi(application), (each) => each.close());
      return { exchange: (request) => inject(api, request), close: () => opened.disposeAsync() };
    } catch (error) {
      await opened.disposeAsync();
      throw error;
    }
  }

  return {
    place: settings.data,
    async exchange(given) {
      const request = { ...given, headers: { ...given.headers, [cliActorHeader]: encodeURIComponent(actorName()) } };
      if (inline === undefined) {
        const ask = () => askSocket(socket, request);
        const answer = await ask();
        if (answer !== undefined) return answer;
        const lock = settings.databaseUrl === undefined ? await lockUnlessAnswered(settings, ask) : undefined;
        if (lock !== undefined && 'answer' in lock) return lock.answer;
        inline = await begin(lock);
      }
      return inline.exchange(request);
    },
    async close() {
      const ending = inline;
      inline = undefined;
      await ending?.close();
    },
  };
}

/** The lock may be held by a server that has not opened its socket yet: then it is that server's turn. */
async function lockUnlessAnswered(
  settings: Settings,
  ask: () => Promise<ApiReply | undefined>,
): Promise<ServeLock | { readonly answer: ApiReply }> {
  const { databaseFile } = await import('../../compose.ts');
  if (!existsSync(databaseFile(settings))) throw nothingThere(settings);
  let answer: ApiReply | undefined;
  const lock = await takeDataLock(settings, async () => {
    answer = await ask();
    return answer !== undefined;
  });
  return lock ?? { answer: answer as ApiReply };
}

/** Commands of a mistyped folder shall not quietly make a second instance there. */
function nothingThere(settings: Settings): Problem {
  return new Problem('not_found', {
    field: 'WAXWING_DATA',
    detail: `There is no Waxwing database in ${settings.data}. Set WAXWING_DATA to where it is; "waxwing serve" or "waxwing migrate" makes a new one.`,
  });
}

async function inject(api: Awaited<ReturnType<typeof import('./local-api.ts').openLocalApi>>, request: ApiRequest) {
  const { method, path, headers, body } = request;
  const answer = await api.inject({
    method: method as 'GET',
    url: path,
    headers,
    ...(body !== undefined && { payload: body }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload } as ApiReply;
}

/** The application in this process, on its own. What it makes is its owner's alone. */
export async function openHere(settings: Settings, terminal: Terminal): Promise<Application> {
  process.umask(0o077);
  makeFolder('WAXWING_DATA', settings.data);
  const { openApplication } = await import('../../compose.ts');
  return openApplication(settings, systemClock, await quietTelemetry(terminal));
}

/** For what runs in the command line itself: warnings and worse, on stderr. */
export async function quietTelemetry({ stderr }: Terminal): Promise<Telemetry> {
  const { createTelemetry } = await import('../../runtime/telemetry.ts');
  return createTelemetry({ level: 'warn', format: 'auto', stream: stderr, clock: systemClock, version });
}

/** The name of the person's account. */
function actorName(): string {
  try {
    return userInfo().username.slice(0, 100).toWellFormed();
  } catch {
    // An account without an entry in the user database, as in containers.
    return String(process.getuid?.() ?? 'unknown');
  }
}
