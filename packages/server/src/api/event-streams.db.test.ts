import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { type ManagementWorld, openManagementWorld } from '../whole-server/management-world.testing.ts';

interface Told {
  readonly id: string;
  readonly kind: string;
  readonly subject: string | null;
  readonly organization: string | null;
}

interface Reader {
  readonly status: number;
  /** The next event; undefined at the stream's end. */
  next(): Promise<Told | undefined>;
  leave(): void;
}

/** Reads a stream as browsers do. */
async function listen(
  t: TestContext,
  world: ManagementWorld,
  who: string,
  at: string,
  lastId?: string,
): Promise<Reader> {
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const answer = await fetch(`${world.url}/api/v1${at}`, {
    headers: { cookie: `waxwing=${who}`, ...(lastId !== undefined && { 'last-event-id': lastId }) },
    signal: leaving.signal,
  });
  const chunks = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    status: answer.status,
    leave: () => leaving.abort(),
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end === -1) {
          const chunk = await chunks?.read();
          if (chunk?.value === undefined) return undefined;
          text += chunk.value;
          continue;
        }
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = field('data');
        if (data === undefined) continue;
        const { kind, id, organization_id } = JSON.parse(data) as { kind: string; id: string; organization_id: string };
        return { id: field('id') ?? '', kind, subject: id, organization: organization_id };
      }
    },
  };
}

/** A stream begins with the current state, so the change is repeated until the stream has begun. */
async function heard(reader: Reader, change: () => Promise<unknown>): Promise<Told | undefined> {
  let told: Told | undefined;
  let isOver = false;
  const first = reader.next().then((event) => {
    told = event;
    isOver = true;
  });
  while (!isOver) {
    await change();
    await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 50))]);
  }
  return told;
}

onBothDatabases('an event stream', (_open, kind) => {
  test('tells members what changes in their organization, and nothing of another', async (t) => {
    const world = await openManagementWorld(t, kind);
    const { acme, other, createDeployment } = world;
    const [ours, all] = [
      await listen(t, world, 'viewer', `/organizations/${acme}/events/stream`),
      await listen(t, world, 'operator', '/instance/events/stream'),
    ];
    await heard(all, () => createDeployment(other));
    const { kind: what, organization } = (await heard(ours, () => createDeployment(acme))) ?? {};
    assert.ok(what === 'certificate' || what === 'deployment');
    assert.equal(organization, acme);
    let latest = await all.next();
    while (latest?.organization !== acme) latest = await all.next();
  });

  test('goes on where a connection was lost, and says so when that is no longer known', async (t) => {
    const world = await openManagementWorld(t, kind);
    const { acme, createDeployment } = world;
    const path = `/organizations/${acme}/events/stream`;
    const first = await listen(t, world, 'viewer', path);
    const last = await heard(first, () => createDeployment());
    first.leave();
    const missed = await createDeployment();
    const again = await listen(t, world, 'viewer', path, last?.id);
    let told = await again.next();
    while (told?.subject !== missed) {
      assert.equal(told?.organization, acme);
      told = await again.next();
    }
    await world.application.database.db.deleteFrom('change_log').execute();
    const late = await listen(t, world, 'viewer', path, last?.id);
    assert.equal((await late.next())?.kind, 'everything');
    const odd = await listen(t, world, 'viewer', path, '999999999.999');
    assert.equal((await odd.next())?.kind, 'everything');
  });

  test('tells of new message events by their cursor', async (t) => {
    const world = await openManagementWorld(t, kind);
    const { acme, application } = world;
    const reader = await listen(t, world, 'viewer', `/organizations/${acme}/events/stream`);
    let value = 0;
    const told = await heard(reader, async () => {
      value += 1;
      await application.database.db
        .insertInto('message_counter')
        .values({ organization_id: acme, value, forgotten: 0 })
        .onConflict((conflict) => conflict.column('organization_id').doUpdateSet({ value }))
        .execute();
    });
    assert.equal(told?.kind, 'message-event');
    assert.match(told?.subject ?? '', /^e[0-9a-z]+$/);
  });

  test('ends with the session that reads it', async (t) => {
    const world = await openManagementWorld(t, kind, { beatMs: 20 });
    const reader = await listen(t, world, 'viewer', `/organizations/${world.acme}/events/stream`);
    world.forget('viewer');
    assert.equal(await reader.next(), undefined);
  });

  test('ends at once when its reader may read no longer, whatever made it so', async (t) => {
    const world = await openManagementWorld(t, kind, { beatMs: 1e8 });
    const { feed } = world.application;
    const path = `/organizations/${world.acme}/events/stream`;
    for (const [who, change] of [
      ['viewer', 'session'],
      ['admin', 'account'],
      ['owner', 'organization'],
    ] as const) {
      const [reader, other] = [await listen(t, world, who, path), await listen(t, world, 'developer', path)];
      world.forget(who);
      await feed.write(async (_trx, note) => note(change, who));
      assert.equal(await reader.next(), undefined, change);
      assert.ok(await heard(other, () => world.createDeployment()), 'whoever may read goes on');
    }
  });

  test('ends at once when its reader loses the right while it is being opened', { timeout: 20_000 }, async (t) => {
    const world = await openManagementWorld(t, kind, { beatMs: 1e8 });
    const { organizations, feed } = world.application;
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { exists } = organizations;
    Object.assign(organizations, {
      exists: async (id: string) => {
        asked.resolve();
        await answered.promise;
        return exists(id);
      },
    });
    const opening = listen(t, world, 'operator', `/organizations/${world.acme}/events/stream`);
    await asked.promise;
    world.forget('operator');
    await feed.write(async (_trx, note) => note('account', 'operator'));
    answered.resolve();
    assert.equal(await (await opening).next(), undefined);
  });

  test('is neither kept open by a flood of requests, nor counted as requests, nor as a use of the session', async (t) => {
    const settings = { apiRequestsPerMinute: 3, apiAddressRequestsPerMinute: 4 };
    const world = await openManagementWorld(t, kind, { beatMs: 10, settings });
    const reader = await listen(t, world, 'viewer', `/organizations/${world.acme}/events/stream`);
    while (world.lookedAt('viewer') < 10) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(world.used('viewer'), 1);
    assert.equal((await world.request('viewer', 'GET', '/me')).status, 200);
    for (let count = 0; count < 5; count++) await world.request('viewer', 'GET', '/me');
    assert.equal((await world.request('viewer', 'GET', '/me')).status, 429);
    world.forget('viewer');
    assert.equal(await reader.next(), undefined);
  });

  test('is refused beyond the limits of an actor and of the node', async (t) => {
    const settings = { eventStreams: 3, eventStreamsPerActor: 2 };
    const world = await openManagementWorld(t, kind, { settings });
    const path = `/organizations/${world.acme}/events/stream`;
    const statuses = [];
    for (const who of ['viewer', 'viewer', 'viewer', 'owner', 'admin']) {
      statuses.push((await listen(t, world, who, path)).status);
    }
    assert.deepEqual(statuses, [200, 200, 429, 200, 503]);
  });
});
