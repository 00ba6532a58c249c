import { randomUUID } from 'node:crypto';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import { managementBase, type Operation } from '@waxwing/contract/management-api/operation.ts';
import { maxPage } from '@waxwing/contract/management-api/shared-schemas.ts';
import { type Fault, Problem, type ProblemCode, problems } from '../runtime/problem.ts';
import { version } from '../runtime/version.ts';
import { Usage } from './command.ts';
import { type Exchange, type RemoteReply, remoteExchange } from './remote-exchange.ts';
import type { OperationId, Part, RemoteServer } from './remote-server.ts';
import type { RemoteTarget } from './remote-target.ts';

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

/** Speaks to the management API of a server elsewhere. */
export function remoteServer(target: RemoteTarget, exchange: Exchange = remoteExchange(target)): RemoteServer {
  let only: Promise<string> | undefined;

  async function send(operation: Operation, parts: Parts, headers: Readonly<Record<string, string>> = {}) {
    const { method } = operation;
    const body = operation.body === undefined ? undefined : JSON.stringify(parts.body ?? {});
    const request = {
      method,
      path: (await pathOf(operation, parts.params ?? {})) + queryOf(parts.query ?? {}),
      headers: {
        authorization: `Bearer ${target.token.reveal()}`,
        accept: 'application/json',
        'user-agent': `waxwing/${version}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(operation.idempotent === true && { 'idempotency-key': randomUUID() }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    };
    const reply = await exchange(request);
    if (reply.status === operation.answer.status) return reply;
    throw problemOf(reply, target.url);
  }

  async function call(id: OperationId, parts: Parts = {}): Promise<object> {
    const operation = operationOf(id);
    const reply = await send(operation, parts, operation.ifMatch === true ? await readTag(id, parts) : {});
    return operation.answer.schema === undefined ? {} : parsed(reply, target.url);
  }

  async function readTag(id: OperationId, { readBy, params }: Parts): Promise<Record<string, string>> {
    if (readBy === undefined) throw new TypeError(`${id} needs to know by which operation its ETag is read`);
    const { headers } = await send(operationOf(readBy), params === undefined ? {} : { params });
    return { 'if-match': headers.etag ?? '' };
  }

  async function list(id: OperationId, parts: Parts, part: Part<object> = {}): Promise<readonly object[]> {
    const { limit = Number.POSITIVE_INFINITY, isWanted = () => true } = part;
    const items: object[] = [];
    let cursor: string | null = null;
    do {
      const size = part.isWanted === undefined ? Math.min(maxPage, limit - items.length) : maxPage;
      const query: object = { ...parts.query, limit: size, ...(cursor !== null && { cursor }) };
      const page = (await call(id, { ...parts, query })) as Page;
      items.push(...page.items.filter((item) => isWanted(item)));
      cursor = page.next_cursor;
    } while (cursor !== null && items.length < limit);
    return items.slice(0, limit);
  }

  /** A key of an organization sees one; whoever sees more has to say which is meant. */
  async function onlyOrganization(): Promise<string> {
    const { items } = (await call('listOrganizations', { query: { limit: 2 } })) as Page;
    const [one, another] = items as readonly { readonly id: string }[];
    if (one === undefined) throw new Usage('The key sees no organization: give --organization ID.');
    if (another !== undefined) throw new Usage('The key sees several organizations: give --organization ID.');
    return one.id;
  }

  async function pathOf({ path }: Operation, params: Readonly<Record<string, string | undefined>>): Promise<string> {
    let whole = managementBase + path;
    for (const [braced, name = ''] of path.matchAll(/\{([a-z_]+)\}/g)) {
      if (params[name] === undefined && name === 'organization_id') only ??= onlyOrganization();
      const value = params[name] ?? (await only);
      if (value === undefined) throw new TypeError(`${path} needs ${name}`);
      whole = whole.replace(braced, encodeURIComponent(value));
    }
    return whole;
  }

  // The interface ties ids to the types of their operations, which only exist before run time.
  return { url: target.url, call, list } as unknown as RemoteServer;
}

function operationOf(id: string): Operation {
  const operation = allOperations.find((each) => each.id === id);
  if (operation === undefined) throw new TypeError(`The management API has no operation ${id}`);
  return operation;
}

function queryOf(query: object): string {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return text === '' ? '' : `?${text}`;
}

function parsed({ text }: RemoteReply, url: string): object {
  try {
    return JSON.parse(text) as object;
  } catch (cause) {
    throw notWaxwing(url, 'no JSON', cause);
  }
}

/** The server's own words where it is a Waxwing server that answered, and not something on the way to it. */
function problemOf(reply: RemoteReply, url: string): Problem {
  const { status, headers } = reply;
  if (status >= 300 && status < 400) return notWaxwing(url, `a redirect to ${headers.location ?? 'nowhere'}`);
  if (headers['content-type']?.startsWith('application/problem+json') !== true) {
    return notWaxwing(url, `status ${status}`);
  }
  const { code, detail, field, faults } = parsed(reply, url) as {
    readonly code: string;
    readonly detail: string;
    readonly field?: string;
    readonly faults?: readonly Fault[];
  };
  return new Problem(Object.hasOwn(problems, code) ? (code as ProblemCode) : 'internal_error', {
    detail,
    ...(field !== undefined && { field }),
    ...(faults !== undefined && { faults }),
  });
}

function notWaxwing(url: string, what: string, cause?: unknown): Problem {
  const detail = `What answers at ${url} is not the management API of a Waxwing server of this version: ${what}.`;
  return new Problem('service_unavailable', { field: 'server', detail, cause });
}
