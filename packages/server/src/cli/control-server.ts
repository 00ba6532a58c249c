import { lstatSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Application } from '../compose.ts';
import { Problem } from '../runtime/problem.ts';
import type { Command } from './command.ts';
import { askServer } from './control-client.ts';
import {
  type ControlReply,
  type ControlRequest,
  commandPath,
  fitsSocketAddress,
  versionHeader,
} from './control-protocol.ts';
import { type ErrorReport, reportError } from './error-report.ts';

export interface ControlServer {
  /** Takes no more commands, and waits at most so many milliseconds for those that run. */
  stop(limitMs: number): Promise<void>;
}

export interface ControlServerOptions {
  readonly path: string;
  readonly version: string;
  readonly commands: readonly Command[];
  readonly application: Application;
  readonly status: () => object;
}

const smallestBodyLimit = 2 * 1024 * 1024;
const limits = { connections: 64, headersMs: 10_000, requestMs: 30_000 } as const;

/**
 * Takes commands for the running server on its socket. Call it as the holder of the data folder's serve.lock: the
 * socket of a server that died is replaced.
 * @throws Problem when the path is too long, when another server answers there, or when it is no socket
 */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const { path } = options;
  await makeRoom(path);
  const server = createServer(
    { headersTimeout: limits.headersMs, requestTimeout: limits.requestMs, keepAliveTimeout: 1 },
    (request, response) => void answer(options, request, response),
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
  if ((await askServer(path, { method: 'GET', path: '/status' })) !== undefined) {
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

async function answer(
  options: ControlServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A reader that went away is no fault; what it asked for is done all the same.
  response.on('error', () => {});
  request.on('error', () => {});
  try {
    const url = request.url ?? '';
    if (request.method === 'GET' && url === '/status') return send(response, 200, json(options.status()));
    if (request.method === 'GET' && url === '/metrics') {
      const { metrics } = options.application.telemetry;
      return send(response, 200, { type: metrics.contentType, body: await metrics.metrics() });
    }
    const result = await runCommand(options, request);
    send(response, 200, json({ ok: true, answer: result } satisfies ControlReply));
  } catch (error) {
    send(response, 422, json({ ok: false, problem: reportAndLog(options, request, error) } satisfies ControlReply));
  }
}

/** What is a fault of ours goes to the log as a whole; the caller only learns where to look. */
function reportAndLog({ application }: ControlServerOptions, { url }: IncomingMessage, error: unknown): ErrorReport {
  const report = reportError(error);
  if (report.code !== 'internal_error') return report;
  application.telemetry.log.error({ err: error, path: url }, 'a command failed');
  return { ...report, detail: 'An unexpected fault in the server; its log tells the cause.' };
}

async function runCommand(options: ControlServerOptions, request: IncomingMessage): Promise<object> {
  const { commands, application, version } = options;
  // Read whatever is wrong: closing on unread bytes would reset the connection before the answer is read.
  const body = await readBody(request, bodyLimit(application.settings.importLimit));
  const caller = request.headers[versionHeader];
  if (caller !== version) {
    throw new Problem('conflict', {
      field: 'version',
      detail: `The running server is version ${version}, this command line is ${caller}: restart the server, or use its command line.`,
    });
  }
  const command = commands.find(({ name }) => commandPath(name) === request.url);
  if (request.method !== 'POST' || command === undefined) throw new Problem('route_not_found');
  const { input, actor } = parseRequest(body);
  return command.run(application, input, actor);
}

/** Imported files travel as base64, with a little around them. */
function bodyLimit(importLimit: number): number {
  return Math.max(smallestBodyLimit, 2 * importLimit);
}

async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit)
    throw new Problem('invalid_request', { detail: `The command's input has more than ${limit} bytes.` });
  return Buffer.concat(chunks).toString('utf8');
}

function parseRequest(body: string): ControlRequest {
  try {
    const { input, actor } = JSON.parse(body) as Partial<ControlRequest>;
    if (typeof input === 'object' && input !== null && typeof actor === 'string' && /^cli:.{1,100}$/u.test(actor)) {
      return { input, actor };
    }
  } catch {
    // Said below, without the text: it may hold a password.
  }
  throw new Problem('invalid_request', { detail: 'The command must come as JSON with input and actor.' });
}

interface Content {
  readonly type: string;
  readonly body: string;
}

function json(value: object): Content {
  return { type: 'application/json', body: JSON.stringify(value) };
}

function send(response: ServerResponse, status: number, { type, body }: Content): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body), connection: 'close' });
  response.end(body);
}
