import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DatabaseUnavailable } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import { NotWritable } from '../database/sql/database-errors.ts';
import { onBothDatabases } from '../database/testing.ts';
import { addKey, loadKeyRing } from '../secrets/master-key-file.ts';
import { listNodes, nodeTimeoutMs, putNode } from './instance-store.ts';
import { openInstanceWorld } from './instance-world.testing.ts';
import type { MasterKeys } from './master-keys.ts';
import { createNodeHeartbeat } from './node-heartbeat.ts';
import { readNodeId } from './node-identity.ts';

const silent = { info() {}, error() {} };
const recent = { messages: { sum: () => 0 }, retrievals: { sum: () => 0 } };

onBothDatabases("a node's heartbeat", (_open, kind) => {
  test('says what it holds again and again, and that it is gone when it stops', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const node = await world.start('one');
    const { database, keys } = node;
    const before = await databaseNow(database);
    const idle = { recent_messages: 0, recent_retrievals: 0 };
    const old = { ...idle, id: 'old', version: '1', started_at: 1, seen_at: before - 25 * 3_600_000, key_ids: '[]' };
    await putNode(database.db, old);
    await putNode(database.db, { ...old, id: 'other', seen_at: before });
    const stop = new AbortController();
    const rounds: unknown[] = [];
    const first = keys.ring().current.id;
    const heartbeat = createNodeHeartbeat({
      database,
      databaseNow: () => databaseNow(database),
      nodeId: 'one',
      version: '1.2.3',
      keys,
      recent: { messages: { sum: () => 10 * rounds.length + 5 }, retrievals: { sum: () => 7 } },
      log: silent,
      async wait(ms, signal) {
        assert.ok(ms * 3 < nodeTimeoutMs, 'two lost beats do not make it look gone');
        assert.equal(signal, stop.signal);
        const nodes = await listNodes(database.db);
        const own = nodes.find(({ id }) => id === 'one');
        assert.deepEqual(
          nodes.map(({ id }) => id),
          ['one', 'other'],
        );
        assert.ok(own !== undefined && own.seen_at >= before && own.started_at <= own.seen_at);
        assert.equal(own.version, '1.2.3');
        assert.deepEqual([own.recent_messages, own.recent_retrievals], [10 * rounds.length + 5, 7]);
        rounds.push(JSON.parse(own.key_ids));
        if (rounds.length === 1) addKey(node.file, loadKeyRing(node.file), 2);
        if (rounds.length === 2) stop.abort();
      },
    });
    await heartbeat.run(stop.signal);
    const second = loadKeyRing(node.file).current.id;
    // An unused key is announced, but not first.
    assert.deepEqual(rounds, [[first], [first, second]]);
    assert.deepEqual(
      (await listNodes(database.db)).map(({ id }) => id),
      ['other'],
    );
  });

  test('a key file that cannot be used is told, and yet the node is announced with what it holds', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { database, keys, file } = await world.start('one');
    const stop = new AbortController();
    const told: unknown[] = [];
    const log = {
      error: (fields: object, words: string) => told.push([(fields as { err: Error }).err.message, words]),
      info: (words: string) => told.push(words),
    } as unknown as Parameters<typeof createNodeHeartbeat>[0]['log'];
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    let beats = 0;
    const wait = async () => {
      beats += 1;
      const [own] = await listNodes(database.db);
      assert.deepEqual(JSON.parse(own?.key_ids ?? ''), [keys.ring().current.id]);
      assert.deepEqual(keys.lacking(), [], 'it can do what it has to do');
      if (beats === 13) writeFileSync(file, text, { mode: 0o600 });
      if (beats === 14) stop.abort();
    };
    await createNodeHeartbeat({
      database,
      databaseNow: () => databaseNow(database),
      nodeId: 'one',
      version: '1',
      keys,
      recent,
      log,
      wait,
    }).run(stop.signal);
    const words = 'the master key file cannot be used';
    const fault = (told[0] as string[])[0] ?? '';
    assert.match(fault, /Restore the file/);
    // At once, and again after a minute.
    assert.deepEqual(told, [[fault, words], [fault, words], 'the master key file is in order again']);
  });

  test('knows whether the database can be written, once it has tried again', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { database, keys } = await world.start('one');
    const stop = new AbortController();
    const faults = [undefined, new NotWritable('full'), new DatabaseUnavailable('gone'), undefined];
    const found: boolean[] = [];
    const heartbeat = createNodeHeartbeat({
      ...{ database, nodeId: 'one', version: '1', recent, databaseNow: async () => 0, log: silent },
      keys: {
        ...keys,
        async reload() {
          const fault = faults.shift();
          if (fault !== undefined) throw fault;
        },
      },
      async wait() {
        found.push(heartbeat.canWrite());
        if (faults.length === 0) stop.abort();
      },
    });
    await heartbeat.run(stop.signal);
    assert.deepEqual(found, [true, false, false, true]);
  });

  test('takes the place of an earlier run, and finds a fault in another that runs under the same name', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { database, keys } = await world.start('one');
    const stop = new AbortController();
    const own = async () => (await listNodes(database.db)).find(({ id }) => id === 'one');
    const idle = { version: '0', key_ids: '[]', recent_messages: 0, recent_retrievals: 0 };
    await putNode(database.db, { ...idle, id: 'one', started_at: 1, seen_at: 1 });
    const beats: (() => Promise<void>)[] = [
      async () => assert.notEqual((await own())?.started_at, 1),
      () => putNode(database.db, { ...idle, id: 'one', started_at: 2, seen_at: 2 }),
      () => assert.fail('it must not go on'),
    ];
    const wait = () => beats.shift()?.() ?? assert.fail();
    const heartbeat = createNodeHeartbeat({
      database,
      databaseNow: () => databaseNow(database),
      nodeId: 'one',
      version: '1',
      keys,
      recent,
      log: silent,
      wait,
    });
    await assert.rejects(heartbeat.run(stop.signal), /under the name of this one, one, .* delete the file node-id/);
    assert.deepEqual([(await own())?.started_at, beats.length], [2, 1]);
    // Each stops without the other's row.
    beats.splice(0, 1, async () => {
      await putNode(database.db, { ...idle, id: 'one', started_at: 2, seen_at: 2 });
      stop.abort();
    });
    await heartbeat.run(stop.signal);
    assert.equal((await own())?.started_at, 2);
  });

  test('an outage does not end it', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { database, keys } = await world.start('one');
    const stop = new AbortController();
    let rounds = 0;
    const failing: Pick<MasterKeys, 'ring' | 'reload' | 'lacking'> = {
      ...keys,
      async reload() {
        if (rounds === 0) throw new DatabaseUnavailable('down');
      },
    };
    const heartbeat = createNodeHeartbeat({
      database,
      databaseNow: () => databaseNow(database),
      nodeId: 'one',
      version: '1',
      keys: failing,
      recent,
      log: silent,
      async wait() {
        rounds += 1;
        if (rounds === 2) stop.abort();
      },
    });
    await heartbeat.run(stop.signal);
    assert.equal(rounds, 2);
  });
});

test('the name of a server is made once for its data folder, also when a kill left it empty', (t) => {
  const folder = dataFolder(t);
  const name = readNodeId(folder, 'sqlite');
  assert.match(name, /^.+-[0-9a-f]{8}$/);
  assert.equal(readNodeId(folder, 'sqlite'), name);
  writeFileSync(join(folder, 'node-id'), '');
  const again = readNodeId(folder, 'sqlite');
  assert.match(again, /^.+-[0-9a-f]{8}$/);
  assert.equal(readFileSync(join(folder, 'node-id'), 'utf8'), `${again}\n`);
  assert.equal(readNodeId(folder, 'sqlite'), again);
});

test('on a database that others share, the copy of a data folder has a name of its own, and the folder keeps its name', (t) => {
  const folder = dataFolder(t);
  writeFileSync(join(folder, 'serve.lock'), '');
  const name = readNodeId(folder, 'postgres');
  assert.match(name, new RegExp(`^${readNodeId(folder, 'sqlite')}\\.[0-9a-f]{8}$`));
  const copy = dataFolder(t);
  cpSync(folder, copy, { recursive: true });
  assert.equal(readNodeId(copy, 'sqlite'), readNodeId(folder, 'sqlite'));
  assert.notEqual(readNodeId(copy, 'postgres'), name);
  // On other systems each run has its own name.
  if (process.platform === 'linux') assert.equal(readNodeId(folder, 'postgres'), name);
});

function dataFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-identity-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
