import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Fault, Problem } from '../runtime/problem.ts';
import { hashToken, parseToken } from '../secrets/token.ts';
import { createDeployments, type Deployments, type DeploymentUpdate } from './manage-deployments.ts';
import { inBothWorlds, type TestCertificate } from './retrieval/retrieval-world.testing.ts';

inBothWorlds('server deployments', (world) => {
  let certificate: TestCertificate;
  let deployments: Deployments;

  before(async () => {
    certificate = await world().importLeaf({ domains: ['example.com'] });
    deployments = world().application.deployments;
  });

  const create = async (name = 'web', allow: readonly string[] = ['192.0.2.1']) => {
    const made = await deployments.create('operator:1', { certificateId: certificate.id, name, allow });
    world().keepSecret(made.token.reveal());
    return made;
  };
  const events = async (id: string) => {
    const listed = await world().application.audit.list({ subject: id, limit: 100 });
    return listed.toReversed().map(({ actor, action, detail }) => [actor, action, JSON.parse(detail)]);
  };
  const now = () => new Date(world().clock.now()).toISOString();

  async function assertRefused(
    work: Promise<unknown>,
    code: string,
    field: string,
    faults: Fault[] = [],
    reason?: string,
  ) {
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof Problem);
      assert.deepEqual([error.code, error.field, error.faults, error.reason], [code, field, faults, reason]);
      return true;
    });
  }

  test('they are counted by certificate; another organization sees none of them', async () => {
    const [one, other] = [
      await world().importLeaf({ domains: ['a.example'] }),
      await world().importLeaf({ domains: ['b.example'] }),
    ];
    for (const name of ['first', 'second']) {
      const made = await deployments.create('operator:1', { certificateId: one.id, name, allow: [] });
      world().keepSecret(made.token.reveal());
    }
    const { organizationId } = world();
    assert.deepEqual(await deployments.count(organizationId, [one.id, other.id, 'none']), new Map([[one.id, 2]]));
    assert.deepEqual(await deployments.count('another', [one.id]), new Map());
    assert.deepEqual(await deployments.count(organizationId, []), new Map());
  });

  test('a new one is enabled and permitted, and its token is kept as a hash alone', async () => {
    const { deployment, token } = await create('  web servers ', ['192.0.2.0/24', '::ffff:192.0.2.7', '2001:DB8::1']);
    const { id } = deployment;
    assert.deepEqual(deployment, {
      id,
      organization_id: world().organizationId,
      certificate_id: certificate.id,
      name: 'web servers',
      enabled: true,
      permitted: true,
      query_token: true,
      allow: ['192.0.2.0/24', '192.0.2.7', '2001:db8::1'],
      requests_per_minute: null,
      expires_at: null,
      created_at: now(),
      updated_at: now(),
      current_version: certificate.version,
      last_version: null,
      last_version_number: null,
      last_seen_at: null,
      last_user_agent: null,
      outdated_since: now(),
    });
    const text = token.reveal();
    assert.deepEqual(parseToken(text), { kind: 'deployment' });
    assert.ok(!`${token} ${JSON.stringify(token)}`.includes(text));
    const { db } = world().application.database;
    const row = await db.selectFrom('token').selectAll().where('subject_id', '=', id).executeTakeFirstOrThrow();
    assert.equal(row.hash, hashToken(text).toString('hex'));
    assert.equal(row.hint, text.slice(0, 8));
    assert.doesNotMatch(JSON.stringify([row, await events(id)]), new RegExp(text.slice(9, 40)));
    assert.deepEqual(await events(id), [
      [
        'operator:1',
        'deployment.create',
        { certificate: certificate.id, name: 'web servers', allow: ['192.0.2.0/24', '192.0.2.7', '2001:db8::1'] },
      ],
    ]);
    const { activity, refusals, tokens } = await deployments.show(id);
    assert.deepEqual([activity, refusals], [null, []]);
    assert.deepEqual(tokens, [{ hint: text.slice(0, 8), created_at: now(), expires_at: null }]);
  });

  test('none is made for a certificate that is unknown or revoked', async () => {
    const { certificates, database } = world().application;
    const make = (certificateId: string) =>
      deployments.create('operator:1', { certificateId, name: 'web', allow: ['192.0.2.1'] });
    const count = async () =>
      (await database.db.selectFrom('deployment').select('id').execute()).length +
      (await database.db.selectFrom('token').select('hash').execute()).length;
    const before = await count();
    await assertRefused(make('unknown'), 'not_found', 'certificate');
    const revoked = await world().importLeaf({ domains: ['example.com'] });
    await certificates.revoke('test', revoked.id);
    await assertRefused(make(revoked.id), 'conflict', 'certificate', [], 'nothing_to_hand_out');
    const revokedVersion = await world().importLeaf({ domains: ['example.com'] });
    await certificates.revoke('test', revokedVersion.id, revokedVersion.version);
    await assertRefused(make(revokedVersion.id), 'conflict', 'certificate', [], 'nothing_to_hand_out');
    assert.equal(await count(), before);
  });

  test('one may be made for a certificate that is pending or failed', async () => {
    const { database } = world().application;
    const pending = await world().importLeaf({ domains: ['example.com'] });
    for (const state of ['pending', 'failed'] as const) {
      await database.db.updateTable('certificate').set({ state }).where('id', '=', pending.id).execute();
      const made = await deployments.create('operator:1', { certificateId: pending.id, name: state, allow: [] });
      assert.equal(made.deployment.name, state);
      await deployments.delete('operator:1', made.deployment.id);
    }
  });

  test('bad names and allow-lists are refused with every fault named, and nothing is stored', async () => {
    const before = await deployments.list({ limit: 1_000 });
    for (const name of ['', ' \t ', 'x'.repeat(201), 'a\u0000b', 'line\nbreak']) {
      await assertRefused(create(name), 'invalid_parameter', 'name');
    }
    const bad = create('web', ['192.0.2.1', '192.0.2.1/24', 'example.com', '2001:db8::/129', '']);
    await assert.rejects(bad, (error) => {
      assert.ok(error instanceof Problem);
      const fields = error.faults.map(({ field }) => field);
      assert.deepEqual(
        [error.code, error.field, fields],
        ['invalid_parameter', 'allow', ['allow[1]', 'allow[2]', 'allow[3]', 'allow[4]']],
      );
      assert.match(error.faults[0]?.message ?? '', /write 192\.0\.2\.0\/24 for the network or 192\.0\.2\.1/);
      return true;
    });
    assert.deepEqual(await deployments.list({ limit: 1_000 }), before);
  });

  test('each field is changed alone, and recorded in the words that people use', async () => {
    const { deployment } = await create();
    const { id } = deployment;
    const until = Date.UTC(2027, 0, 1);
    const updates: readonly [update: DeploymentUpdate, shown: Record<string, unknown>][] = [
      [{ name: 'other' }, { name: 'other' }],
      [{ enabled: false }, { enabled: false }],
      [{ permitted: false }, { permitted: false }],
      [{ queryToken: false }, { query_token: false }],
      [{ allow: [] }, { allow: [] }],
      [{ allow: ['10.0.0.0/8', '10.0.0.0/8', '::1'] }, { allow: ['10.0.0.0/8', '::1'] }],
      [{ requestsPerMinute: 1_000_000 }, { requests_per_minute: 1_000_000 }],
      [{ requestsPerMinute: null }, { requests_per_minute: null }],
      [{ expiresAt: until }, { expires_at: '2027-01-01T00:00:00.000Z' }],
      [
        { expiresAt: null, enabled: true },
        { enabled: true, expires_at: null },
      ],
    ];
    let expected = deployment;
    for (const [update, shown] of updates) {
      world().clock.advance(1_000);
      expected = { ...expected, ...shown, updated_at: now() };
      const counts = expected.enabled && expected.permitted;
      expected = { ...expected, outdated_since: counts ? expected.created_at : null };
      assert.deepEqual(await deployments.update('operator:2', id, update), expected);
      const { activity: _activity, refusals: _refusals, tokens: _tokens, ...found } = await deployments.show(id);
      assert.deepEqual(found, expected);
      assert.deepEqual((await events(id)).at(-1), ['operator:2', 'deployment.update', shown]);
    }
  });

  test('an update that is not acceptable changes nothing', async () => {
    const { deployment } = await create();
    const { id } = deployment;
    const refused: readonly [DeploymentUpdate, field: string][] = [
      [{}, 'update'],
      [{ name: undefined }, 'update'],
      [{ name: '' }, 'name'],
      [{ requestsPerMinute: 0 }, 'requests_per_minute'],
      [{ requestsPerMinute: 1.5 }, 'requests_per_minute'],
      [{ requestsPerMinute: 1_000_001 }, 'requests_per_minute'],
      [{ expiresAt: Number.NaN }, 'expires_at'],
      [{ expiresAt: -1 }, 'expires_at'],
      [{ expiresAt: 1e15 }, 'expires_at'],
    ];
    for (const [update, field] of refused) {
      await assertRefused(deployments.update('test', id, update), 'invalid_parameter', field);
      if (field !== 'update') {
        await assertRefused(deployments.update('test', id, { enabled: false, ...update }), 'invalid_parameter', field);
      }
    }
    await assert.rejects(deployments.update('test', id, { enabled: false, allow: ['x'] }), Problem);
    assert.deepEqual(await deployments.list({ certificateId: certificate.id, after: prior(id), limit: 1 }), [
      deployment,
    ]);
    assert.equal((await events(id)).length, 1);
  });

  test('what is not there cannot be changed, shown, rotated or deleted', async () => {
    for (const attempt of [
      () => deployments.update('test', 'unknown', { enabled: false }),
      () => deployments.rotate('test', 'unknown', 0),
      () => deployments.show('unknown'),
      () => deployments.delete('test', 'unknown'),
    ]) {
      await assertRefused(attempt(), 'not_found', 'deployment');
    }
  });

  test('rotation gives a new token and lets the former ones end, never later than they did', async () => {
    const { deployment } = await create();
    const { id } = deployment;
    const rotate = async (overlapMs: number) => {
      world().clock.advance(1_000);
      const rotated = await deployments.rotate('operator:3', id, overlapMs);
      world().keepSecret(rotated.token.reveal());
      return rotated;
    };
    const at = (ms: number) => new Date(world().clock.now() + ms).toISOString();
    const first = await rotate(3_600_000);
    assert.equal(first.formerValidUntil, at(3_600_000));
    assert.deepEqual(first.deployment, { ...deployment, updated_at: now() });
    const endOfFirst = at(3_600_000);
    await rotate(60_000);
    const endOfSecond = at(60_000);
    await rotate(7_200_000);
    const { tokens } = await deployments.show(id);
    assert.deepEqual(
      tokens.map(({ expires_at }) => expires_at),
      [null, at(7_200_000), endOfSecond, endOfSecond],
    );
    assert.ok(endOfSecond < endOfFirst);
    assert.deepEqual((await events(id)).slice(1), [
      ['operator:3', 'deployment.rotate', { overlap_seconds: 3_600 }],
      ['operator:3', 'deployment.rotate', { overlap_seconds: 60 }],
      ['operator:3', 'deployment.rotate', { overlap_seconds: 7_200 }],
    ]);
    for (const overlap of [-1, Number.NaN, 30 * 86_400_000 + 1]) {
      await assertRefused(deployments.rotate('test', id, overlap), 'invalid_parameter', 'overlap');
    }
    assert.equal((await deployments.show(id)).tokens.length, 4);
  });

  test('a new token is told also where the database is lost after it was stored', async () => {
    const { database, feed, audit, clock } = world().application;
    let isLost = false;
    const db = new Proxy(database.db, {
      get(target, name) {
        assert.ok(!isLost, 'a read after the commit');
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const write: typeof feed.write = async (work) => {
      const result = await feed.write(work);
      isLost = true;
      return result;
    };
    const losing = createDeployments({ database: { ...database, db }, feed: { ...feed, write }, audit, clock });
    const { deployment, token } = await losing.create('test', {
      certificateId: certificate.id,
      name: 'web',
      allow: [],
    });
    world().keepSecret(token.reveal());
    assert.deepEqual([deployment.last_version, deployment.outdated_since], [null, deployment.created_at]);
    isLost = false;
    const rotated = await losing.rotate('test', deployment.id, 0);
    world().keepSecret(rotated.token.reveal());
    assert.equal(rotated.deployment.current_version, certificate.version);
    isLost = false;
    assert.equal((await losing.update('test', deployment.id, { permitted: false })).outdated_since, null);
  });

  test('deleting removes the deployment, its tokens and its figures; the audit trail stays', async () => {
    const { deployment } = await create();
    const { id, organization_id } = deployment;
    const { db } = world().application.database;
    const activity = { last_seen_at: 1, last_address: '', last_user_agent: '', last_version: '', version_since: 1 };
    await db
      .insertInto('deployment_activity')
      .values({ organization_id, deployment_id: id, ...activity, successes: 1, not_modified: 0 })
      .execute();
    await db
      .insertInto('deployment_refusal')
      .values({ organization_id, deployment_id: id, minute: 1, reason: 'x', address: '', count: 1 })
      .execute();
    await deployments.delete('operator:4', id);
    for (const table of ['deployment_activity', 'deployment_refusal'] as const) {
      assert.deepEqual(await db.selectFrom(table).selectAll().where('deployment_id', '=', id).execute(), []);
    }
    assert.deepEqual(await db.selectFrom('token').selectAll().where('subject_id', '=', id).execute(), []);
    await assertRefused(deployments.show(id), 'not_found', 'deployment');
    assert.deepEqual((await events(id)).at(-1), ['operator:4', 'deployment.delete', { name: 'web' }]);
    await assertRefused(deployments.delete('test', id), 'not_found', 'deployment');
    assert.equal((await events(id)).length, 2);
  });

  test('of changes at the same time as a deletion nothing stays behind', async () => {
    const { db } = world().application.database;
    for (let round = 0; round < 10; round += 1) {
      const { id } = (await create()).deployment;
      const outcomes = await Promise.allSettled([
        deployments.rotate('test', id, 0).then(({ token }) => world().keepSecret(token.reveal())),
        deployments.update('test', id, { enabled: false }),
        deployments.delete('test', id),
        deployments.delete('test', id),
        deployments.rotate('test', id, 0).then(({ token }) => world().keepSecret(token.reveal())),
        deployments.update('test', id, { enabled: true }),
      ]);
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      for (const { reason } of refused) assert.ok(reason instanceof Problem && reason.code === 'not_found', reason);
      assert.deepEqual(await db.selectFrom('token').select('hash').where('subject_id', '=', id).execute(), []);
      const actions = (await events(id)).map(([, action]) => action);
      assert.equal(actions.filter((action) => action === 'deployment.delete').length, 1);
      assert.equal(actions.at(-1), 'deployment.delete', 'nothing is recorded of it after its end');
      assert.equal(actions.length, 1 + outcomes.length - refused.length);
    }
    assert.deepEqual((await world().application.audit.verify()).faults, []);
  });

  test('a search looks at a certificate once, however many deployments it has', async (t) => {
    const many = await world().importLeaf({ domains: ['one.example', 'Two.example', 'three.example'] });
    for (let index = 0; index < 20; index += 1) await world().deploy(many.id);
    let looks = 0;
    const { includes } = String.prototype;
    t.mock.method(String.prototype, 'includes', function (this: string, part: string, from?: number): boolean {
      if (part.endsWith('wo.example')) looks += this.startsWith('[') ? 1 : 0;
      return includes.call(this, part, from);
    });
    const filter = { certificateId: many.id, limit: 100 };
    assert.equal((await deployments.search(filter, { text: 'TWO.example' })).rows.length, 20);
    assert.equal((await deployments.search(filter, { text: 'no-wo.example' })).rows.length, 0);
    assert.equal(looks, 2);
    assert.equal(
      (await deployments.search(filter, { text: '","' })).rows.length,
      0,
      'what stands between two domains is none',
    );
  });

  test('a list goes page by page, by organization and by certificate', async () => {
    const other = await world().importLeaf({ domains: ['other.example'] });
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      // Ids made in the same millisecond are in no order.
      world().clock.advance(1);
      made.push((await world().deploy(other.id)).id);
    }
    const ids = async (filter: Parameters<Deployments['list']>[0]) =>
      (await deployments.list(filter)).map(({ id }) => id);
    assert.deepEqual(await ids({ certificateId: other.id, limit: 3 }), made.slice(0, 3));
    assert.deepEqual(await ids({ certificateId: other.id, after: made[2] ?? '', limit: 3 }), made.slice(3));
    assert.deepEqual(await ids({ certificateId: 'unknown', limit: 3 }), []);
    assert.deepEqual(await ids({ organizationId: 'unknown', limit: 3 }), []);
    const all = await ids({ organizationId: world().organizationId, limit: 1_000 });
    assert.deepEqual(all.slice(-5), made);
  });
});

/** The id before this one in the order of ids. */
function prior(id: string): string {
  return `${id.slice(0, -1)}${String.fromCharCode(id.charCodeAt(id.length - 1) - 1)}`;
}
