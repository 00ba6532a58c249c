import {
  type AnswerOf,
  type BodyOf,
  managementBase,
  type Operation,
  type ParamsOf,
  type QueryOf,
} from '@waxwing/contract/management-api/operation.ts';
import { ApiProblem, readProblem } from './api-problem.ts';

/** The input of a call: exactly the parts that the operation takes. */
export type InputOf<Of extends Operation> = Part<'params', ParamsOf<Of>, Of> &
  Part<'query', QueryOf<Of>, Of> &
  Part<'body', BodyOf<Of>, Of> &
  (Of extends { readonly ifMatch: true } ? { readonly ifMatch: string } : unknown);

/** A part is optional when everything in it is. */
type Part<Name extends string, Value, Of> = Name extends keyof Of
  ? Partial<Value> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }
  : unknown;

/** The input of any operation. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly ifMatch?: string;
}

/** An answer with the ETag that a change must name. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string;
}

export interface Api {
  /** @throws ApiProblem */
  call<Of extends Operation>(operation: Of, input: InputOf<Of>, signal?: AbortSignal): Promise<AnswerOf<Of>>;
  /** @throws ApiProblem */
  callTagged<Of extends Operation>(
    operation: Of,
    input: InputOf<Of>,
    signal?: AbortSignal,
  ): Promise<Tagged<AnswerOf<Of>>>;
}

export interface ApiNeeds {
  readonly fetch: typeof fetch;
  /** Asks the person to confirm their identity. @returns whether they did */
  readonly reauthenticate: () => Promise<boolean>;
  /** Called when the session has ended. */
  readonly onSignedOut: () => void;
  readonly newKey: () => string;
  /** Milliseconds. */
  readonly now: () => number;
}

/** A refusal for these reasons does not tell whether a creation with a lost answer was done. */
const refusedBefore: ReadonlySet<number> = new Set([401, 403, 429]);

/** A person repeats a lost creation within minutes. After that, the same input is a new creation. */
const triedAgainWithinMs = 10 * 60_000;

/**
 * The management API over same-origin `fetch`: a change needs only the session's cookie and `Origin`, which the browser
 * adds. A call that needs a confirmed identity asks for it and is repeated. A creation has an idempotency key: if its
 * answer is lost, this code and the person can repeat it without creating twice.
 */
export function createApi(needs: ApiNeeds): Api {
  /** The last creation whose answer was lost, and its key. */
  let lost: { readonly of: string; readonly key: string; readonly at: number } | undefined;

  /** The same key again for a creation whose answer was lost. */
  function keyFor(operation: Operation, input: AnyInput): string | undefined {
    if (operation.idempotent !== true) return undefined;
    const isTriedAgain = lost?.of === fingerprint(operation, input) && needs.now() - lost.at < triedAgainWithinMs;
    return isTriedAgain ? lost?.key : needs.newKey();
  }

  async function send(operation: Operation, input: AnyInput, signal: AbortSignal | undefined): Promise<Response> {
    const key = keyFor(operation, input);
    const { url, init } = requestOf(operation, input, key);
    const noteLost = () => {
      if (key !== undefined) lost = { of: fingerprint(operation, input), key, at: needs.now() };
    };
    const request = { ...init, ...(signal !== undefined && { signal }) };
    const mayRepeat = operation.method === 'GET' || operation.idempotent === true;
    let response = await attempt(url, request, mayRepeat, noteLost);
    // For any operation: some need a confirmation in certain cases only.
    if (response.status === 403) {
      const problem = await readProblem(response.clone());
      if (problem.code === 'reauthentication_required' && (await needs.reauthenticate())) {
        response = await attempt(url, request, mayRepeat, noteLost);
      }
    }
    if (response.status >= 500) noteLost();
    else if (lost?.key === key && !refusedBefore.has(response.status)) lost = undefined;
    if (response.ok) return response;
    const problem = await readProblem(response);
    if (problem.code === 'unauthenticated') needs.onSignedOut();
    throw problem;
  }

  async function attempt(url: string, init: RequestInit, mayRepeat: boolean, noteLost: () => void): Promise<Response> {
    try {
      return await needs.fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted === true) throw error;
      if (mayRepeat) return attempt(url, init, false, noteLost);
      noteLost();
      throw new ApiProblem({ code: 'unreachable' });
    }
  }

  async function read<Of extends Operation>(response: Response): Promise<AnswerOf<Of>> {
    const text = await response.text();
    return (text === '' ? undefined : JSON.parse(text)) as AnswerOf<Of>;
  }

  return {
    async call(operation, input, signal) {
      return read(await send(operation, input as AnyInput, signal));
    },
    async callTagged(operation, input, signal) {
      const response = await send(operation, input as AnyInput, signal);
      const etag = response.headers.get('etag');
      if (etag === null) throw new ApiProblem({ code: 'unexpected_answer', detail: `${operation.id}: no ETag` });
      return { value: await read(response), etag };
    },
  };
}

/** Tells inputs apart without storing them: one may hold a password. FNV-1a, twice with different seeds. */
function fingerprint({ id }: Operation, input: AnyInput): string {
  const text = JSON.stringify([id, input]);
  let [one, other] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x01000193);
  }
  return `${text.length} ${one} ${other}`;
}

/** The HTTP request of an operation. */
export function requestOf(
  { method, path }: Pick<Operation, 'method' | 'path'>,
  { params = {}, query = {}, body, ifMatch }: AnyInput,
  idempotencyKey?: string,
): { url: string; init: RequestInit } {
  const filled = path.replace(/\{([a-z_]+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) search.append(name, String(each));
  }
  const asked = search.size === 0 ? '' : `?${search}`;
  return {
    url: `${managementBase}${filled}${asked}`,
    init: {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
  };
}

/** Works without a secure context too, where `crypto.randomUUID` is missing. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
