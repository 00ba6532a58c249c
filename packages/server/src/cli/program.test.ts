import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { assertTold } from '../instance/doctor/doctor-check.testing.ts';
import type { Check } from '../instance/doctor/doctor-check.ts';
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

test('a line of the settings file that cannot be read is refused with the rest, by its number alone', async (context) => {
  const folder = temporaryFolder(context);
  writeFileSync(join(folder, 'bad.env'), 'WAXWING_LISTEN=nowhere\nWAXWING_OIDC_CLIENT_SECRET: sesame\n');
  const { code, err } = await runProgram(folder, ['config', '--env-file', 'bad.env']);
  assert.equal(code, 1);
  assert.match(err, /--env-file: bad\.env has lines that are not NAME=value.*: 2\n/);
  assert.match(err, /WAXWING_LISTEN/);
  assert.doesNotMatch(err, /sesame/);
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

test('without its database a master key ends the start, as the doctor says, and what is left stays as it is', async (context) => {
  const folder = temporaryFolder(context);
  const run = (...argv: string[]) => runProgram(folder, argv, { WAXWING_LISTEN: '127.0.0.1:0' });
  const server = await startServe(context, folder);
  assert.equal((await run('organization', 'create', '--name', 'One')).code, 0);
  server.signal('SIGKILL');
  await server.ended;
  const database = join(folder, 'data', 'waxwing.db');
  const wal = readFileSync(`${database}-wal`);
  rmSync(database);

  const doctor = await run('doctor', '--json');
  const { checks }: { checks: Check[] } = JSON.parse(doctor.out);
  assertTold(checks);
  const lost = checks.find(({ code }) => code === 'database_lost');
  assert.ok(
    checks.some(({ code, message }) => code === 'database_log_orphaned' && message.includes(`${database}-wal`)),
  );
  for (const command of ['serve', 'migrate']) {
    const { code, out, err } = await run(command);
    assert.deepEqual([code, out], [1, '']);
    assert.ok(err.includes(`${lost?.message} ${lost?.remedy}`), err);
    assert.match(err, /waxwing migrate --new/);
    assert.equal(existsSync(database), false);
    assert.deepEqual(readFileSync(`${database}-wal`), wal);
  }

  const begun = await run('migrate', '--new');
  assert.equal(begun.code, 0, begun.err);
  const moved = readdirSync(join(folder, 'data')).filter((name) => name.startsWith('waxwing.db-wal.'));
  assert.deepEqual(readFileSync(join(folder, 'data', moved[0] ?? '')), wal);
  assert.match(begun.err, /"files":\[".*waxwing\.db-wal\..*was moved aside/);
  const told = await run('doctor');
  assert.match(told.out, new RegExp(`warn +database_log .*${moved[0]}`));
  assert.equal((await run('organization', 'list', '--json')).out.trim(), '[]');
});

test('a link whose key is not mounted counts as a key: no start makes another in its place', async (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  mkdirSync(data);
  symlinkSync(join(folder, 'not-mounted', 'master.key'), join(data, 'master.key'));
  for (const command of ['serve', 'migrate']) {
    const { code, err } = await runProgram(folder, [command], { WAXWING_LISTEN: '127.0.0.1:0' });
    assert.equal(code, 1);
    assert.match(err, /waxwing migrate --new/);
  }
  assert.deepEqual(
    readdirSync(data).filter((name) => name.startsWith('waxwing.db')),
    [],
  );
  assert.ok(lstatSync(join(data, 'master.key')).isSymbolicLink());
});

test('a database restored beside the running server is told of in the log, by the probe and the doctor, and is not backed up', async (context) => {
  const folder = temporaryFolder(context);
  const run = (...argv: string[]) => runProgram(folder, argv);
  const server = await startServe(context, folder);
  const probe = async () => (await fetch(new URL('/readyz', server.url))).status;
  assert.equal((await run('organization', 'create', '--name', 'Before')).code, 0);
  assert.equal((await run('backup', '--out', 'good.db')).code, 0);
  mkdirSync(join(folder, 'former'));
  const files = ['waxwing.db', 'waxwing.db-wal', 'waxwing.db-shm'];
  const move = (from: string, to: string) => {
    for (const file of files) renameSync(join(folder, from, file), join(folder, to, file));
  };
  move('data', 'former');
  copyFileSync(join(folder, 'good.db'), join(folder, 'data', 'waxwing.db'));

  await server.logged('was moved away or replaced');
  assert.equal(await probe(), 503);
  const examined = await run('doctor', '--json');
  const { checks }: { checks: Check[] } = JSON.parse(examined.out);
  assertTold(checks);
  const failed = checks.filter(({ state }) => state === 'fail').map(({ code }) => code);
  assert.deepEqual([examined.code, failed], [1, ['database_file_moved']]);
  const refused = await run('backup', '--out', 'other.db', '--json');
  assert.equal(refused.code, 1);
  assert.equal(JSON.parse(refused.err).field, 'WAXWING_DATA');
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('other')),
    [],
  );

  rmSync(join(folder, 'data', 'waxwing.db'));
  move('former', 'data');
  await server.logged('the database file is in its place again');
  assert.equal(await probe(), 200);
  assert.equal((await run('backup', '--out', 'other.db')).code, 0);
  server.signal('SIGTERM');
  assert.equal((await server.ended).log.match(/was moved away or replaced/g)?.length, 1);
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
  // Within a second it counts as the same.
  const again = setInterval(() => server.signal('SIGTERM'), 100);
  const { code, log } = await server.ended.finally(() => clearInterval(again));
  assert.equal(code, 1);
  assert.doesNotMatch(log, /"msg":"stopped"|did not stop in time/);
});

test('two signals that come together are one request to stop', async (context) => {
  const server = await startServe(context, temporaryFolder(context));
  server.signal('SIGTERM');
  server.signal('SIGHUP');
  const { code, log } = await server.ended;
  assert.equal(code, 0, log);
  assert.match(log, /"msg":"stopped"/);
});

test('Ctrl-C while a request is half sent ends the server cleanly, within its grace', async (context) => {
  // Long enough for workers that are within a transaction on a busy machine.
  const server = await startServe(context, temporaryFolder(context), { WAXWING_SHUTDOWN_GRACE: '2s' });
  const half = connect(Number(server.url.port), server.url.hostname);
  context.after(() => half.destroy());
  half.on('error', () => {});
  await once(half, 'connect');
  half.write('GET /healthz HTTP/1.1\r\nHost: loc');
  await fetch(new URL('/healthz', server.url));
  const cut = once(half, 'close');
  server.signal('SIGINT');
  const { code, log } = await server.ended;
  assert.equal(code, 0, log);
  assert.match(log, /"msg":"stopped"/);
  assert.doesNotMatch(log, /"level":"(?:warn|error|fatal)"/);
  await cut;
});

test('a data folder and a database that other accounts may use are warned of at the start, in one line', async (context) => {
  const folder = temporaryFolder(context);
  const warnings = async () => {
    const server = await startServe(context, folder);
    server.signal('SIGTERM');
    return (await server.ended).log.split('\n').filter((line) => line.includes('other accounts may use'));
  };
  assert.deepEqual(await warnings(), []);
  const [data, database] = [join(folder, 'data'), join(folder, 'data', 'waxwing.db')];
  chmodSync(data, 0o755);
  chmodSync(database, 0o666);
  const [warning = '', ...more] = await warnings();
  assert.deepEqual(more, []);
  assert.deepEqual(JSON.parse(warning).remedies, [`chmod 700 ${data}`, `chmod 600 ${database}`]);
});

test('what a server says in text is for people, and by default nobody sits at a pipe', async (context) => {
  const text = await startServe(context, temporaryFolder(context), { WAXWING_LOG_FORMAT: 'text' });
  assert.match(text.greeting[0] ?? '', /^Waxwing /);
  assert.equal(text.greeting.at(-1), '  npx --no waxwing operator create --email you@example.com');
  const lines = await startServe(context, temporaryFolder(context));
  lines.signal('SIGTERM');
  const { log } = await lines.ended;
  for (const line of [...lines.greeting, ...log.trimEnd().split('\n')]) {
    const { level, time, msg } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual([typeof level, typeof time, typeof msg], ['string', 'string', 'string']);
  }
});

test('a request that is being answered when the server is asked to stop gets its answer', async (context) => {
  const server = await startServe(context, temporaryFolder(context));
  const kept = connect(Number(server.url.port), server.url.hostname);
  context.after(() => kept.destroy());
  await once(kept, 'connect');
  kept.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
  await fetch(new URL('/healthz', server.url));
  server.signal('SIGTERM');
  await server.logged('"msg":"stopping"');
  kept.write('\r\n');
  assert.match(Buffer.concat(await kept.toArray()).toString(), /^HTTP\/1\.1 200 OK\r\n.*connection: close\r\n/is);
  assert.equal((await server.ended).code, 0);
});

test('the second start, and the stop, are measured', async (context) => {
  const folder = temporaryFolder(context);
  const first = await startServe(context, folder);
  first.signal('SIGINT');
  assert.equal((await first.ended).code, 0);
  const begun = performance.now();
  const second = await startServe(context, folder);
  assert.equal((await fetch(new URL('/readyz', second.url))).status, 200);
  const ready = performance.now();
  second.signal('SIGINT');
  assert.equal((await second.ended).code, 0);
  const ended = performance.now();
  // No assertion: a machine that runs other tests beside proves nothing by its clock.
  context.diagnostic(
    `second start: ready after ${seconds(ready - begun)}; stop: ended after ${seconds(ended - ready)}`,
  );
});

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

test('a metrics port that is taken ends the start at once, by the name of its setting', async (context) => {
  const other = createServer().listen(0, '127.0.0.1');
  context.after(() => other.close());
  await once(other, 'listening');
  const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const metrics = { WAXWING_LISTEN: '127.0.0.1:0', WAXWING_METRICS_LISTEN: taken };
  const api = { WAXWING_LISTEN: taken, WAXWING_METRICS_LISTEN: '127.0.0.1:0' };
  for (const [environment, setting] of [
    [metrics, 'WAXWING_METRICS_LISTEN'],
    [api, 'WAXWING_LISTEN'],
  ] as const) {
    const { code, out, err } = await runProgram(temporaryFolder(context), ['serve'], environment);
    assert.deepEqual([code, out], [1, '']);
    assert.equal(
      err,
      `error: 127.0.0.1 port ${taken.split(':')[1]} (${setting}) cannot be listened on: another program listens there.\n`,
    );
  }
});

test('what is told beside a server on any free port leads to that port', async (context) => {
  const folder = temporaryFolder(context);
  const leaf = makeTrialCa({ now: Date.now() }).issue({ domains: ['example.test'] });
  writeFileSync(join(folder, 'all.pem'), leaf.certificatePem + leaf.keyPem);
  const server = await startServe(context, folder);
  const json = async (...argv: string[]): Promise<{ id: string; token: string; url: string }> => {
    const { out, err } = await runProgram(folder, [...argv, '--json']);
    assert.equal(err, '');
    return JSON.parse(out);
  };
  const organization = await json('organization', 'create', '--name', 'One');
  const files = ['--organization', organization.id, '--certificate', 'all.pem'];
  const certificate = await json('certificate', 'import', ...files);
  const allow = ['--allow', '127.0.0.1,::1'];
  const made = await json('deployment', 'create', '--certificate', certificate.id, '--name', 'web', ...allow);
  assert.equal(made.url, `http://localhost:${server.url.port}/api/certificate`);
  const answer = await fetch(made.url, { headers: { authorization: `Bearer ${made.token}` } });
  assert.equal(answer.status, 200);
  assert.equal((await json('deployment', 'rotate', made.id)).url, made.url);
});

const refused: readonly [environment: Record<string, string>, message: RegExp][] = [
  [
    { WAXWING_LISTEN: '0.0.0.0:0' },
    /^error: 0\.0\.0\.0 is not a loopback address: private keys would be sent unencrypted/,
  ],
  [
    { WAXWING_LISTEN: '192.0.2.1:0', WAXWING_PLAIN_HTTP: 'allow' },
    /192\.0\.2\.1 port 0 \(WAXWING_LISTEN\) cannot be listened on: this machine does not have that address/,
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
