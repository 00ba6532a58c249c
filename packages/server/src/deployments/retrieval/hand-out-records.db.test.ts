import assert from 'node:assert/strict';
import { before, describe, type TestContext, test } from 'node:test';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Application } from '../../compose.ts';
import type { ChangeFeed } from '../../database/change-feed.ts';
import { type Database, DatabaseUnavailable } from '../../database/database.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { createRetrievalRecords, type Retrieval, type RetrievalRecordsNeeds } from './hand-out-records.ts';
import {
  inBothWorlds,
  refusal,
  requestOf,
  type TestCertificate,
  type TestServer,
  worldStart,
} from './retrieval-world.testing.ts';

/** The application with another way to record, by which tests let records wait or fail. */
function recordingBy(append: (original: AuditTrail['append']) => AuditTrail['append']) {
  return (application: Application): Application => ({
    ...application,
    audit: { ...application.audit, append: append(application.audit.append) },
  });
}

/** Lets every record wait until `open` is called, or the test is over. `begun` resolves when the first one waits. */
function gate(t: TestContext) {
  const opened = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  t.after(() => opened.resolve());
  const recording = recordingBy((append) => async (events) => {
    begun.resolve();
    await opened.promise;
    await append(events);
  });
  return { recording, begun: begun.promise, open: opened.resolve };
}

inBothWorlds('records of hand-outs', (world) => {
  let server: TestServer;
  let certificate: TestCertificate;
  before(async () => {
    server = await world().serve();
    certificate = await world().importLeaf({ domains: ['example.com'] });
  });

  const handOuts = async (deploymentId: string) => {
    const entries = await world().application.audit.list({ subject: deploymentId, limit: 1_000 });
    return entries.filter(({ action }) => action === 'private-key.hand-out');
  };

  test('the database is told how long anybody waits for a record, so that a silent connection holds no later one up', async () => {
    const limits: (number | undefined)[] = [];
    const other = await world().serve(
      {},
      recordingBy((append) => async (events, answerMs) => {
        limits.push(answerMs);
        await append(events, answerMs);
      }),
    );
    const { bearer } = await world().deploy(certificate.id);
    assert.equal((await other.ask('GET /api/download?type=key', bearer)).status, 200);
    assert.deepEqual(limits, [2_500]);
  });

  test('each answer with a private key has one record: who, which version, how, from where, with what, when', async () => {
    const { id, bearer } = await world().deploy(certificate.id);
    const next = await world().importLeaf({ domains: ['example.com'], onto: certificate.id });
    const agent = (name: string) => `User-Agent: ${name}`;
    world().clock.advance(1_000);
    const at = world().clock.now();
    await server.ask('GET /api/certificate', bearer, agent('curl/8.5'));
    assert.equal((await handOuts(id)).length, 1, 'on disk before the answer arrived');
    await server.ask('GET /api/download?type=key', bearer);
    await server.ask(`GET /api/download?type=key&version=${certificate.version}`, bearer, agent('a'.repeat(300)));
    await server.ask('GET /api/download?type=key', bearer, agent('"K\xfcche"\\'));
    const common = { certificate: certificate.id, version: next.version, address: '127.0.0.1' };
    const expected = [
      { ...common, as: 'key', user_agent: '"K\u00fcche"\\' },
      { ...common, as: 'key', user_agent: 'a'.repeat(200), version: certificate.version },
      { ...common, as: 'key', user_agent: '' },
      { ...common, as: 'info', user_agent: 'curl/8.5' },
    ];
    const found = await handOuts(id);
    assert.deepEqual(
      found.map(({ detail }) => JSON.parse(detail)),
      expected,
    );
    for (const entry of found) {
      assert.deepEqual(
        [entry.organizationId, entry.actor, entry.subject, entry.at],
        [world().organizationId, `deployment:${id}`, id, at],
      );
    }
    assert.deepEqual((await world().application.audit.verify()).faults, []);
  });

  test('what holds no private key has none: the certificate, HEAD, 304, refusals', async () => {
    const { id, bearer } = await world().deploy(certificate.id);
    const ask = (line: string, ...headers: string[]) => server.ask(line, bearer, ...headers);
    const tags = new Map<string, string | undefined>();
    for (const target of ['/api/certificate', '/api/download?type=key']) {
      tags.set(target, (await ask(`HEAD ${target}`)).headers.get('etag'));
    }
    assert.equal((await ask('GET /api/download')).status, 200);
    for (const [target, tag] of tags) {
      assert.equal((await ask(`GET ${target}`, `If-None-Match: ${tag}`)).status, 304);
    }
    assert.equal((await ask('GET /api/download?type=keys')).status, 400);
    assert.equal((await ask('GET /api/certificate?version=none')).status, 404);
    assert.deepEqual(await handOuts(id), []);
    assert.equal((await ask('GET /api/certificate')).status, 200);
    assert.equal((await handOuts(id)).length, 1);
  });

  test('many hand-outs at the same time have one record each, in fewer commits', async () => {
    const { id, bearer } = await world().deploy(certificate.id);
    const agents = Array.from({ length: 150 }, (_, index) => `agent-${index}`);
    const answers = await Promise.all(
      agents.map((agent) => server.ask('GET /api/download?type=key', bearer, `User-Agent: ${agent}`)),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    const found = await handOuts(id);
    assert.deepEqual(found.map(({ detail }) => JSON.parse(detail).user_agent).sort(), agents.sort());
    assert.ok(new Set(found.map(({ link }) => link)).size < 150);
  });

  test('nothing of the answer leaves before its record is on disk', async (t) => {
    const { recording, begun, open } = gate(t);
    const gated = await world().serve({}, recording);
    const { bearer } = await world().deploy(certificate.id);
    const connection = gated.connect();
    connection.write(requestOf('GET /api/download?type=key', bearer));
    await begun;
    // A request without a key overtakes it, all the way and back: time enough for a byte to escape.
    assert.equal((await gated.ask('GET /api/download', bearer)).status, 200);
    assert.equal(connection.socket.bytesRead, 0);
    open();
    assert.equal((await connection.answer()).status, 200);
    connection.close();
  });

  test('what cannot be recorded is refused with 503 and holds no key, and nobody else suffers', async () => {
    const [good, bad] = [await world().deploy(certificate.id), await world().deploy(certificate.id)];
    const failing = await world().serve(
      {},
      recordingBy((append) => async (events) => {
        if (events.some(({ subject }) => subject === bad.id)) throw new Error('no room for this one');
        await append(events);
      }),
    );
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const { bearer } = index % 8 === 3 ? bad : good;
        return { index, answer: await failing.ask('GET /api/certificate', bearer) };
      }),
    );
    const refused = refusal('service_unavailable', world().clock, 'Retry-After: 2');
    for (const { index, answer } of answers) {
      if (index % 8 === 3) assert.equal(answer.text, refused);
      else assert.equal(answer.status, 200);
    }
    assert.equal((await handOuts(good.id)).length, 35);
    assert.equal((await handOuts(bad.id)).length, 0);
    assert.equal((await failing.ask('GET /api/download', bad.bearer)).status, 200);
    assert.deepEqual((await world().application.audit.verify()).faults, []);
  });

  test('when too many wait for their records, more are refused at once', { timeout: 20_000 }, async (t) => {
    const { recording, begun, open } = gate(t);
    const small = await world().serve({ WAXWING_RECORDS_WAITING: '100' }, recording);
    const { id, bearer } = await world().deploy(certificate.id);
    const first = small.ask('GET /api/certificate', bearer);
    await begun;
    const refused = refusal('service_unavailable', world().clock, 'Retry-After: 1');
    let settled = 0;
    const others = Array.from({ length: 130 }, async () => {
      const answer = await small.ask('GET /api/certificate', bearer);
      settled += 1;
      // Those refused are answered while the others still wait; then the gate may open.
      if (settled === 30) open();
      return answer;
    });
    const answers = await Promise.all(others);
    assert.equal((await first).status, 200);
    assert.equal(answers.filter(({ status }) => status === 200).length, 100);
    assert.equal(answers.filter(({ text }) => text === refused).length, 30);
    assert.equal((await handOuts(id)).length, 101);
  });
});

inBothWorlds('readiness', (world) => {
  test('a server that cannot record hand-outs is not ready, until one succeeds or it is time to try again', async () => {
    let broken = true;
    const recording = recordingBy((append) => async (events) => {
      if (broken) throw new DatabaseUnavailable('the disk is full');
      await append(events);
    });
    const server = await world().serve({}, recording);
    const { id } = await world().importLeaf({ domains: ['ready.example'] });
    const { bearer } = await world().deploy(id);
    const ready = async () => (await server.ask('GET /readyz')).status;
    const fetchKey = async () => (await server.ask('GET /api/download?type=key', bearer)).status;
    assert.equal(await ready(), 200);
    assert.equal(await fetchKey(), 503);
    assert.equal(await ready(), 503);
    assert.equal((await server.ask('GET /api/download', bearer)).status, 200, 'the rest is served as ever');
    world().clock.advance(10_000);
    assert.equal((await server.ask('GET /api/download', bearer)).status, 200, 'asks the database: proven again');
    assert.equal(await ready(), 200, 'the next request shall try');
    assert.equal(await fetchKey(), 503);
    assert.equal(await ready(), 503);
    broken = false;
    assert.equal(await fetchKey(), 200);
    assert.equal(await ready(), 200);
  });

  test('of a full disk the log shows one stack, however many requests meet it', async () => {
    const recording = recordingBy(() => () => Promise.reject(new DatabaseUnavailable('the disk is full')));
    const server = await world().serve({}, recording);
    const { id } = await world().importLeaf({ domains: ['log.example'] });
    const { bearer } = await world().deploy(id);
    const before = world().log().length;
    for (let request = 0; request < 70; request += 1) await server.ask('GET /api/download?type=key', bearer);
    const lines = world().log().slice(before).split('\n');
    const told = lines.filter((line) => line.includes('the disk is full'));
    assert.equal(told.length, 10);
    assert.equal(told.filter((line) => line.includes('"stack"')).length, 1);
  });
});

inBothWorlds('figures of retrievals', (world) => {
  test('successes and 304s bring what was seen last up to date', async () => {
    const { application, clock } = world();
    const certificate = await world().importLeaf({ domains: ['seen.example'] });
    const { id, bearer } = await world().deploy(certificate.id, ['198.51.100.0/24', '127.0.0.1']);
    assert.equal((await application.deployments.show(id)).activity, null);
    const server = await world().serve({ WAXWING_TRUSTED_PROXIES: '127.0.0.1' });
    const tag = (await server.ask('GET /api/download', bearer, 'User-Agent: first')).headers.get('etag');
    clock.advance(60_000);
    const again = [`If-None-Match: ${tag}`, 'X-Forwarded-For: 198.51.100.9', 'User-Agent: caf\xe9/2'];
    assert.equal((await server.ask('GET /api/download', bearer, ...again)).status, 304);
    const seenAt = new Date(clock.now()).toISOString();
    await server.stop();
    const activity = {
      last_seen_at: seenAt,
      last_address: '198.51.100.9',
      last_user_agent: 'café/2',
      last_version: certificate.version,
      successes: 2,
      not_modified: 1,
    };
    assert.deepEqual((await application.deployments.show(id)).activity, activity);

    const later = await world().serve();
    await later.ask('HEAD /api/certificate', bearer);
    await later.stop();
    const { activity: added } = await application.deployments.show(id);
    assert.deepEqual([added?.successes, added?.not_modified, added?.last_address], [3, 1, '127.0.0.1']);
  });

  test('a running server writes them every few seconds', async () => {
    const { id } = await world().importLeaf({ domains: ['flushed.example'] });
    const deployment = await world().deploy(id);
    const server = await world().serve({ WAXWING_ACTIVITY_FLUSH: '100ms' });
    await server.ask('GET /api/download', deployment.bearer);
    await server.ask('GET /api/download?type=x', deployment.bearer);
    const askedAt = performance.now();
    for (;;) {
      const { activity, refusals } = await world().application.deployments.show(deployment.id);
      if (activity?.successes === 1 && refusals.length === 1) break;
      assert.ok(performance.now() - askedAt < 5_000, 'nothing was written');
    }
    await server.stop();
  });

  test('streams hear when a deployment that was just made is asked for or refused, and not an hour later', async () => {
    const { application, clock, organizationId } = world();
    const certificate = await world().importLeaf({ domains: ['awaited.example'] });
    const deployed = await world().deploy(certificate.id);
    const elsewhere = await world().deploy(certificate.id, ['198.51.100.1']);
    const told = async () => {
      const rows = await application.database.db
        .selectFrom('change_log')
        .select(['subject_id', 'organization_id'])
        .where('kind', '=', 'retrieval')
        .where('subject_id', 'in', [deployed.id, elsewhere.id])
        .where('at', '>=', clock.now())
        .execute();
      return rows.map((row) => [row.subject_id, row.organization_id]).sort();
    };
    const ask = async () => {
      const server = await world().serve();
      assert.equal((await server.ask('GET /api/download', deployed.bearer)).status, 200);
      assert.equal((await server.ask('GET /api/download', elsewhere.bearer)).status, 403);
      await server.stop();
    };
    await ask();
    assert.deepEqual(
      await told(),
      [deployed.id, elsewhere.id].sort().map((id) => [id, organizationId]),
    );
    clock.advance(3_600_000);
    await ask();
    assert.deepEqual(await told(), []);
  });

  test('refusals of a known token are counted by reason, address and minute', async () => {
    const { application, clock } = world();
    const certificate = await world().importLeaf({ domains: ['refused.example'] });
    const { id, token, bearer } = await world().deploy(certificate.id, ['198.51.100.1']);
    const server = await world().serve({ WAXWING_TRUSTED_PROXIES: '127.0.0.1' });
    const minute = () => new Date(Math.floor(clock.now() / 60_000) * 60_000).toISOString();
    const ask = (address: string, target: string, ...headers: string[]) =>
      server.ask(`GET ${target}`, `X-Forwarded-For: ${address}`, ...headers);
    const first = minute();
    await ask('203.0.113.1', '/api/certificate', bearer);
    await ask('203.0.113.1', '/api/download', bearer);
    await ask('203.0.113.2', '/api/download', bearer);
    await ask('nonsense', '/api/download', bearer);
    await ask('198.51.100.1', '/api/download?type=x', bearer);
    await ask('198.51.100.1', '/api/download?version=x', bearer);
    clock.advance(60_000);
    const second = minute();
    await ask('203.0.113.1', '/api/certificate', bearer);
    await application.deployments.update('test', id, { queryToken: false });
    await ask('198.51.100.1', `/api/certificate?key=${token}`);
    await application.deployments.update('test', id, { permitted: false });
    await ask('198.51.100.1', '/api/certificate', bearer);
    await application.deployments.update('test', id, { enabled: false });
    await ask('198.51.100.1', '/api/certificate', bearer);
    await application.deployments.update('test', id, { enabled: true, permitted: true, requestsPerMinute: 1 });
    for (let request = 0; request < 3; request += 1) await ask('198.51.100.1', '/api/download', bearer);
    await server.stop();
    const row = (at: string, reason: string, address: string, count: number) => ({
      minute: at,
      reason,
      address,
      count,
    });
    const { refusals, activity } = await application.deployments.show(id);
    assert.deepEqual(refusals, [
      row(second, 'address_not_allowed', '203.0.113.1', 1),
      row(second, 'invalid_token', '198.51.100.1', 1),
      row(second, 'missing_token', '198.51.100.1', 1),
      row(second, 'token_not_permitted', '198.51.100.1', 1),
      row(second, 'too_many_requests', '198.51.100.1', 2),
      row(first, 'address_not_allowed', '203.0.113.1', 2),
      row(first, 'address_not_allowed', '203.0.113.2', 1),
      row(first, 'address_not_allowed', 'unknown', 1),
      row(first, 'certificate_not_found', '198.51.100.1', 1),
      row(first, 'invalid_download_type', '198.51.100.1', 1),
    ]);
    assert.equal(activity?.successes, 1);
  });

  test('unknown tokens are a metric and nothing else', async () => {
    const { db } = world().application.database;
    const server = await world().serve();
    const count = async () => {
      const tables = ['audit_entry', 'deployment_activity', 'deployment_refusal', 'token', 'change_log'] as const;
      const rows = tables.map((table) =>
        db
          .selectFrom(table)
          .select((row) => row.fn.countAll().as('n'))
          .execute(),
      );
      return (await Promise.all(rows)).map(([row]) => Number(row?.n));
    };
    const messaging = await world().makeKey('messaging');
    const before = await count();
    const logged = world().log().length;
    for (let request = 0; request < 70; request += 1) await server.ask('GET /api/certificate', 'X-API-Key: nobody');
    for (let request = 0; request < 5; request += 1) await server.ask('GET /api/certificate');
    await server.ask('GET /api/certificate', messaging.bearer);
    const metrics = await server.metrics.metrics();
    assert.match(metrics, /^waxwing_retrievals_refused_total\{code="invalid_token"\} 70$/m);
    assert.match(metrics, /^waxwing_retrievals_refused_total\{code="missing_token"\} 5$/m);
    assert.match(metrics, /^waxwing_retrievals_refused_total\{code="token_not_permitted"\} 1$/m);
    await server.stop();
    assert.deepEqual(await count(), before);
    assert.doesNotMatch(world().log().slice(logged), /nobody|certificate/, 'no line per refused request');
  });
});

onBothDatabases('retrieval records', (open) => {
  const retrieval: Retrieval = {
    organizationId: 'organization',
    deploymentId: 'deployment',
    certificateId: 'certificate',
    versionId: 'version',
    as: 'certificate',
    address: '192.0.2.1',
    userAgent: 'agent',
  };

  const recordsOn = (
    database: Database,
    wait: RetrievalRecordsNeeds['wait'] = () => Promise.reject(new Error('no worker runs here')),
    more: Partial<Parameters<typeof createRetrievalRecords>[0]> = {},
  ) =>
    createRetrievalRecords({
      database,
      feed: { write: () => assert.fail('nobody waits here') } as unknown as ChangeFeed,
      audit: { record: () => assert.fail('no key leaves here') } as unknown as AuditTrail,
      clock: { now: () => worldStart, monotonic: () => 0 },
      retentionClock: { now: () => worldStart },
      maxWaiting: 100,
      flushMs: 1_000,
      wait,
      ...more,
    });

  /** Deployments that figures may be kept of. */
  async function makeDeployments(database: Database, ids: readonly string[]): Promise<void> {
    const row = (id: string) => ({
      organization_id: 'organization',
      id,
      certificate_id: 'certificate',
      name: id,
      enabled: 1 as const,
      permitted: 1 as const,
      query_token: 1 as const,
      allow_list: '[]',
      requests_per_minute: null,
      expires_at: null,
      created_at: 0,
      updated_at: 0,
    });
    for (let first = 0; first < ids.length; first += 500) {
      await database.db
        .insertInto('deployment')
        .values(ids.slice(first, first + 500).map(row))
        .execute();
    }
  }

  test('a flood of addresses fills neither memory nor disk, and is counted to the last request', async (t) => {
    const database = await open(t);
    await makeDeployments(database, ['deployment']);
    const records = recordsOn(database);
    const refuse = (address: number) =>
      records.refusal('organization', 'deployment', 'address_not_allowed', `2001:db8::${address.toString(16)}`);
    const rows = () =>
      database.db.selectFrom('deployment_refusal').select(['address', 'count']).orderBy('address').execute();
    for (let address = 1; address <= 12_000; address += 1) refuse(address);
    await records.flush();
    // An address that has its name keeps it, after a flush too; a new one finds no room before the minute is over.
    for (let address = 1; address <= 12_000; address += 1_000) refuse(address);
    await records.flush();
    const found = await rows();
    assert.equal(found.length, 21);
    assert.deepEqual(
      found.filter(({ count }) => count > 1),
      [
        { address: '2001:db8::1', count: 2 },
        { address: 'many', count: 11_980 + 11 },
      ],
    );
  });

  test('while nothing can be written, counts of refusals fill no more than their places', async (t) => {
    const database = await open(t);
    const ids = Array.from({ length: 7_000 }, (_, index) => `deployment-${index}`);
    await makeDeployments(database, ids);
    let [now, uncounted] = [worldStart, 0];
    const records = recordsOn(
      {
        ...database,
        runBatch: (...batch) => (now === worldStart ? database.runBatch(...batch) : Promise.reject(gone)),
      },
      undefined,
      {
        clock: { now: () => now, monotonic: () => 0 },
        onUncounted: (requests) => {
          uncounted += requests;
        },
      },
    );
    const gone = new DatabaseUnavailable('gone');
    const minutes = [1, 2, 3, 4];
    for (const minute of minutes) {
      now = worldStart + minute * 60_000;
      for (const id of ids) records.refusal('organization', id, 'invalid_token', '192.0.2.1');
      records.refusal('organization', 'deployment-0', 'invalid_token', `192.0.2.${minute}`);
      await assert.rejects(records.flush(), /gone/);
    }
    now = worldStart;
    await records.flush();
    const [row] = await database.db
      .selectFrom('deployment_refusal')
      .select((each) => [each.fn.countAll().as('rows'), each.fn.sum('count').as('requests')])
      .execute();
    assert.ok(Number(row?.rows) <= 20_000);
    assert.equal(Number(row?.requests) + uncounted, minutes.length * 7_001, 'no request is lost without being told');
    assert.ok(uncounted > 0);
  });

  test('a hand-out whose record takes too long is refused; the record is still written', async (t) => {
    const database = await open(t);
    const stalled = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    let now = 0;
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const records = recordsOn(database, undefined, {
      audit: {
        async append(events: readonly unknown[]) {
          await stalled.promise;
          await database.transaction((trx) =>
            trx
              .updateTable('audit_head')
              .set({ day: `${events.length}` })
              .execute(),
          );
          written.resolve();
        },
      } as unknown as AuditTrail,
      clock: { now: () => worldStart, monotonic: () => now },
    });
    t.after(() => stalled.resolve());
    const handOuts = Promise.allSettled([1, 2, 3].map(() => records.handOut({ ...retrieval, as: 'key' })));
    now = 2_500;
    t.mock.timers.tick(2_500);
    t.mock.timers.reset();
    const reasons = (await handOuts).map((end) => end.status === 'rejected' && end.reason.name);
    assert.deepEqual(reasons, ['TooSlow', 'TooSlow', 'TooSlow']);
    assert.equal(records.canRecord(), false);
    stalled.resolve();
    await written.promise;
    const { day } = await database.db.selectFrom('audit_head').select('day').executeTakeFirstOrThrow();
    assert.equal(day, '3');
    await records.flush();
    assert.equal(records.canRecord(), true, 'what succeeds late succeeds');
  });

  test('an outage ends no worker: what waits is written in the first round after it', async (t) => {
    const database = await open(t);
    await makeDeployments(database, ['deployment']);
    const stop = new AbortController();
    let round = 0;
    const records = recordsOn(
      {
        ...database,
        runBatch: (...batch) =>
          round < 4 ? Promise.reject(new DatabaseUnavailable('gone')) : database.runBatch(...batch),
      },
      async () => {
        round += 1;
        if (round === 5) stop.abort();
      },
    );
    records.success(retrieval, false);
    await records.worker.run(stop.signal);
    const rows = await database.db.selectFrom('deployment_activity').select('successes').execute();
    assert.deepEqual(rows, [{ successes: 1 }]);
  });

  test('a hundred thousand deployments that were seen are written at once; while they cannot be, in the next round', async (t) => {
    const database = await open(t);
    const stop = new AbortController();
    const rounds: AbortSignal[] = [];
    const records = recordsOn(
      { ...database, runBatch: () => Promise.reject(new DatabaseUnavailable('gone')) },
      (_ms, signal) =>
        new Promise((resolve) => {
          rounds.push(signal);
          signal.addEventListener('abort', () => resolve());
        }),
    );
    const see = (first: number, end: number) => {
      for (let index = first; index < end; index += 1) {
        records.success({ ...retrieval, deploymentId: `deployment-${index}` }, false);
      }
    };
    const running = records.worker.run(stop.signal);
    see(0, 99_999);
    assert.equal(rounds[0]?.aborted, false);
    see(99_998, 100_000);
    assert.equal(rounds[0]?.aborted, true);
    while (rounds.length < 2) await new Promise(setImmediate);
    see(0, 100_002);
    assert.equal(rounds[1]?.aborted, false);
    stop.abort();
    await running;
  });

  test('what is too old is looked for every hour, and not whenever the worker starts anew', async (t) => {
    const database = await open(t);
    let [now, lookedFor] = [0, 0];
    const counted = database.db.withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('deployment_refusal')) lookedFor += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    let stop = new AbortController();
    const records = recordsOn({ ...database, db: counted }, async () => stop.abort(), {
      clock: { now: () => worldStart, monotonic: () => now },
    });
    const startAnew = async () => {
      stop = new AbortController();
      await records.worker.run(stop.signal);
    };
    const seen: number[] = [];
    for (const minute of [0, 1, 59, 60, 61, 119, 120]) {
      now = minute * 60_000;
      await startAnew();
      seen.push(lookedFor);
    }
    assert.deepEqual(seen, [1, 1, 1, 2, 2, 2, 3]);
  });

  test('the figures of many deployments are written without keeping others from writing', async (t) => {
    const database = await open(t);
    const ids = Array.from({ length: 5_000 }, (_, index) => `deployment-${index}`);
    await makeDeployments(database, ids);
    const records = recordsOn(database);
    for (const deploymentId of ids) records.success({ ...retrieval, deploymentId }, false);
    let flushing = true;
    const flushed = records.flush().finally(() => {
      flushing = false;
    });
    let others = 0;
    while (flushing) {
      await database.transaction((trx) => trx.updateTable('audit_head').set({ day: '' }).execute());
      others += 1;
    }
    await flushed;
    const [row] = await database.db
      .selectFrom('deployment_activity')
      .select((each) => [each.fn.countAll().as('rows'), each.fn.sum('successes').as('successes')])
      .execute();
    assert.deepEqual([Number(row?.rows), Number(row?.successes)], [5_000, 5_000]);
    assert.ok(others >= 5, `only ${others} other transactions got their turn`);
  });

  test('what could not be written is kept, added to, and written once', async (t) => {
    const database = await open(t);
    await makeDeployments(database, ['deployment', 'other']);
    let failures = 2;
    const records = recordsOn({
      ...database,
      runBatch: (...batch) => (failures-- > 0 ? Promise.reject(new Error('gone')) : database.runBatch(...batch)),
    });
    records.success(retrieval, false);
    records.refusal('organization', 'deployment', 'address_not_allowed', '192.0.2.7');
    await assert.rejects(records.flush(), /gone/);
    records.success({ ...retrieval, address: '192.0.2.2' }, true);
    records.success({ ...retrieval, deploymentId: 'other' }, false);
    records.refusal('organization', 'deployment', 'address_not_allowed', '192.0.2.7');
    await assert.rejects(records.flush(), /gone/);
    await records.flush();
    await records.flush();
    const activity = await database.db.selectFrom('deployment_activity').selectAll().orderBy('deployment_id').execute();
    assert.deepEqual(
      activity.map((row) => [row.deployment_id, row.successes, row.not_modified, row.last_address]),
      [
        ['deployment', 2, 1, '192.0.2.2'],
        ['other', 1, 0, '192.0.2.1'],
      ],
    );
    const refusals = await database.db.selectFrom('deployment_refusal').select('count').execute();
    assert.deepEqual(refusals, [{ count: 2 }]);
  });

  test('what is awaited is told once it can be read, of a hundred deployments at most', async (t) => {
    const database = await open(t);
    const ids = Array.from({ length: 120 }, (_, index) => `deployment-${index}`);
    await makeDeployments(database, ids);
    const told: string[][] = [];
    let isGone = true;
    const feed = {
      async write(work: (trx: unknown, note: (kind: string, id: string, organizationId: string) => void) => unknown) {
        const rows = await database.db.selectFrom('deployment_activity').select('deployment_id').execute();
        assert.equal(rows.length, ids.length, 'the figures are there before anybody hears of them');
        const notes: string[] = [];
        await work(undefined, (kind, id, organizationId) => notes.push(`${kind} ${id} ${organizationId}`));
        told.push(notes);
      },
    } as unknown as ChangeFeed;
    const runBatch: Database['runBatch'] = (...batch) =>
      isGone ? Promise.reject(new Error('gone')) : database.runBatch(...batch);
    const records = recordsOn({ ...database, runBatch }, undefined, { feed });
    for (const deploymentId of ids) {
      records.success({ ...retrieval, deploymentId }, false);
      records.news('organization', deploymentId);
      records.news('organization', deploymentId);
    }
    await assert.rejects(records.flush(), /gone/);
    assert.deepEqual(told, []);
    isGone = false;
    await records.flush();
    await records.flush();
    assert.deepEqual(told, [ids.slice(0, 100).map((id) => `retrieval ${id} organization`)]);
  });

  test('figures of a deployment that was deleted meanwhile are not written', async (t) => {
    const database = await open(t);
    await makeDeployments(database, ['deployment']);
    const records = recordsOn(database);
    for (const deploymentId of ['deployment', 'deleted']) {
      records.success({ ...retrieval, deploymentId }, false);
      records.refusal('organization', deploymentId, 'address_not_allowed', '192.0.2.7');
    }
    await records.flush();
    for (const table of ['deployment_activity', 'deployment_refusal'] as const) {
      const rows = await database.db.selectFrom(table).select('deployment_id').execute();
      assert.deepEqual(rows, [{ deployment_id: 'deployment' }]);
    }
  });

  test('refusals and ended tokens are forgotten after 30 days, others not', async (t) => {
    const database = await open(t);
    const { db } = database;
    const deployments = Array.from({ length: 120 }, (_, index) => `deployment-${index}`);
    const edge = worldStart - 30 * 86_400_000;
    const minutes = [0, Math.floor(edge / 60_000) - 1, Math.floor(edge / 60_000), Math.floor(worldStart / 60_000)];
    const common = { organization_id: 'organization', reason: 'invalid_token', address: '192.0.2.1', count: 1 };
    for (const minute of minutes) {
      const rows = deployments.map((deployment_id) => ({ ...common, deployment_id, minute }));
      await db.insertInto('deployment_refusal').values(rows).execute();
    }
    const token = { kind: 'deployment' as const, organization_id: 'organization', subject_id: 'x', hint: '' };
    const ends = [edge - 1, edge, worldStart + 1, null];
    const tokens = ends.map((expires_at, index) => ({
      ...token,
      hash: `${index}`,
      created_at: 0,
      expires_at,
      ended: 0 as const,
    }));
    await db.insertInto('token').values(tokens).execute();

    const stop = new AbortController();
    const records = recordsOn(database, async () => {
      // The second round is not to come.
      if (waits > 0) stop.abort();
      waits += 1;
    });
    let waits = 0;
    await records.worker.run(stop.signal);
    const kept = await db.selectFrom('deployment_refusal').select(['minute', 'deployment_id']).execute();
    assert.deepEqual(new Set(kept.map(({ minute }) => minute)), new Set(minutes.slice(2)));
    assert.equal(kept.length, 2 * deployments.length);
    const left = await db.selectFrom('token').select('hash').orderBy('hash').execute();
    assert.deepEqual(left, [{ hash: '1' }, { hash: '2' }, { hash: '3' }]);
  });

  describe('two nodes', () => {
    test('write figures of the same deployments at the same time', async (t) => {
      const database = await open(t);
      const ids = Array.from({ length: 200 }, (_, index) => `deployment-${index}`);
      await makeDeployments(database, ids);
      const nodes = [recordsOn(database), recordsOn(database)];
      for (const [node, order] of [ids, ids.toReversed()].entries()) {
        for (const deploymentId of order) {
          nodes[node]?.success({ ...retrieval, deploymentId }, false);
          nodes[node]?.refusal('organization', deploymentId, 'invalid_token', '192.0.2.1');
        }
      }
      await Promise.all(nodes.map((node) => node.flush()));
      const activity = await database.db.selectFrom('deployment_activity').select('successes').execute();
      assert.deepEqual(new Set(activity.map(({ successes }) => successes)), new Set([2]));
      const refusals = await database.db.selectFrom('deployment_refusal').select('count').execute();
      assert.deepEqual(new Set(refusals.map(({ count }) => count)), new Set([2]));
    });
  });
});
