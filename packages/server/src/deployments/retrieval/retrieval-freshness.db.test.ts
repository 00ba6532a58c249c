import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import type { Application } from '../../compose.ts';
import type { Db } from '../../database/database.ts';
import { registerToken } from '../../organizations/token-registry.ts';
import { TooSlow } from '../../runtime/wait.ts';
import { hashToken, issueToken } from '../../secrets/token.ts';
import { createRetrievalFacts } from './known-tokens.ts';
import { bytesOf, chainOf } from './prepared-version.ts';
import {
  inBothWorlds,
  type RetrievalWorld,
  type TestCertificate,
  type TestDeployment,
  type TestServer,
} from './retrieval-world.testing.ts';

interface Subject {
  readonly certificate: TestCertificate;
  readonly deployment: TestDeployment;
}

/** A change, and what a request for the key is answered before and after it. */
interface ChangeCase {
  readonly what: string;
  readonly before: number;
  readonly after: number;
  readonly change: (by: Application, subject: Subject, world: RetrievalWorld) => Promise<unknown>;
}

/** In this order on one certificate and one deployment, which end revoked and deleted. */
const changes: readonly ChangeCase[] = [
  update('disabled', 200, 401, { enabled: false }),
  update('enabled', 401, 200, { enabled: true }),
  update('forbidden', 200, 403, { permitted: false }),
  update('permitted', 403, 200, { permitted: true }),
  update('another allow-list', 200, 403, { allow: ['192.0.2.1'] }),
  update('an empty allow-list', 403, 403, { allow: [] }),
  update('the former allow-list', 403, 200, { allow: ['127.0.0.1'] }),
  update('expired', 200, 401, { expiresAt: 1 }),
  update('no longer expiring', 401, 200, { expiresAt: null }),
  {
    what: 'organization suspended',
    before: 200,
    after: 401,
    change: (by, _subject, world) => by.organizations.setSuspended('test', world.organizationId, true),
  },
  {
    what: 'organization resumed',
    before: 401,
    after: 200,
    change: (by, _subject, world) => by.organizations.setSuspended('test', world.organizationId, false),
  },
  {
    what: 'certificate revoked',
    before: 200,
    after: 404,
    change: (by, { certificate }) => by.certificates.revoke('test', certificate.id),
  },
  {
    what: 'token rotated without overlap',
    before: 404,
    after: 401,
    change: async (by, { deployment }, world) => {
      world.keepSecret((await by.deployments.rotate('test', deployment.id, 0)).token.reveal());
    },
  },
  {
    what: 'deployment deleted',
    before: 401,
    after: 401,
    change: (by, { deployment }) => by.deployments.delete('test', deployment.id),
  },
];

function update(
  what: string,
  before: number,
  after: number,
  columns: Parameters<Application['deployments']['update']>[2],
): ChangeCase {
  const change: ChangeCase['change'] = (by, { deployment }) => by.deployments.update('test', deployment.id, columns);
  return { what, before, after, change };
}

/** On another node a change must be obeyed within this time (contract §1, "Revocation is never stale"). */
const deadlineMs = 1_000;

inBothWorlds('freshness', (world) => {
  let server: TestServer;
  const subject = async (domain: string): Promise<Subject> => {
    const certificate = await world().importLeaf({ domains: [domain] });
    return { certificate, deployment: await world().deploy(certificate.id) };
  };
  const statusOf = async ({ deployment }: Subject, by = server) =>
    (await by.ask('GET /api/download?type=key', deployment.bearer)).status;

  before(async () => {
    server = await world().serve();
  });

  test('whatever is changed through the server itself is obeyed by the very next request', async () => {
    const one = await subject('own.example');
    for (const { what, before, after, change } of changes) {
      assert.equal(await statusOf(one), before, what);
      await change(world().application, one, world());
      assert.equal(await statusOf(one), after, what);
    }
  });

  test('a new version and the revocation of one are obeyed by the very next request', async () => {
    const { certificate, deployment } = await subject('versions.example');
    const ask = (query = '') => server.ask(`GET /api/download?type=key${query}`, deployment.bearer);
    assert.equal((await ask()).body, certificate.leaf.keyPem);
    const next = await world().importLeaf({ domains: ['versions.example'], onto: certificate.id });
    assert.equal((await ask()).body, next.leaf.keyPem);
    assert.equal((await ask(`&version=${certificate.version}`)).body, certificate.leaf.keyPem);
    await world().application.certificates.revoke('test', certificate.id, certificate.version);
    assert.equal((await ask(`&version=${certificate.version}`)).status, 404);
    assert.equal((await ask()).body, next.leaf.keyPem);
    await world().application.certificates.revoke('test', certificate.id, next.version);
    assert.equal((await ask()).status, 404);
  });

  test('a version that becomes current again goes to servers by their unchanged tokens, on every node', async () => {
    const node = await world().openNode();
    const others = await world().serve({}, () => node);
    const { certificate: first, deployment } = await subject('again.example');
    const ask = (by: TestServer, query = '', ...headers: string[]) =>
      by.ask(`GET /api/download?type=key${query}`, deployment.bearer, ...headers);
    const etag = async () => (await server.ask('GET /api/certificate', deployment.bearer)).headers.get('etag');
    const asked = async (by: TestServer, tag: string | undefined) =>
      (await by.ask('GET /api/certificate', deployment.bearer, `If-None-Match: ${tag}`)).status;
    const tagOfFirst = await etag();
    const second = await world().importLeaf({ domains: ['again.example'], onto: first.id });
    const tagOfSecond = await etag();
    assert.equal(await asked(server, tagOfSecond), 304);
    while ((await ask(others)).body !== second.leaf.keyPem);

    await world().application.certificates.activate('test', first.id, first.version);
    assert.equal((await ask(server)).body, first.leaf.keyPem);
    const activatedAt = performance.now();
    while ((await ask(others)).body !== first.leaf.keyPem && performance.now() - activatedAt < deadlineMs);
    for (const by of [server, others]) {
      assert.equal((await ask(by)).body, first.leaf.keyPem);
      assert.equal((await ask(by, `&version=${second.version}`)).body, second.leaf.keyPem, 'the one before');
      assert.equal(await asked(by, tagOfSecond), 200);
      assert.equal(await asked(by, tagOfFirst), 304);
    }
  });

  test('a former token ends with its overlap, also where the new one is the first that asks', async () => {
    const { clock, application, keepSecret } = world();
    const ask = async (bearer: string) => (await server.ask('GET /api/download?type=key', bearer)).status;
    for (const overlapMs of [0, 60_000]) {
      const { deployment } = await subject('rotated.example');
      assert.equal(await ask(deployment.bearer), 200);
      const { token } = await application.deployments.rotate('test', deployment.id, overlapMs);
      keepSecret(token.reveal());
      assert.equal(await ask(`Authorization: Bearer ${token.reveal()}`), 200);
      assert.equal(await ask(deployment.bearer), overlapMs === 0 ? 401 : 200);
      clock.advance(overlapMs);
      await application.feed.sync();
      assert.equal(await ask(deployment.bearer), 401);
      assert.equal(await ask(`Authorization: Bearer ${token.reveal()}`), 200);
    }
  });

  test('a token that was taken away stays so, whatever time it is', async () => {
    const { clock, application, keepSecret } = world();
    const one = await subject('back.example');
    assert.equal(await statusOf(one), 200);
    keepSecret((await application.deployments.rotate('test', one.deployment.id, 0)).token.reveal());
    clock.advance(-600_000);
    await application.feed.sync();
    assert.equal(await statusOf(one), 401);
    await application.deployments.update('test', one.deployment.id, { name: 'changed by a clock that is behind' });
    assert.equal(await statusOf(one), 401);
    clock.advance(600_000);
  });

  test('whatever is changed by another node is obeyed within a second, by polling alone', async () => {
    const node = await world().openNode();
    const one = await subject('node.example');
    for (const { what, before, after, change } of changes) {
      assert.equal(await statusOf(one), before, what);
      await change(node, one, world());
      const changedAt = performance.now();
      let status = await statusOf(one);
      while (status !== after && performance.now() - changedAt < deadlineMs) status = await statusOf(one);
      assert.equal(status, after, `${what}: still ${status} after ${deadlineMs} ms`);
    }
  });

  test('after each of 200 changes no request that starts later sees the state before it', async () => {
    const { deployment } = await subject('toggled.example');
    const { deployments } = world().application;
    // State n was begun as the nth change; even states are enabled.
    let [begun, done] = [0, 0];
    let running = true;
    let unambiguous = 0;

    async function keepAsking(): Promise<void> {
      const connection = server.connect();
      try {
        while (running) {
          const from = done;
          const { status } = await connection.ask('GET /api/download', deployment.bearer);
          const possible = new Set<number>();
          for (let state = from; state <= begun; state += 1) possible.add(state % 2 === 0 ? 200 : 401);
          assert.ok(possible.has(status), `${status} between change ${from} and ${begun}`);
          if (possible.size === 1) unambiguous += 1;
        }
      } finally {
        running = false;
        connection.close();
      }
    }

    async function toggle(): Promise<void> {
      try {
        while (begun < 200 && running) {
          begun += 1;
          await deployments.update('test', deployment.id, { enabled: begun % 2 === 0 });
          done = begun;
          // One answer at least lies wholly between two changes, where it has no choice.
          const reached = unambiguous + 1;
          while (unambiguous < reached && running) await new Promise(setImmediate);
        }
      } finally {
        running = false;
      }
    }

    await Promise.all([toggle(), keepAsking(), keepAsking(), keepAsking(), keepAsking()]);
    assert.equal(done, 200);
    assert.ok(unambiguous >= 200);
  });

  test('a token that becomes known works at once: that it was unknown is not remembered', async () => {
    const { id } = await world().makeKey('messaging');
    const token = issueToken('messaging');
    world().keepSecret(token.clear.reveal());
    const header = `X-API-Key: ${token.clear.reveal()}`;
    assert.equal((await server.ask('GET /api/certificate', header)).status, 401);
    await registerToken(world().application.database.db, {
      hash: token.hash.toString('hex'),
      kind: 'messaging',
      organizationId: world().organizationId,
      subjectId: id,
      hint: token.hint,
      createdAt: 0,
      expiresAt: null,
    });
    assert.equal((await server.ask('GET /api/certificate', header)).status, 403);
  });
});

inBothWorlds('a hand-out whose record takes long', (world) => {
  test('is refused when another node has taken the key back meanwhile, and its record stands', async () => {
    const { application, clock } = world();
    let written = Promise.withResolvers<void>();
    let answered = Promise.withResolvers<void>();
    const server = await world().serve({}, (same) => ({
      ...same,
      audit: {
        ...same.audit,
        async append(events) {
          await same.audit.append(events);
          written.resolve();
          await answered.promise;
        },
      },
    }));
    const node = await world().openNode();
    const { id } = await world().importLeaf({ domains: ['slow.example'] });
    for (const enabled of [true, false]) {
      [written, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const deployment = await world().deploy(id);
      const asked = server.ask('GET /api/download?type=key', deployment.bearer);
      await written.promise;
      await node.deployments.update('test', deployment.id, { enabled });
      clock.advance(1_001);
      answered.resolve();
      const { status, body } = await asked;
      assert.equal(status, enabled ? 200 : 401);
      assert.equal(body.includes('PRIVATE KEY'), enabled);
      const entries = await application.audit.list({ subject: deployment.id, limit: 9 });
      const handOuts = entries.filter(({ action }) => action === 'private-key.hand-out');
      assert.equal(handOuts.length, 1);
    }
  });
});

inBothWorlds('memory and the database', (world) => {
  /** A server whose memory nobody proves but requests themselves. */
  const serveWithoutWorker = () =>
    world().serve({}, (application) => ({
      ...application,
      feed: { ...application.feed, worker: { name: 'change-feed', run: untilAborted } },
    }));

  test('what has not been proven for over a second is proven by asking the database', async () => {
    const server = await serveWithoutWorker();
    const node = await world().openNode();
    const { id } = await world().importLeaf({ domains: ['stalled.example'] });
    const deployment = await world().deploy(id);
    const ask = async () => (await server.ask('GET /api/download', deployment.bearer)).status;
    assert.equal(await ask(), 200);
    await node.deployments.update('test', deployment.id, { enabled: false });
    world().clock.advance(1_001);
    assert.equal(await ask(), 401);
    await node.deployments.update('test', deployment.id, { enabled: true });
    world().clock.advance(1_001);
    assert.equal(await ask(), 200);
  });

  test('when the notes of what changed are gone, everything is forgotten', async () => {
    const server = await serveWithoutWorker();
    const { db } = world().application.database;
    const { id } = await world().importLeaf({ domains: ['gap.example'] });
    const deployment = await world().deploy(id);
    const ask = async () => (await server.ask('GET /api/download', deployment.bearer)).status;
    for (const [raised, enabled, status] of [
      [1, 0, 401],
      [6_000, 1, 200],
    ] as const) {
      await ask();
      await db.updateTable('deployment').set({ enabled }).where('id', '=', deployment.id).execute();
      await db
        .updateTable('change_counter')
        .set((expression) => ({ value: expression('value', '+', raised) }))
        .execute();
      world().clock.advance(1_001);
      assert.equal(await ask(), status);
    }
  });

  test('what was read before a change and arrives after it is not kept', async (t) => {
    const { feed, database, deployments } = world().application;
    const { id } = await world().importLeaf({ domains: ['race.example'] });
    const deployment = await world().deploy(id);
    const hash = hashToken(deployment.token).toString('hex');
    const { db, read, proceed } = slowDatabase(t, database.db);
    const facts = createRetrievalFacts({ db, feed, ...factsNeeds });
    const loading = facts.load(hash, undefined);
    await read;
    await deployments.delete('test', deployment.id);
    proceed();
    await loading;
    assert.equal(facts.find(hash, undefined), undefined);
    assert.equal(await facts.load(hash, undefined), undefined);
  });

  test('nobody waits for the database longer than 2.5 seconds', async (t) => {
    const { feed, database } = world().application;
    const { id } = await world().importLeaf({ domains: ['hanging.example'] });
    const { token } = await world().deploy(id);
    const { db, read } = slowDatabase(t, database.db);
    const facts = createRetrievalFacts({ db, feed, ...factsNeeds });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const loading = facts.load(hashToken(token).toString('hex'), undefined);
    await read;
    t.mock.timers.tick(2_500);
    await assert.rejects(loading, TooSlow);
  });

  test('many who ask for a former version at the same time cause one query', async () => {
    const { feed, database } = world().application;
    const former = await world().importLeaf({ domains: ['former.example'] });
    await world().importLeaf({ domains: ['former.example'], onto: former.id });
    const deployment = await world().deploy(former.id);
    let queries = 0;
    const counted = database.db.withPlugin({
      transformQuery({ node }) {
        queries += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const facts = createRetrievalFacts({ db: counted, feed, ...factsNeeds });
    const hash = hashToken(deployment.token).toString('hex');
    assert.ok((await facts.load(hash, undefined)) !== undefined);
    queries = 0;
    assert.equal(facts.find(hash, former.version), undefined);
    const known = await Promise.all(Array.from({ length: 100 }, () => facts.load(hash, former.version)));
    for (const one of [...known, facts.find(hash, former.version)]) {
      assert.equal(one?.deployment?.certificate?.former?.id, former.version);
    }
    assert.equal(queries, 1);
  });

  test('a change takes away what changed and nothing else, however much depends on it', async () => {
    const { feed, database, certificates, deployments } = world().application;
    const { id } = await world().importLeaf({ domains: ['shared.example'] });
    const [one, other] = [await world().deploy(id), await world().deploy(id)];
    const facts = createRetrievalFacts({ db: database.db, feed, ...factsNeeds });
    const [oneHash, otherHash] = [one, other].map(({ token }) => hashToken(token).toString('hex')) as [string, string];
    await Promise.all([facts.load(oneHash, undefined), facts.load(otherHash, undefined)]);
    await deployments.update('test', one.id, { enabled: false });
    assert.equal(facts.find(oneHash, undefined), undefined);
    const kept = facts.find(otherHash, undefined);
    assert.equal(kept?.deployment?.enabled, true);
    const readAgain = await facts.load(oneHash, undefined);
    assert.equal(readAgain?.deployment?.enabled, false);
    assert.ok(readAgain.deployment.allowList === kept.deployment.allowList, 'equal allow-lists are there once');
    await certificates.revoke('test', id);
    assert.equal(facts.size, 2, 'tokens stay: they name their certificate and do not hold it');
    assert.equal(facts.find(otherHash, undefined), undefined);
    await facts.load(otherHash, undefined);
    // One of them asked for the certificate; the other finds it.
    for (const hash of [oneHash, otherHash])
      assert.equal(facts.find(hash, undefined)?.deployment?.certificate?.issued, false);
  });

  test('certificates are held as bytes, and no more of them than there is room for', async () => {
    const { feed, database } = world().application;
    const certificates: TestCertificate[] = [];
    for (let index = 0; index < 6; index += 1) {
      certificates.push(await world().importLeaf({ domains: [`bytes-${index}.example`] }));
    }
    const tokens = await Promise.all(certificates.map(async ({ id }) => (await world().deploy(id)).token));
    const hashes = tokens.map((token) => hashToken(token).toString('hex'));
    const roomy = createRetrievalFacts({ db: database.db, feed, ...factsNeeds });
    const [first] = await Promise.all(hashes.map((hash) => roomy.load(hash, undefined)));
    const current = first?.deployment?.certificate?.current;
    assert.ok(current !== undefined);
    assert.ok(!JSON.stringify(current).includes('-----BEGIN CERTIFICATE-----'), 'no text of it');
    assert.equal(chainOf(current), certificates[0]?.leaf.chainPem);

    // Three quarters of the memory are for current versions.
    const maxBytes = (bytesOf(current) * 3.5 * 4) / 3;
    const narrow = createRetrievalFacts({ db: database.db, feed, ...factsNeeds, maxBytes });
    for (const hash of hashes) {
      assert.ok((await narrow.load(hash, undefined))?.deployment?.certificate?.current !== undefined);
    }
    assert.equal(hashes.filter((hash) => narrow.find(hash, undefined) !== undefined).length, 3);
    assert.ok(narrow.bytes <= 2 * maxBytes);
    assert.equal(narrow.size, 6, 'their tokens have room of their own');
  });

  test('who asks with too many wrong tokens waits in a short queue of their own', async (t) => {
    const { feed, database } = world().application;
    const { id } = await world().importLeaf({ domains: ['flood.example'] });
    const deployment = await world().deploy(id);
    const opened = Promise.withResolvers<void>();
    t.after(() => opened.resolve());
    const hash = hashToken(deployment.token).toString('hex');
    const ofFlood = new WeakSet<object>();
    const flooded = createRetrievalFacts({
      db: database.db.withPlugin({
        transformQuery({ node, queryId }) {
          if (JSON.stringify(node).includes('nobody-')) ofFlood.add(queryId);
          return node;
        },
        async transformResult({ result, queryId }) {
          if (ofFlood.has(queryId)) await opened.promise;
          return result;
        },
      }),
      feed,
      ...factsNeeds,
    });
    const flood = Array.from({ length: 1_000 }, (_, index) => flooded.load(`nobody-${index}`, undefined, true));
    const settled = Promise.allSettled(flood);
    // The queries of the flood stand still; those of everybody else do not even notice.
    assert.equal((await flooded.load(hash, undefined))?.deployment?.id, deployment.id);
    opened.resolve();
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 900);
  });

  test('with more deployments than memory has places for, all are served and every change is obeyed', async () => {
    const server = await world().serve({ WAXWING_RETRIEVAL_CACHE: '100' });
    const certificate = await world().importLeaf({ domains: ['many.example'] });
    const deployments: TestDeployment[] = [];
    for (let index = 0; index < 130; index += 1) deployments.push(await world().deploy(certificate.id));
    const ask = async (expected: (index: number) => number) => {
      const connections = [server.connect(), server.connect(), server.connect()];
      try {
        await Promise.all(
          connections.map(async (connection, first) => {
            for (let index = first; index < deployments.length; index += connections.length) {
              const { status } = await connection.ask('GET /api/download', deployments[index]?.bearer ?? '');
              assert.equal(status, expected(index));
            }
          }),
        );
      } finally {
        for (const connection of connections) connection.close();
      }
    };
    await ask(() => 200);
    assert.equal(server.running.status().tokens_in_memory, 100);
    for (const index of [0, 129]) {
      await world().application.deployments.update('test', deployments[index]?.id ?? '', { enabled: false });
    }
    await ask((index) => (index === 0 || index === 129 ? 401 : 200));
    await world().application.certificates.revoke('test', certificate.id);
    await ask((index) => (index === 0 || index === 129 ? 401 : 404));
    assert.ok(server.running.status().tokens_in_memory <= 100);
  });
});

/** The same database, whose answers wait until `proceed` is called or the test is over. `read` resolves with the first. */
function slowDatabase(t: TestContext, db: Db) {
  const [read, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  t.after(() => opened.resolve());
  const slow = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      read.resolve();
      await opened.promise;
      return result;
    },
  });
  return { db: slow, read: read.promise, proceed: opened.resolve };
}

/** Room for ten. */
const factsNeeds = {
  timeZone: 'UTC',
  maxEntries: 10,
  maxBytes: 1_000_000,
};

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
