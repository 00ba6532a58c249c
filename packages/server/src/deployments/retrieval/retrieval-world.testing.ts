import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import {
  makeTrialCa,
  type TrialCa,
  type TrialCertificate,
  type TrialLeafOptions,
} from '@waxwing/pki/trial-ca.testing.ts';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { type Application, openApplication } from '../../compose.ts';
import { loadSettings } from '../../config/load-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { type DatabaseKind, isUnavailable } from '../../database/database.ts';
import { type FreshDatabase, freshDatabase, onBothDatabases } from '../../database/testing.ts';
import { type Answer, parseAnswer, requestOf } from '../../http/wire.testing.ts';
import type { HolderUpdate } from '../../organizations/token-holder.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createTelemetry, type Telemetry } from '../../runtime/telemetry.ts';
import { type RunningServer, startServer } from '../../start-server.ts';

export { refusal } from '../../http/refusal.testing.ts';
export { type Answer, parseAnswer, requestOf, wire } from '../../http/wire.testing.ts';

/**
 * A world for tests of the retrieval interface: an application on a fresh database, servers on top of it, and raw
 * sockets to speak to them, so that what is asserted is what crosses the wire.
 */
export interface RetrievalWorld {
  readonly kind: DatabaseKind;
  readonly application: Application;
  readonly clock: TestClock;
  readonly organizationId: string;
  readonly ca: TrialCa;
  /** Another server on the same application, with settings and parts of its own. */
  serve(environment?: Record<string, string>, change?: (application: Application) => Application): Promise<TestServer>;
  /** Another application on the same database, as another node has it. */
  openNode(environment?: Record<string, string>): Promise<Application>;
  /** Imports a certificate of the trial CA. */
  importLeaf(options: TrialLeafOptions & { readonly onto?: string }): Promise<TestCertificate>;
  /** Imports these PEM texts. */
  importPem(pem: string, privateKeyPem: string, onto?: string): Promise<{ id: string; version: string }>;
  /** A deployment that admits 127.0.0.1 unless told otherwise. */
  deploy(certificateId: string, allow?: readonly string[]): Promise<TestDeployment>;
  /** A key that is no deployment, and admits 127.0.0.1. */
  makeKey(kind: 'messaging' | 'management'): Promise<TestKey>;
  /** A text that no log may ever show. */
  keepSecret(text: string): void;
  /** All that was logged. */
  log(): string;
  /** Stops and removes everything, then looks for secrets in the log. */
  close(): Promise<void>;
}

export interface TestClock extends Clock {
  /** Moves both kinds of time. */
  advance(ms: number): void;
}

export interface TestCertificate {
  readonly id: string;
  readonly version: string;
  readonly leaf: TrialCertificate;
}

export interface TestDeployment {
  readonly id: string;
  readonly token: string;
  readonly bearer: string;
}

export interface TestKey {
  readonly id: string;
  readonly token: string;
  readonly bearer: string;
  /** @param by another node */
  update(update: HolderUpdate, by?: Application): Promise<unknown>;
  /** Takes its token away. */
  rotate(): Promise<void>;
  delete(): Promise<unknown>;
}

export interface TestServer {
  readonly port: number;
  readonly running: RunningServer;
  readonly metrics: Telemetry['metrics'];
  /** Sends bytes as they are (Latin-1) and reads until the server closes. */
  send(bytes: string): Promise<string>;
  /** One request on a connection of its own. */
  ask(line: string, ...headers: string[]): Promise<Answer>;
  /** A connection that stays open. */
  connect(): Connection;
  stop(): Promise<void>;
}

export interface Connection {
  readonly socket: Socket;
  /** Writes whole requests, each without `Host`, in one piece. */
  write(...requests: readonly string[]): void;
  /** The next answer, which must have a body of a stated length. */
  answer(): Promise<Answer>;
  /** Writes one request and waits for its answer. */
  ask(line: string, ...headers: readonly string[]): Promise<Answer>;
  close(): void;
}

/** Noon, so that a time zone east of Greenwich shows. */
export const worldStart = Date.UTC(2026, 2, 1, 12, 0, 0, 250);

export async function openRetrievalWorld(
  kind: DatabaseKind,
  environment: Record<string, string> = {},
): Promise<RetrievalWorld> {
  const fresh = await freshDatabase(kind);
  const { base, removeData } = await environmentFor(fresh);
  const clock = testClock();
  const lines: string[] = [];
  const secrets = new Set<string>();
  const servers: TestServer[] = [];
  const nodes: Application[] = [];
  const newTelemetry = () =>
    createTelemetry({
      level: 'trace',
      format: 'json',
      stream: { write: (text) => lines.push(text) },
      clock,
      version: 'test',
    });
  const settingsOf = (more: Record<string, string>) => settingsFrom({ ...base, ...environment, ...more });

  const application = await openApplication(settingsOf({}), clock, newTelemetry());
  const organization = await application.organizations.create('test', 'Acme');
  const ca = makeTrialCa({ now: worldStart });

  function keepSecret(text: string): void {
    // A private key is looked for line by line: in a log its line ends may be escaped.
    for (const line of text.split('\n')) if (line.length > 20 && !line.startsWith('-----')) secrets.add(line);
  }

  async function importPem(pem: string, privateKeyPem: string, onto?: string) {
    keepSecret(privateKeyPem);
    return application.certificates.import('test', {
      organizationId: organization.id,
      files: [
        { name: 'chain.pem', bytes: Buffer.from(pem) },
        { name: 'key.pem', bytes: Buffer.from(privateKeyPem) },
      ],
      ...(onto === undefined ? { separate: true } : { onto }),
    });
  }

  const newKey = { organizationId: organization.id, name: 'key', allow: ['127.0.0.1'] };

  async function makeMessagingKey() {
    const { keys } = application.messaging;
    const { messagingKey, token } = await keys.create('test', newKey);
    const { id } = messagingKey;
    return {
      id,
      token: token.reveal(),
      update: (update: HolderUpdate, by = application) => by.messaging.keys.update('test', id, update),
      rotate: async () => (await keys.rotate('test', id, 0)).token.reveal(),
      delete: () => keys.delete('test', id),
    };
  }

  async function makeManagementKey() {
    const keys = application.managementKeys;
    const boss = { by: 'test', rank: 'operator' } as const;
    const { key, token } = await keys.create(boss, { ...newKey, role: 'viewer', expiresAt: null });
    const { id } = key;
    return {
      id,
      token: token.reveal(),
      update: (update: HolderUpdate, by = application) => by.managementKeys.update(boss, id, update),
      rotate: async () => (await keys.rotate(boss, id, 0)).token.reveal(),
      delete: () => keys.delete(boss, id),
    };
  }

  return {
    kind,
    application,
    clock,
    organizationId: organization.id,
    ca,
    keepSecret,
    importPem,
    async serve(more = {}, change = (same) => same) {
      const telemetry = newTelemetry();
      const running = await startServer(change({ ...application, settings: settingsOf(more), telemetry }));
      const server = testServer(running, telemetry);
      servers.push(server);
      return server;
    },
    async openNode(more = {}) {
      const node = await openApplication(settingsOf(more), clock, newTelemetry());
      nodes.push(node);
      return node;
    },
    async importLeaf({ onto, ...options }) {
      const leaf = ca.issue(options);
      const { id, version } = await importPem(leaf.chainPem, leaf.keyPem, onto);
      return { id, version, leaf };
    },
    async deploy(certificateId, allow = ['127.0.0.1']) {
      const { deployment, token } = await application.deployments.create('test', { certificateId, name: 'web', allow });
      keepSecret(token.reveal());
      return { id: deployment.id, token: token.reveal(), bearer: `Authorization: Bearer ${token.reveal()}` };
    },
    async makeKey(keyKind) {
      const { id, token, ...key } = await (keyKind === 'messaging' ? makeMessagingKey() : makeManagementKey());
      keepSecret(token);
      return {
        id,
        token,
        bearer: `Authorization: Bearer ${token}`,
        ...key,
        rotate: async () => keepSecret(await key.rotate()),
      };
    },
    log: () => lines.join(''),
    async close() {
      try {
        for (const server of servers) await server.stop();
        for (const node of [...nodes, application]) await node.close();
      } finally {
        await fresh.close();
        await removeData();
      }
      assertNoSecrets(lines.join(''), secrets);
    },
  };
}

async function environmentFor({ options }: FreshDatabase) {
  const common = { WAXWING_LISTEN: '127.0.0.1:0' };
  if (options.kind === 'sqlite') {
    return { base: { ...common, WAXWING_DATA: dirname(options.file) }, removeData: async () => {} };
  }
  const data = await mkdtemp(join(tmpdir(), 'waxwing-world-'));
  return {
    base: { ...common, WAXWING_DATA: data, WAXWING_DATABASE_URL: options.url },
    removeData: () => rm(data, { recursive: true, force: true }),
  };
}

function settingsFrom(environment: Record<string, string>): Settings {
  const loaded = loadSettings(environment);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.settings;
}

/** Wall time stands still, so that timestamps are known; monotonic time runs, so that what is proven grows old. */
function testClock(): TestClock {
  let moved = 0;
  return {
    now: () => worldStart + moved,
    monotonic: () => performance.now() + moved,
    advance(ms) {
      moved += ms;
    },
  };
}

function assertNoSecrets(log: string, secrets: ReadonlySet<string>): void {
  for (const secret of secrets) {
    // Half of a token is as bad as all of it.
    const part = secret.slice(0, 40);
    assert.ok(!log.includes(part), `the log shows a secret that begins with ${part.slice(0, 8)}`);
  }
  assert.doesNotMatch(log, /[?&](?:key|type|version)=/, 'the log shows a query');
}

function testServer(running: RunningServer, telemetry: Telemetry): TestServer {
  const port = Number(new URL(running.url).port);
  const open = () => connect({ host: '127.0.0.1', port });
  let stopped: Promise<void> | undefined;

  async function send(bytes: string): Promise<string> {
    const socket = open();
    socket.write(Buffer.from(bytes, 'latin1'));
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }

  return {
    port,
    running,
    metrics: telemetry.metrics,
    send,
    connect: () => keepOpen(open()),
    async ask(line, ...headers) {
      const head = [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
      return parseAnswer(await send(`${head.join('\r\n')}\r\n\r\n`));
    },
    stop() {
      // The last figures have nowhere to go where the test has taken the database away.
      stopped ??= running.stop().catch((error: unknown) => {
        if (!isUnavailable(error)) throw error;
      });
      return stopped;
    },
  };
}

function keepOpen(socket: Socket): Connection {
  const arrived: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);

  function takeAnswer(): string | undefined {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const length = /^content-length: (\d+)$/im.exec(rest.toString('latin1', 0, end))?.[1];
    const whole = end + 4 + Number(length);
    if (!(rest.length >= whole)) return undefined;
    const text = rest.toString('utf8', 0, whole);
    rest = rest.subarray(whole);
    return text;
  }

  const connection: Connection = {
    socket,
    write(...requests) {
      socket.write(requests.map((request) => request.replace('\r\n', '\r\nHost: localhost\r\n')).join(''), 'latin1');
    },
    async answer() {
      for (;;) {
        const text = takeAnswer();
        if (text !== undefined) return parseAnswer(text);
        const { value, done } = await arrived.next();
        if (done) throw new Error(`the connection ended within an answer: ${rest.toString()}`);
        rest = Buffer.concat([rest, value]);
      }
    },
    ask(line, ...headers) {
      connection.write(requestOf(line, ...headers));
      return connection.answer();
    },
    close: () => socket.destroy(),
  };
  return connection;
}

/** The body of a successful /api/certificate. */
export function infoBody(leaf: TrialCertificate, domains: readonly string[], expiresAt: string): string {
  const [certificate, privateKey] = [JSON.stringify(leaf.chainPem), JSON.stringify(leaf.keyPem)];
  return `{"status":"success","data":{"certificate_info":{"domains":${JSON.stringify(domains)},"certificate":${certificate},"private_key":${privateKey},"expires_at":"${expiresAt}"}}}`;
}

/** Declares the same tests in a world on either database; the tests of one half share their world. */
export function inBothWorlds(name: string, declare: (world: () => RetrievalWorld) => void): void {
  onBothDatabases(name, (_open, kind) => {
    let opened: RetrievalWorld | undefined;
    before(async () => {
      opened = await openRetrievalWorld(kind);
    });
    after(() => opened?.close());
    declare(() => {
      assert.ok(opened !== undefined);
      return opened;
    });
  });
}

/**
 * Takes the database away from everybody who uses it.
 * @returns gives it back. SQLite, in the same process, only comes back with a restart.
 */
export async function loseDatabase({ kind, application }: RetrievalWorld): Promise<() => Promise<void>> {
  const url = application.settings.databaseUrl?.reveal();
  if (kind === 'sqlite' || url === undefined) {
    await application.database.close();
    return async () => {};
  }
  const target = new URL(url);
  const name = target.pathname.slice(1);
  target.pathname = '/postgres';
  const administer = async (...statements: string[]) => {
    const client = new Client({ connectionString: target.href });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const database = escapeIdentifier(name);
  await administer(
    `alter database ${database} allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = ${escapeLiteral(name)}`,
  );
  return () => administer(`alter database ${database} allow_connections true`);
}
