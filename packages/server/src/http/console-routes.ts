import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../runtime/problem.ts';
import { pageHeaders } from './api-headers.ts';
import { type ConsoleFile, type ConsoleFiles, noncePlace } from './console-files.ts';
import { pathOf } from './request/request-target.ts';

const base = '/console/';

/**
 * Serves the web console below `/console/`, from memory. Every path that is no file is the console's own to show, so it
 * gets the page; what looks like a file and is none stays 404.
 */
export function registerConsole(app: FastifyInstance, { files, page }: ConsoleFiles, baseUrl: string): void {
  const toConsole = (_request: FastifyRequest, reply: FastifyReply) =>
    reply.header('cache-control', 'no-cache').redirect(base, 302);
  app.get('/', toConsole);
  app.get('/console', toConsole);
  app.get(`${base}*`, (request, reply) => {
    const name = pathOf(request.raw.url ?? '').slice(base.length);
    const file = files.get(name);
    if (file !== undefined) return sendFile(request, reply, file, baseUrl);
    if (name.startsWith('assets/') || /\.\w+$/.test(name)) throw new Problem('route_not_found');
    return sendPage(reply, page, baseUrl);
  });
}

/** Styles that antd writes at run time carry the nonce; scripts come from our own files and from nowhere else. */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sendPage(reply: FastifyReply, page: string, baseUrl: string): FastifyReply {
  const nonce = randomBytes(18).toString('base64');
  return reply
    .headers({
      ...pageHeaders(baseUrl, policyOf(nonce)),
      // A stored page would come with the nonce of another answer.
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
    })
    .type('text/html; charset=utf-8')
    .send(page.replaceAll(noncePlace, nonce));
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile, baseUrl: string): FastifyReply {
  const coding = bestCoding(request.headers['accept-encoding'], file);
  const tag = `"${file.digest}${coding === undefined ? '' : `-${coding}`}"`;
  reply.headers({
    ...pageHeaders(baseUrl, "default-src 'none'"),
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag: tag,
  });
  if (names(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (coding !== undefined) reply.header('content-encoding', coding);
  return reply.type(file.type).send((coding === undefined ? undefined : file[coding]) ?? file.bytes);
}

type Coding = 'br' | 'gzip';

/** The smallest form that the client takes; a coding with `q=0` is refused (RFC 9110 §12.5.3). */
function bestCoding(accepted: string | undefined, file: ConsoleFile): Coding | undefined {
  const taken = (accepted ?? '')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => !/;\s*q=0(?:\.0*)?$/.test(entry))
    .map((entry) => entry.split(';')[0]?.trim());
  return (['br', 'gzip'] as const).find((coding) => taken.includes(coding) && file[coding] !== undefined);
}

/** Whether If-None-Match names the tag; weak comparison (RFC 9110 §13.1.2). */
function names(ifNoneMatch: string | undefined, tag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === tag);
}
