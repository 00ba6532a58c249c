import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../runtime/clock.ts';
import { Problem, problems } from '../runtime/problem.ts';
import { newRequestId } from './api-headers.ts';
import { pathOf } from './request/request-target.ts';

/** How an error looks on the wire: the three-field envelope of the given interface, or RFC 9457. */
export type ErrorRendering = 'envelope' | 'problem+json';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The part of a pino logger that errors need. */
export interface ErrorLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The envelope below /api, except for the management API below /api/v1. */
export function renderingFor(path: string): ErrorRendering {
  return isAtOrBelow(path, '/api') && !isAtOrBelow(path, '/api/v1') ? 'envelope' : 'problem+json';
}

/** The complete answer to an error. `now` is epoch milliseconds. */
export function errorAnswer(problem: Problem, rendering: ErrorRendering, now: number): ErrorAnswer {
  const isEnvelope = rendering === 'envelope';
  return {
    status: problem.status,
    headers: {
      'content-type': isEnvelope ? 'application/json; charset=utf-8' : 'application/problem+json',
      ...headersOf(problem),
    },
    body: isEnvelope ? errorEnvelope(problems[problem.code].message, now) : problemDocument(problem),
  };
}

/** `{"status":"error","message":…,"timestamp":…}`: these three fields, in this order; Unix time in whole seconds. */
export function errorEnvelope(message: string, now: number): string {
  return `{"status":"error","message":${JSON.stringify(message)},"timestamp":${Math.floor(now / 1000)}}`;
}

/**
 * What the caller may know of anything thrown. Faults that Fastify finds in a request (body too large, not JSON)
 * are the caller's; all else is ours, and its cause stays inside.
 * @param rendering the envelope has no 413 (contract §1): there a body that is too large is a parameter at fault
 */
export function toProblem(error: unknown, rendering: ErrorRendering = 'envelope'): Problem {
  if (error instanceof Problem) return error;
  if (!isFastifyError(error)) return new Problem('internal_error', { cause: error });
  if (error.code === 'FST_ERR_MAX_PARAM_LENGTH') return new Problem('route_not_found');
  if (error.code === 'FST_ERR_BAD_URL') return new Problem('invalid_request');
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    if (rendering === 'problem+json') return new Problem('body_too_large');
    return new Problem('invalid_parameter', { field: 'body', detail: 'body is larger than this interface takes.' });
  }
  if (error.code.startsWith('FST_ERR_CTP_') && (error.statusCode ?? 500) < 500) {
    return new Problem('invalid_request', { detail: error.message });
  }
  return new Problem('internal_error', { cause: error });
}

export interface ErrorHandlerOptions {
  readonly log: ErrorLog;
  readonly clock: Clock;
  /** What every problem document carries beside its own headers, with a `Request-Id`; the envelope is as given. */
  readonly problemHeaders?: Readonly<Record<string, string>>;
}

/** Answers every error of a handler, and logs our own faults without the query, which may hold a token. */
export function createErrorHandler(options: ErrorHandlerOptions) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const path = pathOf(request.raw.url ?? '');
    const rendering = renderingFor(path);
    const problem = error === request.raw.errored ? brokenOff() : toProblem(error, rendering);
    if (rendering === 'problem+json' && !reply.hasHeader('request-id')) {
      reply.headers(headersOfProblems(options.problemHeaders));
    }
    if (problem.status >= 500) report(options.log, problem, request.method, path, reply.getHeader('request-id'));
    send(reply, errorAnswer(problem, rendering, options.clock.now()));
  };
}

/** The client left amid its body: no fault of ours, and nobody reads the answer. */
const brokenOff = () => new Problem('invalid_request');

/** Also for what never came as far as to a route. */
export function headersOfProblems(problemHeaders: ErrorHandlerOptions['problemHeaders'] = {}): Record<string, string> {
  return { ...problemHeaders, 'request-id': newRequestId() };
}

function send(reply: FastifyReply, answer: ErrorAnswer): void {
  // As bytes: to a text of any JSON type Fastify would append a charset, which problem+json does not have.
  reply.code(answer.status).headers(answer.headers).send(Buffer.from(answer.body));
}

function report(log: ErrorLog, problem: Problem, method: string, path: string, requestId: unknown): void {
  const named = requestId === undefined ? {} : { request_id: requestId };
  const fields = { code: problem.code, method, path, ...named, err: problem.cause ?? problem };
  if (problem.code === 'internal_error') log.error(fields, 'request failed');
  else log.warn(fields, 'request refused');
}

/** A 404 or 405 may be stored by caches unless told otherwise (RFC 9111 §3, RFC 9110 §15.1). */
function headersOf(problem: Problem): Record<string, string> {
  return {
    'error-code': problem.code,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    ...(problem.field !== undefined && { 'error-field': toFieldValue(problem.field) }),
    ...challengeOf(problem),
    ...retryAfter(problem),
  };
}

/** RFC 9110 §15.5.2: every 401 has one. RFC 6750 §3: no error code when no credential was sent at all. */
function challengeOf({ code, status }: Problem): Record<string, string> {
  if (status !== 401) return {};
  return { 'www-authenticate': code === 'invalid_token' ? 'Bearer error="invalid_token"' : 'Bearer' };
}

function retryAfter(problem: Problem): Record<string, string> {
  if (problem.retryAfterSeconds !== undefined) return { 'retry-after': `${problem.retryAfterSeconds}` };
  return problem.status === 429 || problem.status === 503 ? { 'retry-after': '1' } : {};
}

/** A field is named by the caller at times; a header value holds visible ASCII only. */
function toFieldValue(field: string): string {
  return field.replace(/[^\x21-\x7e]/g, '?').slice(0, 200);
}

/** RFC 9457, of type about:blank, so the title is the status phrase; `code` is stable. */
function problemDocument(problem: Problem): string {
  return JSON.stringify({
    title: STATUS_CODES[problem.status],
    status: problem.status,
    detail: problem.code === 'internal_error' ? problems.internal_error.title : problem.message,
    code: problem.code,
    ...(problem.field !== undefined && { field: problem.field }),
    ...(problem.reason !== undefined && { reason: problem.reason }),
    ...(Object.keys(problem.parameters).length > 0 && { parameters: problem.parameters }),
    ...(problem.faults.length > 0 && { faults: problem.faults }),
  });
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === '/');
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'statusCode' in error;
}
