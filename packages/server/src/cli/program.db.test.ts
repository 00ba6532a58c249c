import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { DatabaseKind } from '../database/database.ts';
import { freshDatabase, onBothDatabases, reasonToSkip } from '../database/testing.ts';
import { runProgram, startServe } from './program.testing.ts';
import { temporaryFolder } from './terminal.testing.ts';

/** The settings that lead the program to an empty database. */
async function environmentFor(context: TestContext, kind: DatabaseKind): Promise<Record<string, string>> {
  if (kind === 'sqlite') return {};
  const fresh = await freshDatabase(kind, { empty: true });
  context.after(() => fresh.close());
  assert.ok(fresh.options.kind === 'postgres');
  return { WAXWING_DATABASE_URL: fresh.options.url };
}

onBothDatabases('The program', (_open, kind) => {
  test('commands do the same without a server and beside one, and the server stops cleanly', async (context) => {
    const folder = temporaryFolder(context);
    const environment = await environmentFor(context, kind);
    const run = (...argv: string[]) => runProgram(folder, argv, environment);
    assert.equal((await run('migrate')).code, 0);
    assert.equal((await run('organization', 'create', '--name', 'Before')).code, 0);

    const server = await startServe(context, folder, environment);
    const [greeting = '', hint = ''] = server.greeting.map((line) => (JSON.parse(line) as { msg: string }).msg);
    assert.match(greeting, /^Waxwing \d+\.\d+\.\d+ listens on http:\/\/127\.0\.0\.1:\d+ /);
    assert.match(hint, /first operator: npx --no waxwing operator create --email you@example\.com$/);
    assert.equal((await fetch(new URL('/readyz', server.url))).status, 200);
    assert.equal((await run('operator', 'create', '--email', 'ops@example.com')).code, 0);
    assert.equal((await run('organization', 'create', '--name', 'Beside')).code, 0);
    const listed: { name: string }[] = JSON.parse((await run('organization', 'list', '--json')).out);
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['Before', 'Beside'],
    );

    const health = await run('doctor', '--json');
    const { checks }: { checks: { name: string; state: string }[] } = JSON.parse(health.out);
    const states = checks.map(({ name, state }) => `${name} ${state}`);
    assert.equal(health.code, 0, health.out);
    assert.ok(states.includes('server ok') && states.includes('database ok'), states.join());

    server.signal('SIGTERM');
    const { code, log } = await server.ended;
    assert.equal(code, 0, log);
    assert.match(log, /"msg":"stopped"/);
    assert.equal(existsSync(join(folder, 'data', 'control.sock')), false);

    const again = await startServe(context, folder, environment);
    assert.equal(again.greeting.length, 1);
    again.signal('SIGINT');
    assert.equal((await again.ended).code, 0);
  });

  test('a second server on the same folder is refused, and so is a migration beside one', async (context) => {
    const folder = temporaryFolder(context);
    const environment = await environmentFor(context, kind);
    const first = await startServe(context, folder, environment);
    const [second, migrated] = await Promise.all([
      runProgram(folder, ['serve'], { ...environment, WAXWING_LISTEN: '127.0.0.1:0' }),
      runProgram(folder, ['migrate'], environment),
    ]);
    assert.deepEqual([second.code, second.out], [1, '']);
    assert.match(
      second.err,
      new RegExp(`already: it holds serve\\.lock there, and says that it is process ${first.pid}\\.`),
    );
    if (kind === 'sqlite') assert.match(migrated.err, /^error: A server runs on this database, and has migrated it/);
    // On PostgreSQL other nodes may run whatever happens here; the lock is in the database.
    else assert.match(migrated.out, /nothing to do/);
  });

  test('a key that was in use does not begin an instance on an empty database', async (context) => {
    const folder = temporaryFolder(context);
    const former = await startServe(context, folder, await environmentFor(context, kind));
    former.signal('SIGTERM');
    await former.ended;
    for (const name of readdirSync(join(folder, 'data'))) {
      if (name !== 'master.key') rmSync(join(folder, 'data', name));
    }
    const environment = { WAXWING_LISTEN: '127.0.0.1:0', ...(await environmentFor(context, kind)) };
    const run = (...argv: string[]) => runProgram(folder, argv, environment);
    for (const _time of ['first', 'second']) {
      const { code, out, err } = await run('serve');
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /^error: There is no database, or an empty one, but a master key in /);
    }
    const health = await run('doctor', '--json');
    assert.match(health.out, /"code": ?"database_lost"/);
    assert.equal((await run('migrate', '--new')).code, 0);
    await startServe(context, folder, environment);
  });
});

const shared = { skip: reasonToSkip('postgres'), timeout: 60_000 };

test(
  'A server on a copied data folder is one more server, and each push has one that makes it',
  shared,
  async (context) => {
    const fresh = await freshDatabase('postgres', { empty: true });
    context.after(() => fresh.close());
    assert.ok(fresh.options.kind === 'postgres');
    const environment = { WAXWING_DATABASE_URL: fresh.options.url, WAXWING_PUSH_LEASE: '2s' };
    const { db } = fresh.database;
    const until = async (look: () => Promise<boolean>) => {
      while (!(await look())) await delay(50, undefined, { signal: context.signal });
    };
    const nodes = async () => (await db.selectFrom('node').select('id').orderBy('id').execute()).map(({ id }) => id);
    const shards = () => db.selectFrom('lease').selectAll().where('name', 'like', 'push/%').orderBy('name').execute();
    const holders = async () => [...new Set((await shards()).map(({ holder }) => holder))].sort();

    const original = temporaryFolder(context);
    const copy = temporaryFolder(context);
    await startServe(context, original, environment);
    for (const file of ['node-id', 'master.key', 'serve.lock']) {
      cpSync(join(original, 'data', file), join(copy, 'data', file));
    }
    await startServe(context, copy, environment);
    await until(async () => (await nodes()).length === 2 && isDeepStrictEqual(await holders(), await nodes()));
    const first = await shards();
    const counts = (await nodes()).map((id) => first.filter(({ holder }) => holder === id).length);
    assert.deepEqual(counts, [32, 32]);
    // Each is renewed again and again, and never taken.
    await until(async () => (await shards()).every((lease, index) => lease.until > (first[index]?.until ?? 0) + 2_000));
    assert.deepEqual(
      (await shards()).map(({ epoch }) => epoch),
      first.map(({ epoch }) => epoch),
    );
  },
);
