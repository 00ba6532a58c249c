import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram, startProgram, startServe } from './program.testing.ts';
import { temporaryFolder } from './terminal.testing.ts';

test('config shows the settings in force, without their secrets', async (context) => {
  const environment = {
    WAXWING_DATABASE_URL: 'postgres://waxwing:sesame@localhost/x',
    WAXWING_TIME_ZONE: 'Asia/Shanghai',
  };
  const shown = await runProgram(temporaryFolder(context), ['config'], environment);
  assert.deepEqual([shown.code, shown.err], [0, '']);
  assert.match(shown.out, /^WAXWING_TIME_ZONE +Asia\/Shanghai +given$/m);
  assert.doesNotMatch(shown.out, /sesame/);
});

test('wrong settings are all refused at once, with exit code 1', async (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'bad.env'), 'WAXWING_LISTEN=nowhere\nWAXWING_TIME_ZONE=Moon\n');
  const { code, out, err } = await runProgram(folder, ['organization', 'list', '--env-file', 'bad.env', '--json']);
  assert.deepEqual([code, out], [1, '']);
  const { code: problem, faults } = JSON.parse(err);
  assert.equal(problem, 'invalid_parameter');
  assert.deepEqual(
    faults.map((fault: { field: string }) => fault.field),
    ['WAXWING_LISTEN', 'WAXWING_TIME_ZONE'],
  );
});

test('wrong usage has exit code 2 and goes to stderr', async (context) => {
  const { code, out, err } = await runProgram(temporaryFolder(context), ['organization', 'create', '--nmae', 'x']);
  assert.deepEqual([code, out], [2, '']);
  assert.equal(err, 'error: There is no option --nmae; did you mean --name?\nSee: waxwing help organization create\n');
});

test('without a server the first command makes no instance; migrate does, and then commands work', async (context) => {
  const folder = temporaryFolder(context);
  const early = await runProgram(folder, ['organization', 'create', '--name', 'One']);
  assert.equal(early.code, 1);
  assert.match(early.err, /^error: There is no Waxwing database in .*WAXWING_DATA/);
  assert.equal(existsSync(join(folder, 'data')), false);
  assert.match((await runProgram(folder, ['migrate'])).out, /^The database has schema \d+ now/);
  assert.match((await runProgram(folder, ['migrate'])).out, /nothing to do/);
  const made = await runProgram(folder, ['organization', 'create', '--name', 'One', '--json']);
  assert.deepEqual([made.code, made.err], [0, '']);
  const listed = JSON.parse((await runProgram(folder, ['organization', 'list', '--json'])).out);
  assert.deepEqual(listed, [JSON.parse(made.out)]);
  for (const name of ['data', 'data/waxwing.db', 'data/master.key', 'data/serve.lock']) {
    assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  }
});

test('a reader that has seen enough is no error', async (context) => {
  const child = startProgram(temporaryFolder(context), ['--help']);
  child.stdout.destroy();
  const ended = once(child, 'close');
  const err = Buffer.concat(await child.stderr.toArray()).toString();
  assert.deepEqual([(await ended)[0], err], [0, '']);
});

test('a server that was killed leaves nothing that keeps the next one from starting', async (context) => {
  const folder = temporaryFolder(context);
  const killed = await startServe(context, folder);
  killed.signal('SIGKILL');
  await killed.ended;
  assert.ok(statSync(join(folder, 'data', 'control.sock')).isSocket());
  assert.equal((await runProgram(folder, ['organization', 'create', '--name', 'One'])).code, 0);
  const next = await startServe(context, folder);
  assert.match((await runProgram(folder, ['organization', 'list'])).out, /One/);
  next.signal('SIGTERM');
  assert.equal((await next.ended).code, 0);
});

test('a second signal ends a server at once that waits for a slow request', async (context) => {
  const server = await startServe(context, temporaryFolder(context));
  const slow = connect(Number(server.url.port), server.url.hostname);
  context.after(() => slow.destroy());
  slow.on('error', () => {});
  await once(slow, 'connect');
  slow.write('GET /healthz HTTP/1.1\r\n');
  // Answered, so that the slow one was taken before it too.
  await fetch(new URL('/healthz', server.url));
  server.signal('SIGINT');
  await server.logged('"msg":"stopping"');
  server.signal('SIGTERM');
  const { code, log } = await server.ended;
  assert.equal(code, 1);
  assert.doesNotMatch(log, /"msg":"stopped"/);
});

const refused: readonly [environment: Record<string, string>, message: RegExp][] = [
  [{ WAXWING_LISTEN: '0.0.0.0:0' }, /^error: 0\.0\.0\.0 is not a loopback address, and private keys would leave it/],
  [
    { WAXWING_LISTEN: '192.0.2.1:0', WAXWING_PLAIN_HTTP: 'allow' },
    /192\.0\.2\.1 port 0 cannot be listened on: this machine does not have that address/,
  ],
  [{ WAXWING_LISTEN: '127.0.0.1:0', WAXWING_DATA: 'x'.repeat(120) }, /too long a path for a socket/],
  [{ WAXWING_LISTEN: '127.0.0.1:0', WAXWING_DATA: '/dev/null/data' }, /The folder \/dev\/null\/data cannot be made/],
];
for (const [environment, message] of refused) {
  test(`serve with ${JSON.stringify(environment)} is refused with the reason`, async (context) => {
    const { code, out, err } = await runProgram(temporaryFolder(context), ['serve'], environment);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, message);
    assert.doesNotMatch(err, / at .*\.ts:/);
  });
}
