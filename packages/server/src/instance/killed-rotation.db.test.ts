import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../database/open-database.ts';
import { onBothDatabases } from '../database/testing.ts';
import { loadKeyRing } from '../secrets/master-key-file.ts';
import { listMasterKeys } from './instance-store.ts';
import { openAll, openInstanceWorld, startNode } from './instance-world.testing.ts';

const kills = process.env.WAXWING_TEST_SCALE === 'full' ? 50 : 5;
const victim = fileURLToPath(new URL('./rotation-victim.testing.ts', import.meta.url));

onBothDatabases('killing a process that seals and rotates', (_open, kind) => {
  test(`${kills} times loses no secret, and file and database agree after the next rotation`, async (t) => {
    const world = await openInstanceWorld(t, kind);
    const file = world.fileOf('one');
    const told = { note: 0, key: 0 };
    for (let kill = 1; kill <= kills; kill += 1) {
      const child = spawn(process.execPath, [victim, JSON.stringify(world.options), file, `${kill}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      const closed = once(child, 'close');
      // Each kill meets another step, after at least one finished rotation.
      let lines = 3 + kill * 2;
      createInterface({ input: child.stdout }).on('line', (line) => {
        told[line.startsWith('note ') ? 'note' : 'key'] += 1;
        lines -= 1;
        if (lines <= 0 && told.key > 0) child.kill('SIGKILL');
      });
      assert.deepEqual(await closed, [null, 'SIGKILL']);
      const database = await openDatabase(world.options);
      try {
        const node = await startNode('victim', database, file);
        const sealed = await openAll(node, node.keys.ring());
        // The audit key counts as well, and the last note of each round may be unreported.
        assert.ok(sealed - 1 >= told.note && sealed - 1 <= told.note + kill, `${sealed} of ${told.note}`);
        assert.equal(await openAll(node, loadKeyRing(file)), sealed);
        assert.deepEqual((await node.audit.verify()).faults, []);
        if (kill % 2 === 0) {
          const { keyId } = await node.keys.rotate('cli');
          assert.deepEqual(
            loadKeyRing(file).keys.map((key) => key.id),
            [keyId],
          );
          assert.deepEqual(
            (await listMasterKeys(database.db)).map((row) => row.id),
            [keyId],
          );
          assert.equal(await openAll(node, loadKeyRing(file)), sealed);
        }
      } finally {
        await database.close();
      }
    }
    assert.ok(told.note > kills && told.key > 0, JSON.stringify(told));
  });
});
