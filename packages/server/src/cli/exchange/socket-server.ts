import { lstatSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorAnswer } from '../../http/error-handler.ts';
import type { Probe } from '../../http/probes.ts';
import { Problem } from '../../runtime/problem.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import { askStatus } from './socket-exchange.ts';
import { fitsSocketAddress, versionHeader } from './socket-path.ts';

export interface ControlServer {
  /** Refuses further commands, and waits at most so many milliseconds for running ones. */
  stop(limitMs: number): Promise<void>;
}

export interface ControlServerOptions {
  readonly path: string;
  readonly version: string;
  readonly telemetry: Pick<Telemetry, 'log' | 'metrics'>;
  /** Most servers run for months without a command: what the API takes is not in memory before the first one. */
  readonly openApi: () => Promise<SocketApi>;
  readonly status: () => object;
  /** Whether the server is ready, as its own `/readyz` answers. */
  readonly probe: () => Promise<Probe>;
}

export interface SocketApi {
  routing(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<unknown>;
}

const limits = { connections: 64, headersMs: 10_000, requestMs: 30_000 } as const;

/**
 * Takes commands for the running server on its socket: the management API for the owner of the data folder. `GET /status`,
 * `/readyz` and `/metrics` are for people and doctors. Call it as the holder of the data folder's serve.lock: the socket of a
 * server that died is replaced.
 * @throws Problem when the path is too long, when another server answers there, or when it is no socket
 */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const { path, version, telemetry, openApi, status } = options;
  const { log, metrics } = telemetry;
  await makeRoom(path);
  let opening: Promise<SocketApi> | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url === '/status') return sendText(response, 'application/json', JSON.stringify(status()));
    if (request.url === '/readyz') return sendText(response, 'application/json', JSON.stringify(await options.probe()));
    if (request.url === '/metrics') return sendText(response, metrics.contentType, await metrics.metrics());
    const caller = request.headers[versionHeader];
    if (caller !== version) {
      const detail = `The running server is version ${version}, this command line is ${caller}: restart the server, or use its command line.`;
      return refuse(request, response, new Problem('conflict', { field: 'version', detail }));
    }
    opening ??= openApi().catch((error: unknown) => {
      // The next command tries again.
      opening = undefined;
      throw error;
    });
    (await opening).routing(request, response);
  };
  const server = createServer(
    { headersTimeout: limits.headersMs, requestTimeout: limits.requestMs, keepAliveTimeout: 1 },
    (request, response) => {
      serve(request, response).catch((error: unknown) => {
        log.error({ err: error }, 'a command failed');
        response.destroy();
      });
    },
  );
  server.maxConnections = limits.connections;
  await listen(server, path);
  return {
    async stop(limitMs) {
      const cut = setTimeout(() => server.closeAllConnections(), limitMs);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      clearTimeout(cut);
      await (await opening)?.close();
    },
  };
}

/** @throws Problem when no socket can have this path */
export function checkSocketPath(path: string): void {
  if (fitsSocketAddress(path)) return;
  throw refusal(`${path} is too long a path for a socket; let WAXWING_DATA name a shorter one, or a link to it.`);
}

async function makeRoom(path: string): Promise<void> {
  checkSocketPath(path);
  if ((await askStatus(path)) !== undefined) {
    throw refusal(`Another server runs on this data folder: it answers on ${path}.`);
  }
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw refusal(`${path} is in the way: it is not a socket. Move it elsewhere.`);
  rmSync(path);
}

function refusal(detail: string): Problem {
  return new Problem('conflict', { field: 'WAXWING_DATA', detail });
}

function listen(server: Server, path: string): Promise<void> {
  // Bound within the call, so that nobody can connect before the mode is right.
  const before = process.umask(0o177);
  try {
    const listening = new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('listening', resolve);
    });
    server.listen(path);
    return listening;
  } finally {
    process.umask(before);
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  const answer = errorAnswer(problem, 'problem+json', 0);
  // Read to its end: closing on unread bytes would reset the connection before the answer is read.
  request.resume().once('end', () => response.writeHead(answer.status, answer.headers).end(answer.body));
}

function sendText(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body), connection: 'close' });
  response.end(body);
}
