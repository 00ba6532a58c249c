import { randomUUID } from 'node:crypto';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import { managementBase, type Operation, pathParameters } from '@waxwing/contract/management-api/operation.ts';
import { anyOrganization, maxPage } from '@waxwing/contract/management-api/shared-schemas.ts';
import { cursorBehind } from '../../api/page-cursor.ts';
import { type Fault, Problem, type ProblemCode, problems } from '../../runtime/problem.ts';
import { version } from '../../runtime/version.ts';
import type { ApiServer, OperationId, Part } from './api-server.ts';
import type { ApiReply, Connection } from './exchange.ts';
import { machineOperations } from './machine-operations.ts';
import { baseUrlHeader } from './socket-path.ts';

/** The parts of any call, without the types of its operation. */
interface Parts {
  readonly params?: Readonly<Record<string, string | undefined>>;
  readonly query?: object;
  readonly body?: unknown;
  readonly readBy?: OperationId;
}

interface Page {
  readonly items: readonly object[];
  readonly next_cursor: string | null;
}

/** Speaks to a management API. */
export function apiClient({ exchange, place }: Pick<Connection, 'exchange' | 'place'>): ApiServer {
  let baseUrl = place;

  async function send(operation: Operation, parts: Parts, headers: Readonly<Record<string, string>> = {}) {
    const { method } = operation;
    const params = { organization_id: anyOrganization, ...withoutAbsent(parts.params ?? {}) };
    const body = operation.body === undefined ? undefined : JSON.stringify(parts.body ?? {});
    const reply = await exchange({
      method,
      path: pathOf(operation, params) + queryOf(parts.query ?? {}),
      headers: {
        accept: 'application/json',
        'user-agent': `waxwing/${version}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(operation.idempotent === true && { 'idempotency-key': randomUUID() }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    baseUrl = [reply.headers[baseUrlHeader] ?? baseUrl].flat().join();
    if (reply.status === operation.answer.status) return reply;
    throw problemOf(reply, place, operation, params);
  }

  async function call(id: OperationId, parts: Parts = {}): Promise<object> {
    const operation = operationOf(id);
    const reply = await send(operation, parts, operation.ifMatch === true ? await readTag(id, parts) : {});
    return operation.answer.schema === undefined ? {} : parsed(reply, place);
  }

  async function readTag(id: OperationId, { readBy, params }: Parts): Promise<Record<string, string>> {
    if (readBy === undefined) throw new TypeError(`${id} needs to know by which operation its ETag is read`);
    const { headers } = await send(operationOf(readBy), params === undefined ? {} : { params });
    return { 'if-match': String(headers.etag ?? '') };
  }

  async function list(id: OperationId, parts: Parts = {}, part: Part = {}): Promise<readonly object[]> {
    const { limit = Number.POSITIVE_INFINITY, after } = part;
    const items: object[] = [];
    let cursor: string | null = after === undefined ? null : cursorBehind(id, after);
    do {
      const size = Math.min(maxPage, limit - items.length);
      const query: object = { ...parts.query, limit: size, ...(cursor !== null && { cursor }) };
      const page = (await call(id, { ...parts, query })) as Page;
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null && items.length < limit);
    return items;
  }

  // The interface ties ids to the types of their operations, which only exist before run time.
  return {
    get baseUrl() {
      return baseUrl;
    },
    place,
    async probe() {
      const reply = await exchange({ method: 'GET', path: '/readyz', headers: {} });
      return reply.status === 404 ? undefined : parsed(reply, place);
    },
    call,
    list,
  } as unknown as ApiServer;
}

function withoutAbsent(params: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function pathOf({ path }: Operation, params: Readonly<Record<string, string>>): string {
  return (
    managementBase +
    path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
      const value = params[name];
      if (value === undefined) throw new TypeError(`${path} needs ${name}`);
      return encodeURIComponent(value);
    })
  );
}

function operationOf(id: string): Operation {
  const operation = [...allOperations, ...machineOperations].find((each) => each.id === id);
  if (operation === undefined) throw new TypeError(`The management API has no operation ${id}`);
  return operation;
}

function queryOf(query: object): string {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

function parsed({ text }: ApiReply, place: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (cause) {
    throw notWaxwing(place, 'no JSON', cause);
  }
}

/** The server's own words where it is a Waxwing server that answered, and not something on the way to it. */
function problemOf(
  reply: ApiReply,
  place: string,
  operation: Operation,
  params: Readonly<Record<string, string>>,
): Problem {
  const { status, headers } = reply;
  if (status >= 300 && status < 400) return notWaxwing(place, `a redirect to ${headers.location ?? 'nowhere'}`);
  if (String(headers['content-type']).startsWith('application/problem+json') !== true) {
    return notWaxwing(place, `status ${status}`);
  }
  const { code, detail, field, reason, parameters, faults } = parsed(reply, place) as {
    readonly code: string;
    readonly detail: string;
    readonly field?: string;
    readonly reason?: string;
    readonly parameters?: Readonly<Record<string, string | number>>;
    readonly faults?: readonly Fault[];
  };
  if (code === 'not_found' && field === undefined) return absent(operation, params, detail);
  return new Problem(Object.hasOwn(problems, code) ? (code as ProblemCode) : 'internal_error', {
    detail,
    reason,
    ...(field !== undefined && { field }),
    ...(parameters !== undefined && { parameters }),
    ...(faults !== undefined && { faults }),
  });
}

/** The API does not tell which part of a path is unknown, because that part may belong to another customer. */
function absent({ path }: Operation, params: Readonly<Record<string, string>>, plain: string): Problem {
  const name = pathParameters(path).findLast((each) => each.endsWith('_id'));
  if (name === undefined) return new Problem('not_found', { detail: plain });
  const field = name.replace(/_id$/, '');
  const list = listedBy[field] ?? field.replaceAll('_', '-');
  const detail = `There is no ${field.replaceAll('_', ' ')} ${params[name]}. "${list} list" shows those there are.`;
  return new Problem('not_found', { field, detail });
}

/** Things that are listed under the name of another. */
const listedBy: Readonly<Record<string, string>> = { batch: 'message', account: 'operator' };

function notWaxwing(place: string, what: string, cause?: unknown): Problem {
  const detail = `What answers at ${place} is not the management API of a Waxwing server of this version: ${what}.`;
  return new Problem('service_unavailable', { field: 'server', detail, cause });
}
