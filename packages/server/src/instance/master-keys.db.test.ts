import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import type { Database } from '../database/database.ts';
import { databaseNow } from '../database/database-clock.ts';
import { onBothDatabases } from '../database/testing.ts';
import { systemClock } from '../runtime/clock.ts';
import { keyById } from '../secrets/key-ring.ts';
import { addKey, createFirstKey, createKeyRing, loadKeyRing } from '../secrets/master-key-file.ts';
import { openAuditKey } from './audit-key.ts';
import { deleteMasterKeysExcept, insertMasterKey, listMasterKeys, putNode } from './instance-store.ts';
import {
  type InstanceWorld,
  keepNote,
  openAll,
  openInstanceWorld,
  problem,
  type TestNode,
} from './instance-world.testing.ts';
import { LostDatabase } from './lost-database.ts';
import { createMasterKeys, openMasterKeys, type SealedStore } from './master-keys.ts';

const field = 'WAXWING_MASTER_KEY_FILE';

const idsIn = async (database: Database) => (await listMasterKeys(database.db)).map((row) => row.id);
const idsOn = (file: string) => loadKeyRing(file).keys.map((key) => key.id);

async function startWithNotes(world: InstanceWorld, notes = 5): Promise<TestNode> {
  const node = await world.start('one');
  for (let n = 0; n < notes; n += 1) await keepNote(node.database, node.keys.ring, `${n}`);
  return node;
}

async function announce({ database, keys }: TestNode, id: string): Promise<void> {
  const now = await databaseNow(database);
  const ring = keys.ring();
  const key_ids = JSON.stringify(ring.keys.map((key) => key.id));
  const idle = { recent_messages: 0, recent_retrievals: 0 };
  await putNode(database.db, { id, version: '1', started_at: now, seen_at: now, key_ids, ...idle });
}

/** The same keys with a failing store, as if the process had been killed there. */
function dyingAt(node: TestNode, dying: Partial<SealedStore>) {
  const needs = { database: node.database, file: node.file, clock: systemClock, nodeId: 'one' };
  const [auditKeys, notes] = node.stores as [SealedStore, SealedStore];
  return createMasterKeys(needs, node.audit, node.keys.ring(), [auditKeys, { ...notes, ...dying }]);
}

onBothDatabases('the master key', (_open, kind) => {
  test('is made where there is neither a file nor anything sealed, and found again at the next start', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const file = world.fileOf('one');
    const needs = { database: world.database, file, clock: systemClock };
    const ring = await openMasterKeys(needs);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(await idsIn(world.database), [ring.current.id]);
    assert.equal((await openMasterKeys(needs)).current.id, ring.current.id);
  });

  test('from a file that is there already is refused for a new database, unless the operator begins one', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const file = world.fileOf('one');
    const made = createKeyRing(file, 5);
    await assert.rejects(world.start('one'), problem('conflict', field, /There is no database.*waxwing migrate --new/));
    assert.deepEqual(await idsIn(world.database), []);
    await openMasterKeys({ database: world.database, file, clock: systemClock, isNew: true });
    assert.deepEqual(await idsIn(world.database), [made.current.id]);
    const { keys } = await world.start('one');
    assert.equal(keys.ring().current.id, made.current.id);
  });

  test('that was in use is refused for a database that knows no key', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { file, keys } = await world.start('one');
    await deleteMasterKeysExcept(world.database.db, 'none');
    await assert.rejects(world.start('one'), LostDatabase);
    assert.deepEqual(idsOn(file), [keys.ring().current.id]);
  });

  test('of a first start that was killed before its database remembered it is gone on with', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const file = world.fileOf('one');
    const made = createFirstKey(file, 5);
    const { keys } = await world.start('one');
    assert.deepEqual([keys.ring().current.id, ...idsOn(file)], [made.current.id, made.current.id]);
    assert.deepEqual(readdirSync(dirname(file)), ['one.key']);
    await world.start('one');
  });

  test('of a first start that was killed before the key got its name is gone on with', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { file, keys } = await world.start('one');
    renameSync(file, `${file}.first`);
    const restarted = await world.start('one');
    assert.equal(restarted.keys.ring().current.id, keys.ring().current.id);
    assert.deepEqual(readdirSync(dirname(file)), ['one.key']);
  });

  test('of a first start on another database is not taken for the lost one', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { file } = await world.start('one');
    rmSync(file);
    createFirstKey(file, 5);
    await assert.rejects(world.start('one'), problem('conflict', field, /There is no master key file/));
    assert.equal(existsSync(file), false);
  });

  test('that is missing for a database with sealed data is asked for, and none is made', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { file, keys } = await startWithNotes(world);
    rmSync(file);
    const words = new RegExp(`holds secrets sealed by master key ${keys.ring().current.id}.*Restore the file`);
    await assert.rejects(world.start('one'), problem('conflict', field, words));
    assert.deepEqual(readdirSync(dirname(file)), []);
  });

  test('of another instance is refused, and neither file nor database is changed', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { keys } = await startWithNotes(world);
    createKeyRing(world.fileOf('wrong'), 1);
    const before = readFileSync(world.fileOf('wrong'), 'utf8');
    await assert.rejects(world.start('wrong'), problem('conflict', field, /does not hold.*nothing was changed/s));
    assert.equal(readFileSync(world.fileOf('wrong'), 'utf8'), before);
    assert.deepEqual(await idsIn(world.database), [keys.ring().current.id]);
  });

  test('of the same id with other bytes is noticed before anything is opened or sealed by it', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const { file, keys } = await startWithNotes(world);
    const text = readFileSync(file, 'utf8').replace(/"key": "[0-9a-f]{64}"/, `"key": "${'ab'.repeat(32)}"`);
    writeFileSync(file, text);
    const words = new RegExp(`${keys.ring().current.id} in .* is not the one`);
    await assert.rejects(world.start('one'), problem('conflict', field, words));
    assert.equal(readFileSync(file, 'utf8'), text);
  });

  test('is the first one of several nodes that start at once; the others are refused and make no file', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const databases = [world.database, await world.connect(), await world.connect()];
    const names = ['a', 'b', 'c'];
    const started = await Promise.allSettled(names.map((name, n) => world.start(name, databases[n])));
    assert.deepEqual(started.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected', 'rejected']);
    for (const [n, outcome] of started.entries()) {
      assert.equal(existsSync(world.fileOf(names[n] ?? '')), outcome.status === 'fulfilled');
      if (outcome.status === 'rejected') problem('conflict', field, /Restore the file/)(outcome.reason);
    }
    assert.equal((await idsIn(world.database)).length, 1);
  });

  test('and the key of the audit trail are the same for nodes that start at once on one file', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const databases = [world.database, await world.connect(), await world.connect()];
    const nodes = await Promise.all(databases.map((database) => world.start('shared', database)));
    const ids = new Set(nodes.map(({ keys }) => keys.ring().current.id));
    assert.deepEqual([...ids], await idsIn(world.database));
    const auditKeys = await Promise.all(nodes.map(({ database, keys }) => openAuditKey(database, keys.ring())));
    assert.equal(new Set(auditKeys.map((key) => key.toString('hex'))).size, 1);
  });
});

onBothDatabases('the rotation of master keys', (_open, kind) => {
  test('wraps everything by a new key, forgets the old one, and is recorded', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const node = await startWithNotes(world);
    const former = node.keys.ring().current;
    const done = await node.keys.rotate('cli');
    assert.deepEqual({ ...done, keyId: '' }, { keyId: '', rewrapped: 6, resumed: false });
    assert.notEqual(done.keyId, former.id);
    assert.deepEqual([idsOn(node.file), await idsIn(world.database)], [[done.keyId], [done.keyId]]);
    assert.equal(await openAll(node, loadKeyRing(node.file)), 6);
    // A secret read a moment ago still opens here.
    assert.ok(keyById(node.keys.ring(), former.id) !== undefined);
    const [entry] = await node.audit.list({ limit: 1 });
    assert.deepEqual([entry?.action, entry?.actor, entry?.subject], ['master-key.rotate', 'cli', done.keyId]);
    const restarted = await world.start('one');
    assert.deepEqual((await restarted.audit.verify()).faults, []);
    assert.equal(await openAll(restarted, restarted.keys.ring()), 6);
  });

  test('goes through more secrets than one chunk holds', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const node = await startWithNotes(world, 0);
    await Promise.all(Array.from({ length: 450 }, (_, n) => keepNote(node.database, node.keys.ring, `${n}`)));
    assert.equal((await node.keys.rotate('cli')).rewrapped, 451);
    assert.equal(await openAll(node, loadKeyRing(node.file)), 451);
  });

  test('leaves nothing behind that was sealed by the old key while it ran', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const node = await startWithNotes(world);
    const former = node.keys.ring();
    const [, notes] = node.stores as [SealedStore, SealedStore];
    let late = 0;
    const keys = dyingAt(node, {
      async rewrap(ring, limit) {
        const done = await notes.rewrap(ring, limit);
        if (done === 0 && late < 3) await keepNote(node.database, () => former, `late ${late++}`);
        return done;
      },
    });
    assert.equal((await keys.rotate('cli')).rewrapped, 9);
    assert.equal(await openAll(node, loadKeyRing(node.file)), 9);
  });

  test('is refused while another one is under way here', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const node = await startWithNotes(world);
    const [one, other] = await Promise.allSettled([node.keys.rotate('cli'), node.keys.rotate('cli')]);
    assert.equal(one.status, 'fulfilled');
    assert.ok(other.status === 'rejected');
    problem('conflict', undefined, /running already/)(other.reason);
    assert.equal((await node.keys.rotate('cli')).resumed, false);
  });

  const killed = () => Promise.reject(new Error('killed'));
  const deaths: readonly (readonly [when: string, die: (node: TestNode) => Promise<unknown>])[] = [
    ['after the file got its new key', async (node) => addKey(node.file, loadKeyRing(node.file), 2)],
    [
      'after the database learned of the new key',
      async (node) => {
        const { current } = addKey(node.file, loadKeyRing(node.file), 2);
        const { keyCheck } = await import('../secrets/key-material.ts');
        const row = { id: current.id, key_check: keyCheck(current.key), created_at: current.createdAt };
        await insertMasterKey(node.database.db, row);
      },
    ],
    ['before anything of a store was wrapped', (node) => dyingAt(node, { rewrap: killed }).rotate('cli')],
    [
      'in the middle of a store',
      (node) => {
        const [, notes] = node.stores as [SealedStore, SealedStore];
        let calls = 0;
        const rewrap = (ring: Parameters<SealedStore['rewrap']>[0]) => (calls++ < 2 ? notes.rewrap(ring, 1) : killed());
        return dyingAt(node, { rewrap }).rotate('cli');
      },
    ],
    ['before the database forgot the old key', (node) => dyingAt(node, { keysInUse: killed }).rotate('cli')],
    [
      'before the file forgot the old key',
      async (node) => {
        const both = addKey(node.file, loadKeyRing(node.file), 2);
        writeFileSync(`${node.file}.both`, readFileSync(node.file), { mode: 0o600 });
        await node.keys.rotate('cli');
        copyFileSync(`${node.file}.both`, node.file);
        assert.deepEqual(await idsIn(node.database), [both.current.id]);
      },
    ],
  ];

  for (const [when, die] of deaths) {
    test(`killed ${when}, a restarted server opens and seals everything, and the next rotation finishes it`, async (t) => {
      const world = await openInstanceWorld(t, kind);
      const node = await startWithNotes(world);
      const former = node.keys.ring().current.id;
      await die(node).catch((error: Error) => assert.equal(error.message, 'killed'));
      assert.equal(idsOn(node.file).length, 2);

      const restarted = await world.start('one');
      const { current } = restarted.keys.ring();
      assert.ok((await idsIn(world.database)).includes(current.id), 'it seals by a key that the database remembers');
      await keepNote(restarted.database, restarted.keys.ring, 'sealed after the restart');
      assert.equal(await openAll(restarted, restarted.keys.ring()), 7);
      assert.equal(await openAll(restarted, loadKeyRing(node.file)), 7);

      const wanted = loadKeyRing(node.file).current.id;
      const done = await restarted.keys.rotate('cli');
      assert.deepEqual([done.keyId, done.resumed], [wanted, true]);
      assert.deepEqual([idsOn(node.file), await idsIn(world.database)], [[wanted], [wanted]]);
      assert.equal(await openAll(restarted, loadKeyRing(node.file)), 7);
      const next = await restarted.keys.rotate('cli');
      assert.equal(next.resumed, false);
      assert.ok(![former, wanted].includes(next.keyId));
      assert.equal(await openAll(restarted, loadKeyRing(node.file)), 7);
      assert.deepEqual((await restarted.audit.verify()).faults, []);
    });
  }

  test('waits for every living node to hold the new key; until then all of them go on with the old one', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const one = await startWithNotes(world);
    copyFileSync(one.file, world.fileOf('two'));
    const two = await world.start('two', await world.connect());
    const former = one.keys.ring().current.id;
    await announce(one, 'one');
    await announce(two, 'two');
    // Written by a clock that was ahead: the rotation does not wait for that server.
    const seen_at = (await databaseNow(one.database)) + 3_600_000;
    const idle = { recent_messages: 0, recent_retrievals: 0 };
    await putNode(one.database.db, { id: 'ahead', version: '1', started_at: 1, seen_at, key_ids: '[]', ...idle });

    const refused = problem('conflict', field, /not yet on 1 other server\(s\): two\. Copy the file there/);
    await assert.rejects(one.keys.rotate('cli'), refused);
    await assert.rejects(one.keys.rotate('cli'), refused);
    await one.keys.reload();
    assert.equal(one.keys.ring().current.id, former);
    assert.deepEqual(await idsIn(world.database), [former]);
    await keepNote(one.database, one.keys.ring, 'sealed while it waits');
    assert.equal(await openAll(two, two.keys.ring()), 7);

    copyFileSync(one.file, two.file);
    await two.keys.reload();
    assert.equal(two.keys.ring().current.id, former, 'the new key is held, and not used before the rotation begins');
    await announce(two, 'two');
    const done = await one.keys.rotate('cli');
    assert.equal(done.resumed, true);
    assert.equal(await openAll(two, two.keys.ring()), 7);
    await two.keys.reload();
    assert.equal(two.keys.ring().current.id, done.keyId);
    assert.deepEqual((await two.audit.verify()).faults, []);
    // The second server's file still has both keys. It starts, and finishing there makes no third key.
    await announce(one, 'one');
    const again = await world.start('two', two.database);
    assert.deepEqual(await again.keys.rotate('cli').then(({ keyId, resumed }) => [keyId, resumed]), [done.keyId, true]);
    assert.deepEqual(idsOn(two.file), [done.keyId]);
  });

  test('does not wait for nodes that were not heard of for long, nor for what this one announced before', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const one = await startWithNotes(world);
    await announce(one, 'one');
    await announce(one, 'dead');
    const long = (await databaseNow(world.database)) - 21_000;
    await world.database.db.updateTable('node').set({ seen_at: long }).where('id', '=', 'dead').execute();
    assert.equal((await one.keys.rotate('cli')).resumed, false);
  });

  test('by two nodes that hold the same keys at the same time ends with one key and everything open', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const one = await startWithNotes(world, 20);
    addKey(one.file, loadKeyRing(one.file), 2);
    copyFileSync(one.file, world.fileOf('two'));
    const two = await world.start('two', await world.connect());
    await one.keys.reload();
    const done = await Promise.all([one.keys.rotate('cli'), two.keys.rotate('cli')]);
    assert.equal(done[0]?.keyId, done[1]?.keyId);
    assert.deepEqual([idsOn(one.file), idsOn(two.file)], [[done[0]?.keyId], [done[0]?.keyId]]);
    assert.equal(await openAll(one, loadKeyRing(two.file)), 21);
  });

  test('a file changed by hand is read again, keys held stay held, and a file that lacks a needed key is refused', async (t) => {
    const world = await openInstanceWorld(t, kind);
    const one = await startWithNotes(world);
    const former = one.keys.ring();
    rmSync(one.file);
    await assert.rejects(one.keys.reload(), problem('conflict', field, /Restore the file/));
    createKeyRing(one.file, 1);
    await assert.rejects(one.keys.reload(), problem('conflict', field, /does not hold/));
    await assert.rejects(one.keys.rotate('cli'), problem('conflict', field, /does not hold/));
    assert.equal(one.keys.ring(), former);
    assert.equal(await openAll(one, one.keys.ring()), 6);
    await deleteMasterKeysExcept(world.database.db, 'none');
    await assert.doesNotReject(one.keys.reload());
    assert.ok(keyById(one.keys.ring(), former.current.id) !== undefined);
  });
});
