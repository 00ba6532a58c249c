import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../../database/database.ts';
import { listenProblem } from '../../../http/listen-problem.ts';
import { findHttpAnswer } from '../orders/proof-store.ts';

const base = '/.well-known/acme-challenge/';
/** base64url, as RFC 8555 §8.3 has it. */
const tokenForm = /^[A-Za-z0-9_-]{1,512}$/;
const mostConnections = 1_000;
const requestMs = 10_000;

/** Answers HTTP-01 from the database, so by any server. */
export function registerHttpChallenges(app: FastifyInstance, { db }: Pick<Database, 'db'>): void {
  app.get(`${base}:token`, async (request, reply) => {
    const { token } = request.params as { token: string };
    const answer = tokenForm.test(token) ? await findHttpAnswer(db, token) : undefined;
    reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8');
    if (answer === undefined) return reply.code(404).send('There is no such challenge.\n');
    return reply.type('application/octet-stream').send(answer);
  });
}

interface ChallengeListenerNeeds {
  readonly database: Pick<Database, 'db'>;
  readonly baseUrl: string;
  readonly onError: (error: unknown) => void;
}

/**
 * A listener that serves nothing but challenges. The rest is sent to the base URL, if that is HTTPS.
 * @throws Problem that names WAXWING_HTTP01_LISTEN when the address cannot be listened on
 */
export async function listenForHttpChallenges(
  needs: ChallengeListenerNeeds,
  address: { readonly host: string; readonly port: number },
): Promise<Server> {
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs, keepAliveTimeout: 1_000 });
  server.on('request', (request, response) => {
    answer(needs, request, response).catch((error: unknown) => {
      needs.onError(error);
      if (!response.headersSent) response.writeHead(503, { 'retry-after': '2' });
      response.end();
    });
  });
  server.maxConnections = mostConnections;
  try {
    server.listen(address.port, address.host);
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem('WAXWING_HTTP01_LISTEN', address, error);
  }
  return server;
}

async function answer(
  { database, baseUrl }: ChallengeListenerNeeds,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const path = request.url ?? '/';
  const headers = { 'cache-control': 'no-store' };
  const [withoutQuery = ''] = path.split('?');
  if (withoutQuery.startsWith(base)) {
    const token = withoutQuery.slice(base.length);
    const found = isRead && tokenForm.test(token) ? await findHttpAnswer(database.db, token) : undefined;
    if (found !== undefined) {
      response.writeHead(200, { ...headers, 'content-type': 'application/octet-stream' }).end(found);
    } else response.writeHead(404, headers).end();
    return;
  }
  // Another host in an absolute target, or a path that begins like one, must not lead elsewhere.
  if (isRead && baseUrl.startsWith('https://') && /^\/(?![/\\])/.test(path)) {
    response.writeHead(308, { ...headers, location: `${baseUrl}${path}` }).end();
  } else response.writeHead(404, headers).end();
}
