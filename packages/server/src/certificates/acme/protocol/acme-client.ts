import {
  AccountObject,
  AuthorizationObject,
  authorizationOf,
  type DirectoryObject,
  directoryOf,
  OrderList,
  OrderObject,
  orderOf,
  RenewalInfoObject,
} from './acme-objects.ts';
import type { AcmeAnswer, AcmeClient } from './acme-port.ts';
import { noAnswer } from './acme-problem.ts';
import { AcmeSession, type Fetched, objectOf, type SessionOptions, unreadable } from './acme-session.ts';
import { linksOf, retryAfterOf } from './answer-headers.ts';
import { externalAccountBinding, keyChange } from './signed-request.ts';

/** Pages of an account's list of orders. */
const mostPages = 20;

/** Closing it ends its connections. */
export function createAcmeClient(options: SessionOptions): AcmeClient & AsyncDisposable {
  const { clock } = options;
  const session = new AcmeSession(options);
  const client: AcmeClient = {
    async directory(signal) {
      const found = await session.directory(signal);
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
      const answer = await session.postTo('newAccount', { key }, payloadFor, signal);
      const read = objectOf(answer, AccountObject);
      if (read.kind === 'failed') return read;
      const url = read.headers.location;
      if (url === undefined) return unreadable;
      return { kind: 'done', url, ordersUrl: read.object.orders ?? null, existed: read.status !== 201 };
    },

    async findAccount(key, signal) {
      const answer = await session.postTo('newAccount', { key }, () => ({ onlyReturnExisting: true }), signal);
      if (answer.kind === 'failed') return answer;
      const url = answer.headers.location;
      return url === undefined ? unreadable : { kind: 'done', url };
    },

    setContact: (account, email, signal) =>
      done(session.post(account, account.url, { contact: [`mailto:${email}`] }, signal)),

    changeKey: (account, newKey, signal) =>
      done(session.postTo('keyChange', account, (url) => keyChange(account, newKey, url), signal)),

    async placeOrder(account, { identifiers, profile, replaces }, signal) {
      const payloadFor = (_url: string, { renewalInfo }: DirectoryObject) => ({
        identifiers,
        ...(profile === undefined ? {} : { profile }),
        ...(replaces === undefined || renewalInfo === undefined ? {} : { replaces }),
      });
      const read = objectOf(await session.postTo('newOrder', account, payloadFor, signal), OrderObject);
      if (read.kind === 'failed') return read;
      const url = read.headers.location;
      return url === undefined ? unreadable : { kind: 'done', url, order: orderOf(read.object) };
    },

    async listOrders(account, ordersUrl, signal) {
      const urls: string[] = [];
      let next: string | undefined = ordersUrl;
      for (let page = 0; next !== undefined && page < mostPages; page++) {
        const read: Fetched<typeof OrderList> = await session.fetch(account, next, OrderList, signal);
        if (read.kind === 'failed') return read;
        urls.push(...('orders' in read.object ? read.object.orders : read.object));
        next = linksOf(read.headers.link, 'next', next)[0];
      }
      return { kind: 'done', urls };
    },

    async readOrder(account, url, signal) {
      const read = await session.fetch(account, url, OrderObject, signal);
      if (read.kind === 'failed') return read;
      return { kind: 'done', order: orderOf(read.object), retryAfterMs: retryAfterOf(read.headers, clock.now()) };
    },

    async readAuthorization(account, url, signal) {
      const read = await session.fetch(account, url, AuthorizationObject, signal);
      if (read.kind === 'failed') return read;
      return {
        kind: 'done',
        authorization: authorizationOf(read.object),
        retryAfterMs: retryAfterOf(read.headers, clock.now()),
      };
    },

    deactivate: (account, url, signal) => done(session.post(account, url, { status: 'deactivated' }, signal)),

    offerChallenge: (account, url, signal) => done(session.post(account, url, {}, signal)),

    async finalize(account, url, csr, signal) {
      const read = objectOf(await session.post(account, url, { csr: base64url(csr) }, signal), OrderObject);
      if (read.kind === 'failed') return read;
      return { kind: 'done', order: orderOf(read.object), retryAfterMs: retryAfterOf(read.headers, clock.now()) };
    },

    async download(account, url, signal) {
      const answer = await session.post(account, url, undefined, signal);
      if (answer.kind === 'failed') return answer;
      const alternates = linksOf(answer.headers.link, 'alternate', url);
      return { kind: 'done', pem: answer.body.toString('latin1'), alternates };
    },

    revoke: (by, certificate, signal) =>
      done(session.postTo('revokeCert', by, () => ({ certificate: base64url(certificate) }), signal)),

    async renewalInfo(id, signal) {
      const found = await session.directory(signal);
      if (found.kind === 'failed') return found;
      const base = found.object.renewalInfo;
      if (base === undefined) return { ...noAnswer('The authority has no renewal information.'), temporary: false };
      const read = objectOf(await session.get(`${base.replace(/\/$/, '')}/${id}`, signal), RenewalInfoObject);
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
        retryAfterMs: retryAfterOf(read.headers, clock.now()),
      };
    },
  };
  return Object.assign(client, { [Symbol.asyncDispose]: () => session[Symbol.asyncDispose]() });
}

async function done(answer: Promise<AcmeAnswer<object>>): Promise<AcmeAnswer<object>> {
  const settled = await answer;
  return settled.kind === 'failed' ? settled : { kind: 'done' };
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
