import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import type { AccountActor, Credentials, KeyActor } from '../api/actor.ts';
import { type Role, roles } from '../api/roles.ts';
import { applicationOn } from '../cli/application.testing.ts';
import type { Application } from '../compose.ts';
import type { Settings } from '../config/settings.ts';
import type { DatabaseKind } from '../database/database.ts';
import { apiHeaders } from '../http/api-headers.ts';
import { networkSet } from '../http/request/ip-address.ts';
import { createWindowLimit } from '../http/request/window-limit.ts';
import { createHttpServer } from '../http/server.ts';
import { registerManagementApi } from '../management-api.ts';
import { messagingSamples } from '../messages/messaging-samples.testing.ts';
import { Problem } from '../runtime/problem.ts';
import { supervise } from '../runtime/supervisor.ts';

/** The name is the session's cookie, or the key behind `Bearer`. `nobody` and `stranger` are unknown. */
export const callers = [
  'nobody',
  'stranger',
  ...roles,
  'stale-owner',
  'operator',
  ...roles.map((role) => `key-${role}` as const),
  'key-instance',
  'foreign-owner',
  'foreign-key',
] as const;
export type Caller = (typeof callers)[number];

export interface ManagementWorld {
  readonly application: Application;
  readonly url: string;
  /** The organization of the callers, and that of the foreign callers. */
  readonly acme: string;
  readonly other: string;
  /** Ends a caller's credential, as signing out or deleting the key does. */
  forget(caller: Caller): void;
  /** How often a session was read, and how often that counted as a use. */
  lookedAt(caller: Caller): number;
  used(caller: Caller): number;
  request(caller: Caller, method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /**
   * A path with existing ids, made for this call, and a body that the operation accepts, if it takes one.
   * @param isSpent the operation will be served, and may end its object
   */
  sample(operation: Operation, isSpent?: boolean): Promise<{ path: string; body: unknown }>;
  importCertificate(organizationId?: string): Promise<string>;
  createDeployment(organizationId?: string): Promise<string>;
  /** Every served route, as `METHOD /path/{parameter}`. */
  readonly routes: ReadonlySet<string>;
  /** The lines of the log. */
  readonly logged: readonly { readonly fields: object; readonly message: string }[];
}

interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the body is not JSON. */
  readonly json: Record<string, unknown>;
}

export interface WorldOptions {
  readonly settings?: Partial<Settings>;
  readonly beatMs?: number;
  readonly trustedProxies?: readonly string[];
}

const ca = makeTrialCa({ now: Date.now() });
const leaf = ca.issue({ domains: ['www.example.com', 'example.com'] });
export const sampleFiles = [
  { name: 'chain.pem', text: leaf.chainPem },
  { name: 'key.pem', text: leaf.keyPem },
];

const sampleBytes = sampleFiles.map(({ name, text }) => ({ name, bytes: Buffer.from(text) }));
/** Known to the instance, so that a chain without it is completed from there. */
const issuer = ca.intermediate();

/** The management API over HTTP on a whole application, with callers of every kind. */
export async function openManagementWorld(
  t: TestContext,
  kind: DatabaseKind,
  options: WorldOptions = {},
): Promise<ManagementWorld> {
  // Pushes may go to this machine, where no receiver listens.
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-roots-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const extraRoots = join(folder, 'roots.pem');
  writeFileSync(extraRoots, ca.certificatePem + issuer.certificatePem);
  const environment = { WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8', WAXWING_EXTRA_ROOTS: extraRoots };
  const opened = await (await applicationOn(t, kind, environment))();
  const application: Application = {
    ...opened,
    settings: { ...opened.settings, apiRequestsPerMinute: 1e9, apiAddressRequestsPerMinute: 1e9, ...options.settings },
  };
  const { organizations, certificates, deployments, clock, feed } = application;
  const { id: acme } = await organizations.create('test', 'Acme');
  const { id: other } = await organizations.create('test', 'Other');

  const known = new Map<string, AccountActor | KeyActor>(actorsOf(acme, other, clock.now()));
  for (const actor of known.values()) {
    if (actor.kind === 'key') await storeKey(application, actor);
    else if (actor.accountId === actor.sessionId) await storePerson(application, actor);
  }
  const questions = new Map<string, { looked: number; used: number }>();
  const credentials: Credentials = {
    async findSession(cookie, isUse = true) {
      const asked = questions.get(cookie) ?? { looked: 0, used: 0 };
      questions.set(cookie, { looked: asked.looked + 1, used: asked.used + (isUse ? 1 : 0) });
      return pick(known.get(cookie), 'account');
    },
    async findManagementKey(token, address) {
      if (address?.text === '::1') throw new Problem('address_not_allowed');
      return pick(known.get(token), 'key');
    },
  };

  const logged: { fields: object; message: string }[] = [];
  const note = (fields: unknown, message = '') => void logged.push({ fields: Object(fields), message });
  const log = { info: () => {}, warn: note, error: note };
  const limits = { headerBytes: 16_384, connections: 100 };
  const app = createHttpServer({ log, clock, limits, problemHeaders: apiHeaders(application.settings.baseUrl) });
  const routes = new Set<string>();
  app.addHook('onRoute', ({ method, url: at }) => {
    for (const each of [method].flat()) routes.add(`${each} ${at.replace(/:([a-z_]+)/g, '{$1}')}`);
  });
  const workers = registerManagementApi(app, {
    application,
    credentials,
    wrongTokens: createWindowLimit({ limit: 1e9 }),
    trustedProxies: networkSet(options.trustedProxies ?? []),
    onUntrustedForward: () => {},
    ...(options.beatMs !== undefined && { beatMs: options.beatMs }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const supervisor = supervise([feed.worker, ...workers], { log, clock });
  t.after(async () => {
    await app.close();
    await supervisor.stop(1_000);
  });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  async function importCertificate(organizationId = acme): Promise<string> {
    // Several are alike on purpose.
    return (await certificates.import('test', { organizationId, files: sampleBytes, separate: true })).id;
  }

  /** One with what its operation asks for: a version before the current one, or a chain with a missing intermediate. */
  async function importFor(path: string): Promise<string> {
    const id = await importCertificate();
    if (/\/(?:compare|activate)$/.test(path))
      await certificates.import('test', { organizationId: acme, files: sampleBytes, onto: id });
    if (!path.endsWith('/complete-chain')) return id;
    const files = [issuer.issue({ domains: ['www.example.com'] })].flatMap(({ certificatePem, keyPem }) => [
      { name: 'leaf.pem', bytes: Buffer.from(certificatePem) },
      { name: 'key.pem', bytes: Buffer.from(keyPem) },
    ]);
    return (await certificates.import('test', { organizationId: acme, files, separate: true, incompleteChain: true }))
      .id;
  }

  const standing = new Map<string, Promise<string>>();
  async function createDeployment(organizationId = acme): Promise<string> {
    const certificate = standing.get(organizationId) ?? importCertificate(organizationId);
    standing.set(organizationId, certificate);
    const { deployment } = await deployments.create('test', {
      certificateId: await certificate,
      name: 'web',
      allow: [],
    });
    return deployment.id;
  }

  const {
    managementKeys,
    people: { members },
  } = application;
  const manager = { by: 'test', rank: 'operator' } as const;
  const mail = () => `${crypto.randomUUID()}@example.com`;
  const newKey = { name: 'new', role: 'viewer', allow: ['::1'], expiresAt: null } as const;
  async function createMember(): Promise<string> {
    const accountId = crypto.randomUUID();
    const memberships = new Map<string, Role>([[acme, 'viewer']]);
    await storePerson(application, { accountId, operator: false, memberships, sessionId: accountId });
    return accountId;
  }
  const createKey = async (organizationId: string) => {
    const role = organizationId === '' ? 'operator' : 'viewer';
    return (await managementKeys.create(manager, { ...newKey, role, organizationId })).key.id;
  };

  const { channels } = application.alerts;
  const newChannel = { kind: 'webhook', name: 'new', url: 'http://127.0.0.1:9/alerts' } as const;
  /** There may only be so many. */
  async function createChannel(organizationId: string): Promise<string> {
    const former = await channels.list(organizationId, { take: 100, after: undefined });
    if (former.length > 50) for (const { id } of former) await channels.delete('test', id);
    return (await channels.create('test', { ...newChannel, organizationId })).channel.id;
  }

  const { acme: issuing } = application;
  const newAuthority = () => ({
    name: crypto.randomUUID(),
    directory: 'https://127.0.0.1:9/',
    email: 'ops@example.com',
  });
  const newProvider = { kind: 'manual', name: 'new' } as const;
  /** There may only be so many. */
  async function createProvider(): Promise<string> {
    const former = await issuing.dnsProviders.list(acme, { take: 200, after: undefined });
    if (former.length > 100) for (const { id } of former) await issuing.dnsProviders.delete('test', id);
    return (await issuing.dnsProviders.create('test', { ...newProvider, organizationId: acme })).id;
  }
  let authority: Promise<string> | undefined;
  const standingAuthority = () => {
    authority ??= issuing.authorities.create('test', newAuthority()).then(({ id }) => id);
    return authority;
  };
  /** One that was requested; nobody issues it here. */
  async function requestFor(path: string): Promise<string> {
    const wanted = { organizationId: acme, authorities: [await standingAuthority()], domains: ['www.example.com'] };
    const id = await issuing.requests.request('test', wanted);
    if (path.endsWith('/renew')) {
      await application.database.db.updateTable('certificate').set({ state: 'issued' }).where('id', '=', id).execute();
    }
    return id;
  }

  const messaging = messagingSamples(application, acme);

  /** Makers of things that a path names. Each call makes a new one, because an operation may end it. */
  const makers: Readonly<Record<string, (path: string) => Promise<string>>> = {
    organization_id: async () => acme,
    certificate_id: (path) => (/\/(?:renew|request-again|progress)$/.test(path) ? requestFor(path) : importFor(path)),
    authority_id: async () => (await issuing.authorities.create('test', newAuthority())).id,
    dns_provider_id: createProvider,
    deployment_id: () => createDeployment(),
    account_id: createMember,
    invitation_id: async () => (await members.invite(manager, acme, mail(), 'viewer')).invitation.id,
    management_key_id: (path) => createKey(path.startsWith('/instance/') ? '' : acme),
    // A person's own session: no other is found, and the callers have none.
    session_id: async () => crypto.randomUUID(),
    passkey_id: async () => crypto.randomUUID(),
    alert_channel_id: (path) => createChannel(path.startsWith('/instance/') ? '' : acme),
    ...messaging.makers,
  };
  const newName = () => ({ name: `New ${crypto.randomUUID()}` });
  const bodies: Readonly<Record<string, (path: string) => unknown>> = {
    createOrganization: newName,
    updateOrganization: newName,
    updateCertificate: newName,
    importCertificate: () => ({ files: sampleFiles, separate: true }),
    compareImport: () => ({ files: sampleFiles }),
    async activateCertificate(path) {
      const [, certificateId = ''] = /\/certificates\/([^/]+)/.exec(path) ?? [];
      return { version: (await certificates.show(certificateId)).versions.at(-1)?.id };
    },
    exportChain: () => ({ format: 'pem' }),
    exportCertificate: () => ({ format: 'der' }),
    createDeployment: async () => ({ certificate_id: await importCertificate(), name: 'new', allow: ['::1'] }),
    updateDeployment: () => ({ name: 'renamed' }),
    updateMember: () => ({ role: 'viewer' }),
    createOperator: () => ({ email: mail() }),
    createInvitation: () => ({ email: mail(), role: 'viewer' }),
    createManagementKey: () => ({ name: 'new', role: 'viewer', allow: ['::1'] }),
    updateManagementKey: () => ({ name: 'renamed' }),
    createInstanceManagementKey: () => ({ name: 'new', allow: ['::1'] }),
    updateInstanceManagementKey: () => ({ name: 'renamed' }),
    requestCertificate: async () => ({ authorities: [await standingAuthority()], domains: ['www.example.com'] }),
    createAuthority: newAuthority,
    updateAuthority: newName,
    createDnsProvider: () => newProvider,
    updateDnsProvider: newName,
    testDnsProvider: () => ({ domain: 'example.com' }),
    createAlertChannel: () => newChannel,
    updateAlertChannel: () => ({ name: 'renamed' }),
    createInstanceAlertChannel: () => newChannel,
    updateInstanceAlertChannel: () => ({ name: 'renamed' }),
    ...messaging.bodies,
  };

  return {
    application,
    url,
    routes,
    acme,
    other,
    logged,
    forget: (caller) => void known.delete(caller),
    lookedAt: (caller) => questions.get(caller)?.looked ?? 0,
    used: (caller) => questions.get(caller)?.used ?? 0,
    importCertificate,
    createDeployment,

    async request(caller, method, path, { body, headers, signal } = {}) {
      const answer = await fetch(path.startsWith('/api') ? url + path : `${url}/api/v1${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...credentialOf(caller, application.settings.baseUrl),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(signal !== undefined && { signal }),
      });
      const isStream = answer.headers.get('content-type') === 'text/event-stream';
      if (isStream) await answer.body?.cancel();
      const text = isStream ? '' : await answer.text();
      return { status: answer.status, headers: answer.headers, text, json: parsed(text) };
    },

    async sample(operation, isSpent = false) {
      let { path } = operation;
      if (operation.id === 'deleteOrganization' && isSpent) {
        const { id } = await organizations.create('test', newName().name);
        path = path.replace('{organization_id}', id);
      }
      for (const [whole, name = ''] of path.matchAll(/\{([a-z_]+)\}/g)) {
        const make = makers[name];
        if (make === undefined) throw new Error(`management-world.testing.ts cannot make a ${name}`);
        path = path.replace(whole, await make(operation.path));
      }
      return {
        path,
        body: operation.body === undefined ? undefined : await (bodies[operation.id] ?? (() => ({})))(path),
      };
    },
  };
}

/** The API looks up the caller's account. */
async function storePerson(
  { database, clock }: Pick<Application, 'database' | 'clock'>,
  person: Pick<AccountActor, 'accountId' | 'operator' | 'memberships' | 'sessionId'>,
): Promise<void> {
  const { accountId: id, operator, memberships, sessionId } = person;
  const { db } = database;
  const at = clock.now();
  const row = { id, email: `${id}@example.com`, operator: operator ? 1 : 0, operator_by_sso: 0 } as const;
  await db
    .insertInto('account')
    .values({ ...row, password: null, disabled_at: null, created_at: at, updated_at: at })
    .execute();
  for (const [organization_id, role] of memberships) {
    await db
      .insertInto('membership')
      .values({ organization_id, account_id: id, role, by_sso: 0, created_at: at })
      .execute();
  }
  const times = { created_at: at, authenticated_at: at, seen_at: at, expires_at: at + 86_400_000 };
  await db
    .insertInto('session')
    .values({ id: sessionId, hash: id, account_id: id, method: 'password', ...times, address: '', user_agent: '' })
    .execute();
}

/** A key without limits. */
async function storeKey({ database, clock }: Pick<Application, 'database' | 'clock'>, key: KeyActor): Promise<void> {
  const at = clock.now();
  const facts = { id: key.keyId, name: key.keyId, role: key.role, organization_id: key.organizationId };
  const always = { enabled: 1, allow_list: '["0.0.0.0/0","::/0"]', expires_at: null } as const;
  await database.db
    .insertInto('management_key')
    .values({ ...facts, ...always, created_by: 'test', created_at: at, updated_at: at })
    .execute();
}

function actorsOf(acme: string, other: string, now: number): [string, AccountActor | KeyActor][] {
  const person = (name: string, memberships: [string, Role][], more: Partial<AccountActor> = {}) =>
    [
      name,
      {
        kind: 'account',
        accountId: name,
        operator: false,
        memberships: new Map(memberships),
        sessionId: name,
        authenticatedAt: now,
        ...more,
      },
    ] as [string, AccountActor];
  const key = (name: string, organizationId: string, role: KeyActor['role']) =>
    [name, { kind: 'key', keyId: name, organizationId, role }] as [string, KeyActor];
  return [
    ...roles.map((role) => person(role, [[acme, role]])),
    ...roles.map((role) => key(`key-${role}`, acme, role)),
    // The same person in another browser.
    person('owner-again', [[acme, 'owner']], { accountId: 'owner' }),
    person('stale-owner', [[acme, 'owner']], { authenticatedAt: 0 }),
    person('operator', [], { operator: true }),
    person('foreign-owner', [[other, 'owner']]),
    key('foreign-key', other, 'owner'),
    key('key-instance', '', 'operator'),
  ];
}

function pick<Kind extends 'account' | 'key'>(actor: AccountActor | KeyActor | undefined, kind: Kind) {
  return actor?.kind === kind ? (actor as Extract<AccountActor | KeyActor, { kind: Kind }>) : undefined;
}

/** A key without Origin, a session with the instance's own. */
function credentialOf(caller: Caller, baseUrl: string): Record<string, string> {
  if (caller === 'nobody') return {};
  if (caller.startsWith('key-') || caller === 'foreign-key') return { authorization: `Bearer ${caller}` };
  return { cookie: `waxwing=${caller}`, origin: baseUrl };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
