import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { DatabaseKind } from '../../database/database.ts';
import { migrations } from '../../database/schema/migrations/list.ts';
import { takeServeLock } from '../../database/sqlite/serve-lock.ts';
import { freshDatabase, onBothDatabases } from '../../database/testing.ts';
import { createKeyRing, loadKeyRing } from '../../secrets/master-key-file.ts';
import { runCommandLine } from '../command-line.ts';
import { fakeTerminal, temporaryFolder } from '../terminal.testing.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `waxwing migrate` again and again on one database that is empty at first. */
async function migrator(context: TestContext, kind: DatabaseKind) {
  const folder = temporaryFolder(context);
  const umask = process.umask();
  context.after(() => process.umask(umask));
  const environment: Record<string, string> = {};
  if (kind === 'postgres') {
    const fresh = await freshDatabase(kind, { empty: true });
    context.after(() => fresh.close());
    assert.ok(fresh.options.kind === 'postgres');
    environment.WAXWING_DATABASE_URL = fresh.options.url;
  }
  async function run(...options: string[]): Promise<Ran> {
    const terminal = fakeTerminal(folder, '', environment);
    const code = await runCommandLine(['migrate', ...options], terminal);
    return { code, ...terminal.written };
  }
  return { data: join(folder, 'data'), run };
}

const allSteps = migrations.map(({ id, name }) => ({ id, name }));
const newest = migrations.length;

onBothDatabases('waxwing migrate', (_open, kind) => {
  test('takes every step of an empty database, and says so to people', async (context) => {
    const { run } = await migrator(context, kind);
    const lines = allSteps.map(({ id, name }) => `  ${id} ${name}\n`).join('');
    assert.deepEqual(await run(), {
      code: 0,
      out: `The database has schema ${newest} now. Steps taken:\n${lines}`,
      err: '',
    });
    assert.equal((await run()).out, `The database has schema ${newest} already; nothing to do.\n`);
  });

  test('tells scripts which steps it took', async (context) => {
    const { run } = await migrator(context, kind);
    assert.deepEqual(JSON.parse((await run('--json')).out), { from: 0, to: newest, steps: allSteps });
    assert.deepEqual(JSON.parse((await run('--json')).out), { from: newest, to: newest, steps: [] });
  });

  test('two at once take each step once, and neither fails', async (context) => {
    const { run } = await migrator(context, kind);
    const both = await Promise.all([run('--json'), run('--json')]);
    assert.deepEqual(
      both.map(({ code, err }) => [code, err]),
      [
        [0, ''],
        [0, ''],
      ],
    );
    // Each step by one of them, whichever was there first.
    const taken = both.flatMap(({ out }) => (JSON.parse(out) as { steps: { id: number }[] }).steps);
    assert.deepEqual(
      taken.sort((left, right) => left.id - right.id),
      allSteps,
    );
  });

  test('touches the data folder only where the database is', async (context) => {
    const { data, run } = await migrator(context, kind);
    await run();
    assert.equal(existsSync(data), kind === 'sqlite');
    assert.equal(existsSync(join(data, 'master.key')), false);
    if (kind === 'postgres') return;
    for (const name of ['', 'waxwing.db', 'serve.lock']) {
      assert.equal(statSync(join(data, name)).mode & 0o077, 0, name);
    }
    const lock = await takeServeLock(join(data, 'serve.lock'));
    assert.ok(lock, 'it left the lock');
    lock.release();
  });

  test('beside a key that was in use it makes nothing of an empty database, until a new instance is begun', async (context) => {
    const { data, run } = await migrator(context, kind);
    const made = createKeyRing(join(data, 'master.key'), 5);
    const refused = await run();
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(
      refused.err,
      /There is no database, or an empty one, but a master key in .*"waxwing migrate --new" begins/,
    );
    assert.deepEqual((await run()).err, refused.err, 'it made nothing');
    assert.equal(existsSync(join(data, 'waxwing.db')), false);

    const begun = await run('--new');
    assert.deepEqual([begun.code, begun.err], [0, '']);
    assert.equal((await run()).code, 0);
    assert.deepEqual(loadKeyRing(join(data, 'master.key')), made);
    const again = await run('--new');
    assert.deepEqual([again.code, again.out], [1, '']);
    assert.match(again.err, new RegExp(`holds an instance already, whose master key is ${made.current.id}`));
  });

  test('a new instance without a key gets one', async (context) => {
    const { data, run } = await migrator(context, kind);
    assert.equal((await run()).code, 0);
    assert.equal((await run('--new')).code, 0);
    assert.ok(existsSync(join(data, 'master.key')));
  });
});
