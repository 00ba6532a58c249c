import {
  type AnswerOf,
  type BodyOf,
  managementBase,
  type Operation,
  type ParamsOf,
  type QueryOf,
} from '@waxwing/contract/management-api/operation.ts';
import { ApiProblem, readProblem } from './api-problem.ts';

/** What goes into a call; what the operation does not take cannot be given. */
export type InputOf<Of extends Operation> = Part<'params', ParamsOf<Of>, Of> &
  Part<'query', QueryOf<Of>, Of> &
  Part<'body', BodyOf<Of>, Of> &
  (Of extends { readonly ifMatch: true } ? { readonly ifMatch: string } : unknown);

/** A part may be left out when everything in it may. */
type Part<Name extends string, Value, Of> = Name extends keyof Of
  ? Partial<Value> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value }
  : unknown;

/** The input as the code below handles it, for whatever operation. */
interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly ifMatch?: string;
}

/** An answer with its ETag, which a change of it has to name. */
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
  /** Asks the person to prove anew who is there. @returns whether that happened */
  readonly reauthenticate: () => Promise<boolean>;
  /** Hears that nobody is signed in any more. */
  readonly onSignedOut: () => void;
  readonly newKey: () => string;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Who is not let in hears nothing of what became of the creation whose answer was lost. */
const refusedBefore: ReadonlySet<number> = new Set([401, 403, 429]);

/** A person who tries again what may have been done does so within minutes; later the same is meant anew. */
const triedAgainWithinMs = 10 * 60_000;

/**
 * The management API over same-origin `fetch`: the session's cookie and `Origin`, which the browser adds itself, are all
 * that a change needs. Whoever must prove themselves again is asked to and the call repeated. A creation carries a key of
 * its own, so that one whose answer got lost is repeated without being done twice: at once, and by the person who is told so.
 */
export function createApi(needs: ApiNeeds): Api {
  /** The key of the creation whose answer was lost last, and what it was. */
  let lost: { readonly of: string; readonly key: string; readonly at: number } | undefined;

  /** The same for the same creation, while it may have been done without anybody knowing. */
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
    // Of any operation: some ask for a proof in one case only.
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

/** Tells inputs apart without keeping them: there may be a password in one. FNV-1a, twice with different beginnings. */
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

/** How an operation is asked for. */
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

/** Also where the page is not a secure context, and `crypto.randomUUID` therefore missing. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
