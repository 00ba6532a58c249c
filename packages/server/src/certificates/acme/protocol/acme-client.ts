import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { parseRetryAfter } from '../../../outbound/retry-after.ts';
import { ageOf, type Clock, type Moment, momentOf } from '../../../runtime/clock.ts';
import { AcmeExchange, type AcmeResponse, type ExchangeOptions } from './acme-exchange.ts';
import {
  AccountObject,
  AuthorizationObject,
  authorizationOf,
  DirectoryObject,
  directoryOf,
  OrderList,
  OrderObject,
  orderOf,
  RenewalInfoObject,
} from './acme-objects.ts';
import type { AcmeAccount, AcmeAnswer, AcmeClient, AcmeFailure } from './acme-port.ts';
import { failureOfAnswer, noAnswer } from './acme-problem.ts';
import { linksOf } from './link-header.ts';
import { externalAccountBinding, keyChange, type RequestSigner, signedRequest } from './signed-request.ts';

export interface AcmeClientOptions extends ExchangeOptions {
  readonly directoryUrl: string;
  readonly clock: Clock;
}

const directoryAgeMs = 3_600_000;
/** Nonces that are kept for later. Authorities forget theirs after a while. */
const mostNonces = 10;
const mostNonceRetries = 3;
/** Pages of an account's list of orders. */
const mostPages = 20;

type Answered = { readonly kind: 'done' } & Omit<AcmeResponse, 'kind'>;
type Fetched<Schema extends TSchema> = AcmeAnswer<Omit<Answered, 'body'> & { readonly object: Static<Schema> }>;

/** Closing it ends its connections. */
export function createAcmeClient(options: AcmeClientOptions): AcmeClient & AsyncDisposable {
  const { clock, directoryUrl } = options;
  const exchange = new AcmeExchange(options);
  const nonces: string[] = [];
  let directory: { readonly object: DirectoryObject; readonly since: Moment } | undefined;

  const retryAfterOf = (headers: IncomingHttpHeaders): number | null => {
    const now = clock.now();
    const at = parseRetryAfter(headers['retry-after'] ?? '', now);
    return at === undefined ? null : Math.max(0, at - now);
  };

  async function request(
    url: string,
    by: Parameters<AcmeExchange['send']>[1],
    signal: AbortSignal,
  ): Promise<AcmeAnswer<Answered>> {
    const response = await exchange.send(url, by, signal);
    if (response.kind === 'none') return response.isSent ? noAnswer(response.words) : notSent(noAnswer(response.words));
    const { status, headers, body } = response;
    const nonce = headers['replay-nonce'];
    if (typeof nonce === 'string') {
      nonces.push(nonce);
      if (nonces.length > mostNonces) nonces.shift();
    }
    if (status >= 200 && status < 300) return { kind: 'done', status, headers, body };
    return failureOfAnswer(status, parseJson(body), retryAfterOf(headers));
  }

  async function readDirectory(signal: AbortSignal): Promise<AcmeAnswer<{ readonly object: DirectoryObject }>> {
    if (directory !== undefined && ageOf(directory.since, clock) < directoryAgeMs)
      return { kind: 'done', ...directory };
    const answer = await request(directoryUrl, { method: 'GET' }, signal);
    const read = objectOf(answer, DirectoryObject);
    if (read.kind === 'done') directory = { object: read.object, since: momentOf(clock) };
    return read;
  }

  async function takeNonce(signal: AbortSignal): Promise<AcmeAnswer<{ readonly nonce: string }>> {
    if (nonces.length === 0) {
      const found = await readDirectory(signal);
      if (found.kind === 'failed') return found;
      const answer = await request(found.object.newNonce, { method: 'HEAD' }, signal);
      if (answer.kind === 'failed') return answer;
    }
    // The newest: older ones may have been forgotten.
    const nonce = nonces.pop();
    return nonce === undefined ? noAnswer('The authority gave no nonce.') : { kind: 'done', nonce };
  }

  /** @param payload undefined for POST-as-GET */
  async function post(
    signer: RequestSigner,
    url: string,
    payload: object | undefined,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<Answered>> {
    for (let retries = 0; ; retries++) {
      const taken = await takeNonce(signal);
      if (taken.kind === 'failed') return notSent(taken);
      const body = JSON.stringify(await signedRequest(signer, { url, nonce: taken.nonce }, payload));
      const answer = await request(url, { method: 'POST', body }, signal);
      if (answer.kind === 'done' || answer.type !== 'badNonce' || retries === mostNonceRetries) return answer;
      // The refusal brought a new nonce. Those from before are probably forgotten like the refused one.
      nonces.splice(0, nonces.length - 1);
    }
  }

  /** Asks at a URL of the directory. */
  async function postTo(
    name: 'newAccount' | 'newOrder' | 'revokeCert' | 'keyChange',
    signer: RequestSigner,
    payloadFor: (url: string, object: DirectoryObject) => object | Promise<object>,
    signal: AbortSignal,
  ): Promise<AcmeAnswer<Answered>> {
    const found = await readDirectory(signal);
    if (found.kind === 'failed') return notSent(found);
    const url = found.object[name];
    return post(signer, url, await payloadFor(url, found.object), signal);
  }

  /** POST-as-GET of an object. */
  async function fetchObject<Schema extends TSchema>(
    account: AcmeAccount,
    url: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Fetched<Schema>> {
    return objectOf(await post(account, url, undefined, signal), schema);
  }

  const client: AcmeClient = {
    async directory(signal) {
      const found = await readDirectory(signal);
      return found.kind === 'failed' ? found : { kind: 'done', ...directoryOf(found.object) };
    },

    async register(key, { email, externalAccount }, signal) {
      const payloadFor = async (url: string) => ({
        termsOfServiceAgreed: true,
        contact: [`mailto:${email}`],
        ...(externalAccount === undefined
          ? {}
          : { externalAccountBinding: await externalAccountBinding(key, url, externalAccount) }),
      });
      const answer = await postTo('newAccount', { key }, payloadFor, signal);
      const read = objectOf(answer, AccountObject);
      if (read.kind === 'failed') return read;
      const url = read.headers.location;
      if (url === undefined) return unreadable;
      return { kind: 'done', url, ordersUrl: read.object.orders ?? null, existed: read.status !== 201 };
    },

    changeKey: (account, newKey, signal) =>
      done(postTo('keyChange', account, (url) => keyChange(account, newKey, url), signal)),

    async placeOrder(account, { identifiers, profile, replaces }, signal) {
      const payloadFor = (_url: string, { renewalInfo }: DirectoryObject) => ({
        identifiers,
        ...(profile === undefined ? {} : { profile }),
        ...(replaces === undefined || renewalInfo === undefined ? {} : { replaces }),
      });
      const read = objectOf(await postTo('newOrder', account, payloadFor, signal), OrderObject);
      if (read.kind === 'failed') return read;
      const url = read.headers.location;
      return url === undefined ? unreadable : { kind: 'done', url, order: orderOf(read.object) };
    },

    async listOrders(account, ordersUrl, signal) {
      const urls: string[] = [];
      let next: string | undefined = ordersUrl;
      for (let page = 0; next !== undefined && page < mostPages; page++) {
        const read: Fetched<typeof OrderList> = await fetchObject(account, next, OrderList, signal);
        if (read.kind === 'failed') return read;
        urls.push(...read.object.orders);
        next = linksOf(read.headers.link, 'next', next)[0];
      }
      return { kind: 'done', urls };
    },

    async readOrder(account, url, signal) {
      const read = await fetchObject(account, url, OrderObject, signal);
      if (read.kind === 'failed') return read;
      return { kind: 'done', order: orderOf(read.object), retryAfterMs: retryAfterOf(read.headers) };
    },

    async readAuthorization(account, url, signal) {
      const read = await fetchObject(account, url, AuthorizationObject, signal);
      if (read.kind === 'failed') return read;
      return { kind: 'done', authorization: authorizationOf(read.object), retryAfterMs: retryAfterOf(read.headers) };
    },

    offerChallenge: (account, url, signal) => done(post(account, url, {}, signal)),

    async finalize(account, url, csr, signal) {
      const read = objectOf(await post(account, url, { csr: base64url(csr) }, signal), OrderObject);
      if (read.kind === 'failed') return read;
      return { kind: 'done', order: orderOf(read.object), retryAfterMs: retryAfterOf(read.headers) };
    },

    async download(account, url, signal) {
      const answer = await post(account, url, undefined, signal);
      if (answer.kind === 'failed') return answer;
      const alternates = linksOf(answer.headers.link, 'alternate', url);
      return { kind: 'done', pem: answer.body.toString('latin1'), alternates };
    },

    revoke: (by, certificate, signal) =>
      done(postTo('revokeCert', by, () => ({ certificate: base64url(certificate) }), signal)),

    async renewalInfo(id, signal) {
      const found = await readDirectory(signal);
      if (found.kind === 'failed') return found;
      const base = found.object.renewalInfo;
      if (base === undefined) return { ...noAnswer('The authority has no renewal information.'), temporary: false };
      const read = objectOf(
        await request(`${base.replace(/\/$/, '')}/${id}`, { method: 'GET' }, signal),
        RenewalInfoObject,
      );
      if (read.kind === 'failed') return read;
      const { suggestedWindow, explanationURL } = read.object;
      const [start, end] = [Date.parse(suggestedWindow.start), Date.parse(suggestedWindow.end)];
      // RFC 9773 §4.2: such a window counts as none.
      if (!(start < end)) return unreadable;
      return {
        kind: 'done',
        start,
        end,
        explanation: explanationURL ?? null,
        retryAfterMs: retryAfterOf(read.headers),
      };
    },
  };
  return Object.assign(client, { [Symbol.asyncDispose]: () => exchange[Symbol.asyncDispose]() });
}

/** The authority cannot have done what it was not asked for. */
function notSent(failure: AcmeFailure): AcmeFailure {
  return { ...failure, type: failure.type ?? 'notSent' };
}

const unreadable: AcmeFailure = noAnswer('The answer of the authority is not what RFC 8555 describes.');

function objectOf<Schema extends TSchema>(answer: AcmeAnswer<Answered>, schema: Schema): Fetched<Schema> {
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

async function done(answer: Promise<AcmeAnswer<object>>): Promise<AcmeAnswer<object>> {
  const settled = await answer;
  return settled.kind === 'failed' ? settled : { kind: 'done' };
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
