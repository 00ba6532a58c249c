import type { KeyObject } from 'node:crypto';
import { makeTrialCa, type TrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import type { AcmeParts } from './acme-parts.ts';
import type { DnsResult, ProofRecord } from './proofs/dns-provider.ts';
import type {
  AcmeAnswer,
  AcmeAuthorization,
  AcmeClient,
  AcmeFailure,
  AcmeIdentifier,
  AcmeOrder,
} from './protocol/acme-port.ts';

export type Call = keyof AcmeClient | 'present' | 'cleanUp' | 'isVisible';

interface KeptOrder {
  readonly identifiers: readonly AcmeIdentifier[];
  readonly placedAt: number;
  readonly replaces: string | undefined;
  readonly profile: string | undefined;
  readonly authorizations: string[];
  status: AcmeOrder['status'];
  pem?: string;
}

/** An authority with its DNS, in memory. It checks proofs when they are offered, and keeps what was asked of it. */
export interface FakeAuthority {
  readonly parts: AcmeParts;
  readonly ca: TrialCa;
  readonly accounts: ReadonlyMap<string, string>;
  /** By the URL of the account. */
  readonly contacts: ReadonlyMap<string, string>;
  readonly orders: ReadonlyMap<string, KeptOrder>;
  readonly records: ReadonlySet<string>;
  readonly revoked: readonly string[];
  readonly calls: readonly Call[];
  readonly aliases: Map<string, string>;
  /** The authorizations that are valid now. */
  readonly proved: () => readonly string[];
  /** Whether a name that the account has proved needs no proof in its next order. */
  reuses: boolean;
  /** Whether an order gets the authorizations that another one of the account still waits for. */
  sharesPending: boolean;
  /** Whether it tells which orders an account has. */
  lists: boolean;
  window: { start: number; end: number } | undefined;
  /** What it says of the window of a certificate, by the ARI id. By default that of all. */
  windowOf: AcmeClient['renewalInfo'];
  /** What the authority finds at a name when a proof is offered: the key authorization. */
  look: (identifier: AcmeIdentifier, type: string, token: string) => Promise<boolean>;
  /** Whether it takes an order, at this moment. */
  refuse: (order: Parameters<AcmeClient['placeOrder']>[1]) => AcmeFailure | undefined;
  /** Whether it takes a revocation by this account, or by this key. */
  refuseRevocation: (by: string | KeyObject) => AcmeFailure | undefined;
  /** The serial number of its next certificate; by default they are counted. */
  nextSerial: () => bigint | undefined;
  /** The chains of a certificate, the default one first. By default there is no other. */
  chains: (pem: string) => readonly (string | AcmeFailure)[];
  /** Asked before a request takes effect, and after. `lose`: the answer never arrives. */
  before: (call: Call) => AcmeFailure | 'lose' | undefined;
  after: (call: Call) => 'lose' | undefined;
}

export const failure = (words: string, more: Partial<AcmeFailure> = {}): AcmeFailure => ({
  ...{ kind: 'failed', type: 'malformed', words, temporary: false, retryAfterMs: null, subproblems: [] },
  ...more,
});
/** No answer. */
export const lost = failure('The connection was closed.', { type: null, temporary: true });

const idOf = (key: KeyObject): string => key.export({ format: 'jwk' }).x ?? '';
const url = (kind: string, id: number | string) => `https://ca.test/${kind}/${id}`;

export function fakeAuthority(now: () => number, lifetimeMs = 90 * 86_400_000): FakeAuthority {
  const ca = makeTrialCa({ now: now() });
  const accounts = new Map<string, string>();
  const contacts = new Map<string, string>();
  const orders = new Map<string, KeptOrder>();
  const authorizations = new Map<string, { value: AcmeAuthorization; status: AcmeAuthorization['status'] }>();
  const records = new Set<string>();
  const revoked: string[] = [];
  const calls: Call[] = [];
  const requests: KeyObject[] = [];

  const orderAt = (at: string): AcmeOrder => {
    const kept = orders.get(at);
    if (kept === undefined) throw new Error(`no order ${at}`);
    const own = kept.authorizations.flatMap((each) => authorizations.get(each) ?? []);
    if (kept.status === 'pending' && own.every(({ status }) => status === 'valid')) kept.status = 'ready';
    const isLost = own.some(({ status }) => status === 'invalid' || status === 'deactivated');
    if (isLost && kept.status !== 'valid') kept.status = 'invalid';
    return {
      ...{ status: kept.status, identifiers: kept.identifiers, expires: null, error: null },
      authorizations: kept.authorizations,
      finalize: `${at}/finalize`,
      certificate: kept.pem === undefined ? null : `${at}/certificate`,
    };
  };

  async function call<T>(name: Call, work: () => Promise<AcmeAnswer<T>> | AcmeAnswer<T>): Promise<AcmeAnswer<T>> {
    calls.push(name);
    const refusal = fake.before(name);
    if (refusal === 'lose') return lost;
    if (refusal !== undefined) return refusal;
    const answer = await work();
    return fake.after(name) === 'lose' ? lost : answer;
  }

  async function dns(name: Call, work: () => boolean): Promise<DnsResult> {
    calls.push(name);
    const refusal = fake.before(name);
    if (refusal !== undefined && refusal !== 'lose')
      return { kind: 'failed', words: refusal.words, temporary: refusal.temporary };
    const found = work();
    fake.after(name);
    return found ? { kind: 'done' } : { kind: 'failed', words: 'There is no such record.', temporary: true };
  }
  const keyOf = ({ name, value }: ProofRecord) => `${name} ${value}`;

  const client: AcmeClient = {
    directory: () =>
      call('directory', () => ({
        ...{ kind: 'done', hasRenewalInfo: fake.window !== undefined, needsExternalAccount: false },
        ...{ profiles: [], termsOfService: null },
      })),
    register: (key, { email }) =>
      call('register', () => {
        const id = idOf(key);
        const existed = accounts.has(id);
        const at = accounts.get(id) ?? url('account', accounts.size + 1);
        accounts.set(id, at);
        if (!existed) contacts.set(at, email);
        return { kind: 'done', url: at, ordersUrl: fake.lists ? `${at}/orders` : null, existed };
      }),
    findAccount: (key) =>
      call('findAccount', () => {
        const at = accounts.get(idOf(key));
        return at === undefined
          ? failure('No such account.', { type: 'accountDoesNotExist' })
          : { kind: 'done', url: at };
      }),
    setContact: (account, email) =>
      call('setContact', () => {
        contacts.set(account.url, email);
        return { kind: 'done' };
      }),
    changeKey: (account, key) =>
      call('changeKey', () => {
        if (accounts.get(idOf(account.key)) !== account.url) return failure("The key is not the account's.");
        accounts.delete(idOf(account.key));
        accounts.set(idOf(key), account.url);
        return { kind: 'done' };
      }),
    placeOrder: (_account, order) =>
      call('placeOrder', () => {
        const { identifiers, profile, replaces } = order;
        const refusal = fake.refuse(order);
        if (refusal !== undefined) return refusal;
        const at = url('order', orders.size + 1);
        const own: string[] = [];
        orders.set(at, { identifiers, placedAt: now(), status: 'pending', profile, replaces, authorizations: own });
        for (const [index, { type, value }] of identifiers.entries()) {
          const identifier = { type, value: value.replace(/^\*\./, '') };
          const wildcard = value.startsWith('*.');
          const challenges = (wildcard ? ['dns-01'] : ['http-01', 'tls-alpn-01', 'dns-01']).map((each) => ({
            ...{
              type: each,
              url: `${at}/challenge/${index}#${each}`,
              token: `token-${orders.size}-${index}`,
              status: 'pending' as const,
            },
            error: null,
          }));
          const value_ = { status: 'pending', identifier, wildcard, challenges } as const;
          const [proved] = [...authorizations].find(
            ([, each]) =>
              ((fake.reuses && each.status === 'valid') || (fake.sharesPending && each.status === 'pending')) &&
              each.value.identifier.value === identifier.value,
          ) ?? [`${at}/authorization/${index}`];
          own.push(proved);
          if (!authorizations.has(proved)) authorizations.set(proved, { value: value_, status: 'pending' });
        }
        return { kind: 'done', url: at, order: orderAt(at) };
      }),
    listOrders: () => call('listOrders', () => ({ kind: 'done', urls: [...orders.keys()] })),
    readOrder: (_account, at) => call('readOrder', () => ({ kind: 'done', order: orderAt(at), retryAfterMs: null })),
    readAuthorization: (_account, at) =>
      call('readAuthorization', () => {
        const { value, status } = authorizations.get(at) as { value: AcmeAuthorization; status: 'pending' };
        const error = (status as string) === 'invalid' ? failure('The proof was not found.') : null;
        const challenges = value.challenges.map((each) => ({ ...each, error }));
        return { kind: 'done', authorization: { ...value, status, challenges }, retryAfterMs: 3_000 };
      }),
    deactivate: (_account, at) =>
      call('deactivate', () => {
        const kept = authorizations.get(at);
        if (kept === undefined) return failure(`no authorization ${at}`);
        kept.status = 'deactivated';
        return { kind: 'done' };
      }),
    offerChallenge: (_account, at) =>
      call('offerChallenge', async () => {
        const [place = '', type] = at.replace('/challenge/', '/authorization/').split('#');
        const kept = authorizations.get(place);
        const challenge = kept?.value.challenges.find((each) => each.type === type);
        if (kept === undefined || challenge === undefined) return failure(`no challenge ${at}`);
        // As Pebble has it. Other authorities take a challenge as often as it is offered.
        if (kept.status !== 'pending') return failure(`The authorization is ${kept.status}.`);
        const looked = await fake.look(kept.value.identifier, challenge.type, challenge.token);
        kept.status = looked ? 'valid' : 'invalid';
        return { kind: 'done' };
      }),
    finalize: (_account, at, csr) =>
      call('finalize', () => {
        const order = at.replace('/finalize', '');
        const kept = orders.get(order);
        if (kept?.status !== 'ready') return failure('Not ready.', { type: 'orderNotReady', temporary: true });
        const key = requests[Number(Buffer.from(csr).toString())] as KeyObject;
        const domains = kept.identifiers.map(({ value }) => value);
        const notBefore = Math.floor(now() / 1000) * 1000;
        const serial = fake.nextSerial();
        kept.pem = ca.issue({
          ...{ domains, key, notBefore, notAfter: notBefore + lifetimeMs },
          ...(serial !== undefined && { serial }),
        }).chainPem;
        kept.status = 'valid';
        return { kind: 'done', order: orderAt(order), retryAfterMs: null };
      }),
    download: (_account, at) =>
      call('download', () => {
        const [order = '', place = ''] = at.split('/certificate');
        const chains = fake.chains(orders.get(order)?.pem ?? '');
        const pem = chains[Number(place.slice(1))] ?? '';
        const alternates = chains.slice(1).map((_, index) => `${order}/certificate/${index + 1}`);
        return typeof pem === 'string' ? { kind: 'done', pem, alternates } : pem;
      }),
    revoke: (by, certificate) =>
      call('revoke', () => {
        const refusal = fake.refuseRevocation('url' in by ? by.url : by.key);
        if (refusal !== undefined) return refusal;
        revoked.push(Buffer.from(certificate).toString('base64'));
        return { kind: 'done' };
      }),
    renewalInfo: (id, signal) => call('renewalInfo', () => fake.windowOf(id, signal)),
  };

  const fake: FakeAuthority = {
    ...{
      ca,
      accounts,
      contacts,
      orders,
      records,
      revoked,
      calls,
      aliases: new Map(),
      reuses: false,
      sharesPending: false,
      lists: true,
      window: undefined,
    },
    proved: () => [...authorizations].filter(([, { status }]) => status === 'valid').map(([at]) => at),
    windowOf: async () =>
      fake.window === undefined
        ? failure('none')
        : { kind: 'done', ...fake.window, explanation: null, retryAfterMs: 60_000 },
    refuse: () => undefined,
    refuseRevocation: () => undefined,
    nextSerial: () => undefined,
    chains: (pem) => [pem],
    look: async () => true,
    before: () => undefined,
    after: () => undefined,
    parts: {
      client: () => client,
      keyAuthorization: (_key, token) => `${token}.thumbprint`,
      newKey: async (kind) => {
        const { generateKeyPairSync } = await import('node:crypto');
        return kind === 'rsa2048'
          ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
          : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      },
      certificateRequest: (key) => Buffer.from(String(requests.push(key) - 1)),
      renewalId: () => 'ari-id',
      renewalTime: ({ notBefore, notAfter, window }) => window?.start ?? notBefore + (notAfter - notBefore) * (2 / 3),
      alpnCertificate: () => {
        throw new Error('not here');
      },
      dns: {
        checkAccount: async () => [],
        provider: () => ({
          present: (record) => dns('present', () => Boolean(records.add(keyOf(record)))),
          cleanUp: (record) => dns('cleanUp', () => records.delete(keyOf(record)) || true),
          test: async () => ({ kind: 'done' }),
        }),
        isVisible: (record) => dns('isVisible', () => records.has(keyOf(record)) || fake.aliases.size > 0),
        findAlias: async (name) => fake.aliases.get(name),
      },
    },
  };
  return fake;
}
