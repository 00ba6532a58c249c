import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { ageOf, type Clock, type Moment, momentOf } from '../../../runtime/clock.ts';
import { AcmeExchange, type AcmeResponse, type ExchangeOptions } from './acme-exchange.ts';
import { DirectoryObject } from './acme-objects.ts';
import type { AcmeAnswer, AcmeFailure } from './acme-port.ts';
import { failureOfAnswer, noAnswer } from './acme-problem.ts';
import { retryAfterOf } from './answer-headers.ts';
import { type RequestSigner, signedRequest } from './signed-request.ts';

export interface SessionOptions extends ExchangeOptions {
  readonly directoryUrl: string;
  readonly clock: Clock;
}

const directoryAgeMs = 3_600_000;
/** Nonces that are kept for later. Authorities forget theirs after a while. */
const mostNonces = 10;
const mostNonceRetries = 5;

/** An answer whose status says that the request was done. */
export type Answered = { readonly kind: 'done' } & Omit<AcmeResponse, 'kind'>;
export type Fetched<Schema extends TSchema> = AcmeAnswer<Omit<Answered, 'body'> & { readonly object: Static<Schema> }>;

/** Signed requests to one authority: where it takes them, and the nonces that they need (RFC 8555 §6). */
export class AcmeSession implements AsyncDisposable {
  readonly #directoryUrl: string;
  readonly #clock: Clock;
  readonly #exchange: AcmeExchange;
  readonly #nonces: string[] = [];
  #directory: { readonly object: DirectoryObject; readonly since: Moment } | undefined;

  constructor(options: SessionOptions) {
    this.#directoryUrl = options.directoryUrl;
    this.#clock = options.clock;
    this.#exchange = new AcmeExchange(options);
  }

  async directory(signal: AbortSignal): Promise<AcmeAnswer<{ readonly object: DirectoryObject }>> {
    const known = this.#directory;
    if (known !== undefined && ageOf(known.since, this.#clock) < directoryAgeMs) return { kind: 'done', ...known };
    const read = objectOf(await this.get(this.#directoryUrl, signal), DirectoryObject);
    if (read.kind === 'done') this.#directory = { object: read.object, since: momentOf(this.#clock) };
    return read;
  }

  get(url: string, signal: AbortSignal): Promise<AcmeAnswer<Answered>> {
    return this.#request(url, { method: 'GET' }, signal);
  }

  /** @param payload undefined for POST-as-GET */
  async post(
    signer: RequestSigner,
    url: string,
    payload: object | undefined,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<Answered>> {
    for (let retries = 0; ; retries++) {
      const taken = await this.#takeNonce(signal);
      if (taken.kind === 'failed') return notSent(taken);
      const body = JSON.stringify(await signedRequest(signer, { url, nonce: taken.nonce }, payload));
      const answer = await this.#request(url, { method: 'POST', body }, signal);
      if (answer.kind === 'done' || answer.type !== 'badNonce' || retries === mostNonceRetries) return answer;
      // The refusal brought a new nonce. Those from before are probably forgotten like the refused one.
      this.#nonces.splice(0, this.#nonces.length - 1);
    }
  }

  /** Posts to a URL of the directory. */
  async postTo(
    name: 'newAccount' | 'newOrder' | 'revokeCert' | 'keyChange',
    signer: RequestSigner,
    payloadFor: (url: string, directory: DirectoryObject) => object | Promise<object>,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<Answered>> {
    const found = await this.directory(signal);
    if (found.kind === 'failed') return notSent(found);
    const url = found.object[name];
    return this.post(signer, url, await payloadFor(url, found.object), signal);
  }

  /** Reads an object by POST-as-GET. */
  async fetch<Schema extends TSchema>(
    signer: RequestSigner,
    url: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Fetched<Schema>> {
    return objectOf(await this.post(signer, url, undefined, signal), schema);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#exchange[Symbol.asyncDispose]();
  }

  async #takeNonce(signal: AbortSignal): Promise<AcmeAnswer<{ readonly nonce: string }>> {
    if (this.#nonces.length === 0) {
      const found = await this.directory(signal);
      if (found.kind === 'failed') return found;
      const answer = await this.#request(found.object.newNonce, { method: 'HEAD' }, signal);
      if (answer.kind === 'failed') return answer;
    }
    // The newest: older ones may have been forgotten.
    const nonce = this.#nonces.pop();
    return nonce === undefined ? noAnswer('The authority gave no nonce.') : { kind: 'done', nonce };
  }

  async #request(
    url: string,
    request: Parameters<AcmeExchange['send']>[1],
    signal: AbortSignal,
  ): Promise<AcmeAnswer<Answered>> {
    const response = await this.#exchange.send(url, request, signal);
    if (response.kind === 'none') return response.isSent ? noAnswer(response.words) : notSent(noAnswer(response.words));
    const { status, headers, body } = response;
    this.#keepNonce(headers);
    if (status >= 200 && status < 300) return { kind: 'done', status, headers, body };
    return failureOfAnswer(status, parseJson(body), retryAfterOf(headers, this.#clock.now()));
  }

  #keepNonce(headers: IncomingHttpHeaders): void {
    const nonce = headers['replay-nonce'];
    if (typeof nonce !== 'string') return;
    this.#nonces.push(nonce);
    if (this.#nonces.length > mostNonces) this.#nonces.shift();
  }
}

/** The authority cannot have done what it was not asked for. */
function notSent(failure: AcmeFailure): AcmeFailure {
  return { ...failure, type: failure.type ?? 'notSent' };
}

export const unreadable: AcmeFailure = noAnswer('The answer of the authority is not what RFC 8555 describes.');

/** The object in an answer, or the failure that it is not there. */
export function objectOf<Schema extends TSchema>(answer: AcmeAnswer<Answered>, schema: Schema): Fetched<Schema> {
  if (answer.kind === 'failed') return answer;
  const { body, ...rest } = answer;
  const object = parseJson(body);
  return Check(schema, object) ? { ...rest, object: object as Static<Schema> } : unreadable;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
