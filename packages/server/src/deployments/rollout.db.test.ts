import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { DatabaseUnavailable } from '../database/database.ts';
import { insertValues } from '../database/insert-values.testing.ts';
import { migrate } from '../database/migrate.ts';
import { migrations } from '../database/schema/migrations/list.ts';
import { onBothDatabases } from '../database/testing.ts';
import { newId } from '../runtime/clock.ts';
import type { Deployment } from './deployment.ts';
import { addActivity } from './deployment-store.ts';
import { deploymentsOfCertificates } from './deployments-of-certificates.ts';
import type { DeploymentUpdate } from './manage-deployments.ts';
import { countOutdated, createOutdatedMetric } from './outdated-deployments.ts';
import { inBothWorlds, type RetrievalWorld } from './retrieval/retrieval-world.testing.ts';
import { countRollouts, readDeployed } from './rollout.ts';

function tools(world: () => RetrievalWorld) {
  const at = (epochMs: number) => new Date(epochMs).toISOString();
  const now = () => world().clock.now();
  const { importLeaf, deploy } = {
    importLeaf: async (name: string, onto?: string) => {
      world().clock.advance(1_000);
      return world().importLeaf({ domains: [`${name}.example`], ...(onto !== undefined && { onto }) });
    },
    deploy: async (certificateId: string) => {
      world().clock.advance(1_000);
      return (await world().deploy(certificateId)).id;
    },
  };
  /** As a server's answer is recorded. */
  async function fetched(id: string, version: string, agent = 'curl/8'): Promise<string> {
    world().clock.advance(1_000);
    const seenAt = now();
    const row = { organization_id: world().organizationId, deployment_id: id, last_address: '192.0.2.1' };
    const figures = { last_seen_at: seenAt, version_since: seenAt, successes: 1, not_modified: 0 };
    await addActivity(world().application.database, [
      { ...row, ...figures, last_user_agent: agent, last_version: version },
    ]);
    return at(seenAt);
  }
  const update = (id: string, change: DeploymentUpdate) => world().application.deployments.update('test', id, change);
  const show = (id: string) => world().application.deployments.show(id);
  async function counted(certificateId: string): Promise<[current: number, total: number]> {
    const { database } = world().application;
    const counts = await countRollouts(database.db, database, [{ id: certificateId }], now());
    const { current, total } = counts.get(certificateId) ?? { current: 0, total: 0 };
    return [current, total];
  }
  const outdatedOf = async (certificateId: string) =>
    (await readDeployed(world().application.database, now())).outdated.filter(
      (each) => each.certificateId === certificateId,
    );
  const rolloutOf = async (certificateId: string, since = 0) =>
    (await readDeployed(world().application.database, now(), since)).rollouts.find(
      (each) => each.certificateId === certificateId,
    );
  const countAll = () => countOutdated(world().application.database, now());
  return { countAll, at, now, importLeaf, deploy, fetched, update, show, counted, outdatedOf, rolloutOf };
}

type Leaving = (id: string, certificate: string, version: string, world: RetrievalWorld) => Promise<unknown>;

const updating =
  (change: DeploymentUpdate): Leaving =>
  (id, _certificate, _version, { application }) =>
    application.deployments.update('test', id, change);

/** Each change keeps a deployment from fetching. Most have one that lets the deployment fetch again. */
const leaving: readonly [what: string, leave: Leaving, comeBack?: DeploymentUpdate][] = [
  ['disabled', updating({ enabled: false }), { enabled: true }],
  ['forbidden', updating({ permitted: false }), { permitted: true }],
  ['expired', updating({ expiresAt: 1 }), { expiresAt: null }],
  [
    'past an end that has come',
    async (id, _certificate, _version, { application, clock }) => {
      await application.deployments.update('test', id, { expiresAt: clock.now() + 5_000 });
      clock.advance(5_000);
    },
    { expiresAt: Date.UTC(2030, 0, 1) },
  ],
  [
    'without a version that is not revoked',
    (_id, certificate, version, { application }) => application.certificates.revoke('test', certificate, version),
  ],
  [
    'one of a revoked certificate',
    (_id, certificate, _version, { application }) => application.certificates.revoke('test', certificate),
  ],
];

const placeOf = ({ last_version, last_version_number, last_seen_at, last_user_agent, outdated_since }: Deployment) => ({
  ...{ last_version, last_version_number, last_seen_at, last_user_agent, outdated_since },
});

const nothingFetched = { last_version: null, last_version_number: null, last_seen_at: null, last_user_agent: null };

onBothDatabases('a database from before rollouts were shown', (open) => {
  test('has a current version since it was made, and servers that have had it since then at the latest', async (t) => {
    const database = await open(t, { empty: true });
    const before = migrations.findIndex(({ name }) => name === 'current-since');
    await migrate(database, { migrations: migrations.slice(0, before) });
    const { db } = database;
    const state = { organization_id: 'o', name: 'n', source: 'imported', former_version: null, updated_at: 1 } as const;
    const of = (id: string, current_version: string | null) => ({ ...state, id, current_version, created_at: 1 });
    const facts = { domains: '[]', chain: '', key_type: '', serial: '', fingerprint: '', issuer: '', subject: '' };
    const version = {
      ...facts,
      state: 'issued',
      sealed_key: Buffer.alloc(1),
      key_id: 'k',
      not_before: 1,
      not_after: 2,
    };
    const own = { organization_id: 'o', certificate_id: 'c', id: 'd', name: 'web', enabled: 1, permitted: 1 };
    const rows = {
      certificate: [
        { ...of('c', 'v2'), state: 'issued', versions: 2 },
        { ...of('pending', null), state: 'pending', versions: 0 },
      ],
      certificate_version: [
        {
          organization_id: 'o',
          certificate_id: 'c',
          id: 'v1',
          number: 1,
          ...version,
          created_at: 3_000,
          revoked_at: null,
        },
        {
          organization_id: 'o',
          certificate_id: 'c',
          id: 'v2',
          number: 2,
          ...version,
          created_at: 5_000,
          revoked_at: null,
        },
      ],
      deployment: [{ ...own, query_token: 1, allow_list: '[]', created_at: 1, updated_at: 1 }],
      deployment_activity: [
        {
          ...{ organization_id: 'o', deployment_id: 'd', last_seen_at: 9_000, last_address: '', last_user_agent: '' },
          ...{ last_version: 'v2', successes: 1, not_modified: 0 },
        },
      ],
    };
    for (const [table, values] of Object.entries(rows)) {
      await insertValues(database, db, table as 'certificate', values as never);
    }
    await migrate(database);
    const certificates = await db.selectFrom('certificate').select(['id', 'current_since']).orderBy('id').execute();
    assert.deepEqual(certificates, [
      { id: 'c', current_since: 5_000 },
      { id: 'pending', current_since: null },
    ]);
    const [rollout] = (await readDeployed(database, 1_000_000, 0)).rollouts;
    assert.deepEqual([rollout?.number, rollout?.completedAt], [2, 5_000]);
  });
});

inBothWorlds('the rollout of a version', (world) => {
  const { countAll, at, now, importLeaf, deploy, fetched, update, show, counted, outdatedOf, rolloutOf } = tools(world);

  test('a deployment is outdated from its creation until it has fetched, and again from each new version on', async () => {
    const { application, organizationId } = world();
    const { id: certificate, version: first } = await importLeaf('rollout');
    const [one, two] = [await deploy(certificate), await deploy(certificate)];
    const { created_at } = await show(one);
    assert.deepEqual(placeOf(await show(one)), { ...nothingFetched, outdated_since: created_at });
    assert.deepEqual(await counted(certificate), [0, 2]);

    const seen = await fetched(one, first);
    const current = { last_version: first, last_version_number: 1, last_seen_at: seen, last_user_agent: 'curl/8' };
    assert.deepEqual(placeOf(await show(one)), { ...current, outdated_since: null });
    assert.deepEqual(await counted(certificate), [1, 2]);
    assert.equal(await rolloutOf(certificate), undefined);
    await fetched(two, first);
    assert.equal((await rolloutOf(certificate))?.completedAt, now());

    const { version: second } = await importLeaf('rollout', certificate);
    const since = now();
    assert.deepEqual(placeOf(await show(one)), { ...current, outdated_since: at(since) });
    const listed = await application.deployments.list({ certificateId: certificate, limit: 10 });
    assert.deepEqual(listed.map(placeOf), [placeOf(await show(one)), placeOf(await show(two))]);
    assert.deepEqual(await counted(certificate), [0, 2]);
    assert.equal(await rolloutOf(certificate), undefined);
    assert.deepEqual((await outdatedOf(certificate))[0], {
      ...{
        organizationId,
        id: one,
        name: 'web',
        certificateId: certificate,
        certificateName: 'rollout.example',
        since,
      },
    });

    await fetched(one, second);
    await fetched(two, second, '');
    assert.equal((await show(two)).last_user_agent, '');
    assert.deepEqual(await counted(certificate), [2, 2]);
    const completedAt = now();
    // Going on to fetch the same version does not complete it later.
    await fetched(one, second);
    assert.deepEqual(await rolloutOf(certificate), {
      ...{ organizationId, certificateId: certificate, certificateName: 'rollout.example' },
      ...{ version: second, number: 2, deployments: 2, completedAt },
    });
    assert.equal(await rolloutOf(certificate, completedAt + 1), undefined);
    assert.notEqual(await rolloutOf(certificate, completedAt), undefined);
    assert.deepEqual(await outdatedOf(certificate), []);
  });

  test('a disabled deployment counts nowhere, and counts again once it is enabled', async () => {
    const { id: certificate, version } = await importLeaf('disabled');
    const [one, two] = [await deploy(certificate), await deploy(certificate)];
    await fetched(one, version);
    const completed = now();
    assert.equal((await update(two, { enabled: false })).outdated_since, null);
    assert.deepEqual(await counted(certificate), [1, 1]);
    assert.deepEqual(await outdatedOf(certificate), []);
    assert.equal((await rolloutOf(certificate))?.completedAt, completed);
    assert.equal((await update(one, { enabled: false })).outdated_since, null);
    assert.deepEqual(await counted(certificate), [0, 0]);
    assert.equal(await rolloutOf(certificate), undefined, 'without an enabled deployment nothing is complete');
    const { created_at, outdated_since } = await update(two, { enabled: true });
    assert.equal(outdated_since, created_at);
    assert.deepEqual(await counted(certificate), [0, 1]);
  });

  for (const [what, leave, comeBack] of leaving) {
    test(`a deployment that cannot fetch since it is ${what} counts nowhere`, async () => {
      const { application } = world();
      const { id: certificate, version } = await importLeaf('leaving');
      const [one, two] = [await deploy(certificate), await deploy(certificate)];
      await fetched(one, version);
      const facts = async () => {
        const search = { certificateId: certificate, limit: 10 };
        const found = await application.deployments.search(search, { outdated: true });
        const deployments = deploymentsOfCertificates(application.database, application.clock);
        return {
          outdated: [
            (await show(two)).outdated_since !== null,
            found.rows.length,
            (await outdatedOf(certificate)).length,
          ],
          rollout: await counted(certificate),
          complete: (await rolloutOf(certificate))?.deployments ?? 0,
          named: (await deployments.names(application.database.db, { id: certificate }, 10)).length,
        };
      };
      const count = await countAll();
      const all = { outdated: [true, 1, 1], rollout: [1, 2], complete: 0, named: 2 };
      assert.deepEqual(await facts(), all);
      await leave(two, certificate, version, world());
      const [left, of] = comeBack === undefined ? [0, 0] : [1, 1];
      assert.deepEqual(await facts(), { outdated: [false, 0, 0], rollout: [left, of], complete: left, named: left });
      assert.equal(await countAll(), count - 1);
      if (comeBack === undefined) return;
      await update(two, comeBack);
      assert.deepEqual(await facts(), all);
      assert.equal(await countAll(), count);
    });
  }

  test('of a revoked certificate nobody is outdated, and no rollout is complete', async () => {
    const { id: certificate, version } = await importLeaf('revoked');
    const [one, two] = [await deploy(certificate), await deploy(certificate)];
    await fetched(one, version);
    await world().application.certificates.revoke('test', certificate);
    assert.equal((await show(two)).outdated_since, null);
    assert.deepEqual(await outdatedOf(certificate), []);
    assert.deepEqual(await counted(certificate), [0, 0]);
    await fetched(two, version);
    assert.equal(await rolloutOf(certificate), undefined);
  });

  test('a version that becomes current again has reached the servers that kept it, at that moment', async () => {
    const { database } = world().application;
    const { id: certificate, version: first } = await importLeaf('again');
    const [one, two] = [await deploy(certificate), await deploy(certificate)];
    await fetched(one, first);
    await fetched(two, first);
    const { version: second } = await importLeaf('again', certificate);
    await fetched(two, second);
    const makeCurrent = async (current_version: string, former_version: string) => {
      world().clock.advance(1_000);
      const facts = { current_version, former_version, current_since: now() };
      await database.db.updateTable('certificate').set(facts).where('id', '=', certificate).execute();
    };
    await makeCurrent(first, second);
    const back = now();
    assert.equal((await show(one)).outdated_since, null);
    assert.equal((await show(two)).outdated_since, at(back));
    assert.deepEqual(await counted(certificate), [1, 2]);
    await update(two, { enabled: false });
    assert.deepEqual([(await rolloutOf(certificate))?.completedAt, (await rolloutOf(certificate))?.number], [back, 1]);
    await update(two, { enabled: true });
    await makeCurrent(second, first);
    assert.equal((await show(one)).outdated_since, at(now()));
    assert.equal((await show(two)).outdated_since, null);
  });

  test('what servers fetch is seen: unchanged answers count, a pinned former version does not', async () => {
    const { clock, application } = world();
    const server = await world().serve();
    const { id: certificate, version: first } = await importLeaf('served');
    const [follows, pinned] = [await world().deploy(certificate), await world().deploy(certificate)];
    const ask = (path: string, bearer: string, ...more: string[]) => server.ask(`GET ${path}`, bearer, ...more);
    const agent = 'User-Agent: agent/1';
    const fetchAgain = async (former: { readonly headers: ReadonlyMap<string, string> }) => {
      clock.advance(1_000);
      return ask('/api/certificate', follows.bearer, agent, `If-None-Match: ${former.headers.get('etag')}`);
    };
    const answer = await ask('/api/certificate', follows.bearer, agent);
    assert.equal(answer.status, 200);
    const { version: second } = await importLeaf('served', certificate);
    const since = now();
    const renewed = await fetchAgain(answer);
    assert.equal(renewed.status, 200, 'another version');
    assert.equal((await fetchAgain(renewed)).status, 304);
    assert.equal((await ask(`/api/certificate?version=${first}`, pinned.bearer, agent)).status, 200);
    await server.stop();
    assert.deepEqual(placeOf(await show(follows.id)), {
      ...{ last_version: second, last_version_number: 2, last_seen_at: at(now()), last_user_agent: 'agent/1' },
      outdated_since: null,
    });
    const { last_version, outdated_since, updated_at } = await show(pinned.id);
    assert.deepEqual([last_version, outdated_since], [first, at(since)]);
    assert.ok(updated_at < at(now()), 'a fetch changes no setting');
    assert.deepEqual(await counted(certificate), [1, 2]);
    assert.equal((await application.deployments.show(pinned.id)).activity?.last_version, first);
  });

  test('an earlier fetch that another node writes later counts, and changes nothing else', async () => {
    const { id: certificate, version: first } = await importLeaf('late');
    const id = await deploy(certificate);
    const seenAt = now() + 1_000;
    const { version: second } = await importLeaf('late', certificate);
    await fetched(id, second);
    const { activity: before } = await show(id);
    const completed = await rolloutOf(certificate);
    await addActivity(world().application.database, [
      {
        ...{ organization_id: world().organizationId, deployment_id: id, last_seen_at: seenAt, version_since: seenAt },
        ...{ last_address: '192.0.2.9', last_user_agent: 'late', last_version: first, successes: 2, not_modified: 3 },
      },
    ]);
    assert.deepEqual((await show(id)).activity, { ...before, successes: 3, not_modified: 3 });
    assert.deepEqual(await rolloutOf(certificate), completed);
    await fetched(id, first);
    assert.equal((await show(id)).last_version, first);
  });

  test('outdated ones are found in a list, with a search, page by page', async () => {
    const { deployments } = world().application;
    const { id: certificate, version } = await importLeaf('listed');
    const ids: string[] = [];
    for (let index = 0; index < 9; index += 1) ids.push(await deploy(certificate));
    for (const [index, id] of ids.entries()) {
      if (index % 2 === 0) await fetched(id, version);
      if (index < 4) await update(id, { name: `api-${index}` });
    }
    const find = async (sought: Parameters<typeof deployments.search>[1], more: object = {}) => {
      const found = await deployments.search({ certificateId: certificate, limit: 100, ...more }, sought);
      return found.rows.map(({ id }) => ids.indexOf(id));
    };
    assert.deepEqual(await find({ outdated: true }), [1, 3, 5, 7]);
    assert.deepEqual(await find({ outdated: false }), [0, 2, 4, 6, 8]);
    assert.deepEqual(await find({ outdated: true, text: 'API' }), [1, 3]);
    assert.deepEqual(await find({ outdated: false, text: 'api' }), [0, 2]);
    assert.deepEqual(await find({ outdated: true, text: 'listed.EXAMPLE' }), [1, 3, 5, 7]);
    assert.deepEqual(await find({ outdated: true, text: 'nothing' }), []);
    assert.deepEqual(await find({ outdated: true }, { limit: 2 }), [1, 3]);
    assert.deepEqual(await find({ outdated: true }, { limit: 2, after: ids[3] }), [5, 7]);
    assert.deepEqual(await find({ outdated: true }, { organizationId: 'unknown' }), []);
  });

  test('the metric counts over all organizations at the scrape, and has no sample without the database', async () => {
    const { application, clock } = world();
    // A registry for each: a reading that was slow stands for a minute.
    const sample = async (database = application.database) => {
      const registry = new Registry();
      createOutdatedMetric(registry, database, clock);
      return / (\d+)$/m.exec((await registry.metrics()).replace(/^#.*$/gm, ''))?.[1];
    };
    const count = async () => (await readDeployed(application.database, now())).outdated.length;
    assert.equal(await sample(), String(await count()));
    const before = await count();
    const { id: certificate, version } = await importLeaf('metric');
    const id = await deploy(certificate);
    assert.deepEqual([await sample(), await count()], [String(before + 1), before + 1]);
    await fetched(id, version);
    assert.deepEqual([await sample(), await count()], [String(before), before]);

    const readAside = () => Promise.reject(new DatabaseUnavailable('down'));
    assert.equal(await sample({ ...application.database, readAside }), undefined);
  });

  test('ten thousand deployments of a certificate are counted, and read in portions', async () => {
    const { database } = world().application;
    const { id: certificate, version } = await importLeaf('fleet');
    const template = await database.db
      .selectFrom('deployment')
      .selectAll()
      .where('id', '=', await deploy(certificate))
      .executeTakeFirstOrThrow();
    const { organization_id } = template;
    await database.db.deleteFrom('deployment').where('id', '=', template.id).execute();
    const ids = Array.from({ length: 10_000 }, () => newId(now()));
    const isBehind = (index: number) => index % 10 === 0;
    const fleet = ids.map((id, index) => ({ ...template, id, name: `web-${index}` }));
    await insertValues(database, database.db, 'deployment', fleet);
    const seen = { last_seen_at: now(), version_since: now(), last_address: '', last_user_agent: 'agent' };
    const activity = ids.map((deployment_id, index) => ({
      ...{ organization_id, deployment_id, ...seen, last_version: isBehind(index) ? 'former' : version },
      ...{ successes: 1, not_modified: 0 },
    }));
    await insertValues(database, database.db, 'deployment_activity', activity);
    const begun = performance.now();
    assert.deepEqual(await counted(certificate), [9_000, 10_000]);
    assert.equal((await outdatedOf(certificate)).length, 1_000);
    assert.equal(await rolloutOf(certificate), undefined);
    await database.db.updateTable('deployment_activity').set({ last_version: version }).execute();
    assert.deepEqual(await counted(certificate), [10_000, 10_000]);
    assert.equal((await rolloutOf(certificate))?.deployments, 10_000);
    assert.ok(performance.now() - begun < 10_000);
  });
});
