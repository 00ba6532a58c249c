import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { assertTold } from '../../instance/doctor/doctor-check.testing.ts';
import { type Check, fail } from '../../instance/doctor/doctor-check.ts';
import { version } from '../../runtime/version.ts';
import { silentTelemetry } from '../application.testing.ts';
import { runCommandLine } from '../command-line.ts';
import { controlSocketPath } from '../exchange/socket-path.ts';
import { type SocketApi, startControlServer } from '../exchange/socket-server.ts';
import { runProgram, startServe } from '../program.testing.ts';
import { fakeTerminal, temporaryFolder } from '../terminal.testing.ts';

const probe = async () => ({ status: 'ready' }) as const;

async function run(folder: string, argv: readonly string[], environment: Record<string, string> = {}) {
  // On any port: the usual one may be taken by whatever else this machine runs.
  const terminal = fakeTerminal(folder, '', { WAXWING_LISTEN: '127.0.0.1:0', ...environment });
  const code = await runCommandLine(argv, terminal);
  return { code, ...terminal.written };
}

async function examine(folder: string, environment: Record<string, string> = {}) {
  const { code, out } = await run(folder, ['doctor', '--json'], environment);
  const { checks } = JSON.parse(out) as { checks: Check[] };
  assertTold(checks);
  return {
    code,
    checks,
    poor: checks.filter(({ state }) => state !== 'ok').map(({ name, state, code }) => `${name} ${state}: ${code}`),
  };
}

/** Of every instance without an alert channel. */
const nobodyHears = 'alerts warn: alert_channel_missing';

/** What a server answers whose doctor finds this. */
function apiThatFinds(checks: readonly Check[]): SocketApi {
  return {
    routing: (_request, response) => void response.writeHead(200).end(JSON.stringify({ ok: true, checks })),
    close: async () => {},
  };
}

async function newInstance(context: TestContext): Promise<string> {
  const folder = temporaryFolder(context);
  const umask = process.umask();
  context.after(() => process.umask(umask));
  await run(folder, ['migrate']);
  assert.equal((await run(folder, ['organization', 'create', '--name', 'One'])).code, 0);
  return folder;
}

test('a new instance has two warnings: key and database lie together, and nobody hears of alerts', async (context) => {
  const folder = await newInstance(context);
  const { code, checks, poor } = await examine(folder);
  assert.deepEqual([code, poor], [0, ['master_key_place warn: master_key_beside_database', nobodyHears]]);
  assert.deepEqual(
    checks.filter(({ state }) => state === 'ok').map(({ code }) => code),
    [
      ...['server_not_running', 'settings_accepted', 'data_folder_private', 'disk_space_enough'],
      ...['master_key_readable', 'listener_on_loopback', 'schema_current', 'database_sound', 'sealed_secrets_open'],
      ...['audit_trail_unbroken', 'certificates_not_expiring', 'orders_succeeding', 'allow_lists_in_order'],
      ...['clock_plausible', 'push_receivers_answering'],
    ],
  );
  assert.ok(
    checks.every(({ message, remedy, state }) => /\.$/.test(message) && (remedy === null) === (state === 'ok')),
  );
  const { out } = await run(folder, ['doctor']);
  assert.equal(out.split('\n')[0], `ok    server            No server runs on ${join(folder, 'data')}.`);
  assert.match(out, /^ok {4}settings {10}All settings are accepted\.$/m);
});

test('with the key in a folder of its own only the warning about alerts is left', async (context) => {
  const folder = temporaryFolder(context);
  const umask = process.umask();
  context.after(() => process.umask(umask));
  const environment = { WAXWING_MASTER_KEY_FILE: 'keys/master.key' };
  await run(folder, ['migrate'], environment);
  await run(folder, ['organization', 'create', '--name', 'One'], environment);
  assert.deepEqual((await examine(folder, environment)).poor, [nobodyHears]);
});

test('where there is nothing yet the doctor says so and makes nothing', async (context) => {
  const folder = temporaryFolder(context);
  const { poor } = await examine(folder);
  assert.deepEqual(
    poor.filter((line) => line.startsWith('data')),
    ['data_folder warn: data_folder_missing', 'database warn: database_missing'],
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('a file where the control socket goes fails, as the start would be refused; a dead socket does not', async (context) => {
  const folder = await newInstance(context);
  const path = controlSocketPath(join(folder, 'data'));
  writeFileSync(path, '');
  const { code, poor } = await examine(folder);
  assert.deepEqual([code, poor[0]], [1, 'control_socket fail: control_socket_obstructed']);
  rmSync(path);
  const dead = await startServe(context, folder);
  dead.signal('SIGKILL');
  await dead.ended;
  assert.ok(lstatSync(path).isSocket());
  assert.equal((await examine(folder)).code, 0);
});

test('before the first start nothing fails', async (context) => {
  const { code, poor } = await examine(temporaryFolder(context));
  assert.equal(code, 0, poor.join());
});

test('a data folder that this account may not write fails, and nothing is said of its mode', async (context) => {
  const folder = temporaryFolder(context);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o755 });
  chmodSync(folder, 0o755);
  chmodSync(data, 0o555);
  // Root may write everywhere.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { out } = await runProgram(folder, ['doctor', '--json'], {}, '', account);
  const { checks } = JSON.parse(out) as { checks: Check[] };
  assertTold(checks);
  assert.deepEqual(
    checks.filter(({ name }) => name === 'data_folder').map(({ state, code }) => `${state}: ${code}`),
    ['fail: data_folder_not_writable'],
  );
  assert.match(checks.map(({ message }) => message).join('\n'), /this account may not write there \(EACCES\)/);
});

test('a database of an older schema is left as it is', async (context) => {
  const folder = await newInstance(context);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(folder, 'data', 'waxwing.db'));
  database.exec('delete from schema_migration where id > 3');
  database.close();
  const { code, checks, poor } = await examine(folder);
  assert.equal(code, 1);
  assert.ok(poor.includes('database fail: database_not_opened'));
  assert.match(
    checks.find(({ name }) => name === 'database')?.message ?? '',
    /schema 3, this version needs \d+: run "waxwing migrate"/,
  );
});

test('a database that is gone, or empty, beside a master key fails, and none is made', async (context) => {
  const folder = await newInstance(context);
  const file = join(folder, 'data', 'waxwing.db');
  writeFileSync(file, '');
  const empty = await examine(folder);
  for (const name of readdirSync(join(folder, 'data'))) {
    if (name.startsWith('waxwing.db')) rmSync(join(folder, 'data', name));
  }
  const gone = await examine(folder);
  for (const { code, poor } of [empty, gone]) {
    assert.equal(code, 1);
    assert.deepEqual(poor.slice(1), ['database fail: database_lost']);
  }
  assert.ok(!readdirSync(join(folder, 'data')).includes('waxwing.db'));
});

/** What lies in the data folder. */
function lying(folder: string) {
  const data = join(folder, 'data');
  if (!existsSync(data)) return [];
  return readdirSync(data)
    .sort()
    .map((name) => {
      const { size, mtimeNs } = lstatSync(join(data, name), { bigint: true });
      return { name, size, mtimeNs };
    });
}

const states: Readonly<Record<string, (folder: string) => void>> = {
  'that is sound': () => {},
  'without a database': (folder) => rmSync(join(folder, 'data', 'waxwing.db')),
  'with an empty database': (folder) => writeFileSync(join(folder, 'data', 'waxwing.db'), ''),
  'with a damaged database': (folder) => writeFileSync(join(folder, 'data', 'waxwing.db'), 'x'.repeat(10_000)),
  'without a database, but with its log': (folder) => {
    rmSync(join(folder, 'data', 'waxwing.db'));
    writeFileSync(join(folder, 'data', 'waxwing.db-wal'), 'x'.repeat(10_000));
  },
  'of a start that was killed at its beginning': (folder) => {
    writeFileSync(join(folder, 'data', 'waxwing.db'), '');
    rmSync(join(folder, 'data', 'master.key'));
  },
  'without anything': (folder) => rmSync(join(folder, 'data'), { recursive: true }),
};
for (const [words, spoil] of Object.entries(states)) {
  test(`the doctor leaves a data folder ${words} as it is`, async (context) => {
    const folder = await newInstance(context);
    spoil(folder);
    const before = lying(folder);
    await examine(folder);
    assert.deepEqual(lying(folder), before);
  });
}

test('beside a running server, too, the doctor makes nothing, also when the database is gone', async (context) => {
  const folder = temporaryFolder(context);
  await startServe(context, folder);
  // The server itself may be writing.
  const names = () => lying(folder).map(({ name }) => name);
  const before = names();
  await examine(folder);
  assert.deepEqual(names(), before);
  rmSync(join(folder, 'data', 'waxwing.db'));
  const { poor } = await examine(folder);
  assert.ok(poor.includes('database_file fail: database_file_moved'), poor.join());
  assert.deepEqual(
    names(),
    before.filter((name) => name !== 'waxwing.db'),
  );
});

test('a missing master key fails, and no new one is made', async (context) => {
  const folder = await newInstance(context);
  rmSync(join(folder, 'data', 'master.key'));
  const { code, poor } = await examine(folder);
  assert.equal(code, 1);
  assert.ok(poor.includes('master_key fail: master_key_missing'), poor.join());
  assert.ok(poor.includes('database fail: database_not_opened'), poor.join());
  assert.ok(!readdirSync(join(folder, 'data')).includes('master.key'));
});

test('a key file that others may read fails, an open folder warns', async (context) => {
  const folder = await newInstance(context);
  chmodSync(join(folder, 'data'), 0o755);
  assert.ok((await examine(folder)).poor.includes('data_folder warn: data_folder_open_to_others'));
  chmodSync(join(folder, 'data', 'master.key'), 0o644);
  const { code, checks } = await examine(folder);
  assert.equal(code, 1);
  assert.match(checks.find(({ name }) => name === 'master_key')?.remedy ?? '', /^chmod 600 /);
});

test('settings that are not accepted are all named', async (context) => {
  const { code, checks } = await examine(temporaryFolder(context), { WAXWING_LISTEN: 'x', WAXWING_TIME_ZONE: 'Moon' });
  assert.equal(code, 1);
  assert.deepEqual(
    checks.map(({ state, code, message, parameters }) => [state, code, message.split(' ')[0], parameters.setting]),
    [
      ['fail', 'setting_refused', 'WAXWING_LISTEN', 'WAXWING_LISTEN'],
      ['fail', 'setting_refused', 'WAXWING_TIME_ZONE', 'WAXWING_TIME_ZONE'],
    ],
  );
});

test('a listener that would be refused fails, one that takes plain HTTP warns', async (context) => {
  const folder = await newInstance(context);
  const open = { WAXWING_LISTEN: '0.0.0.0:0' };
  assert.ok((await examine(folder, open)).poor.includes('listener fail: listener_refused'));
  const { poor } = await examine(folder, { ...open, WAXWING_PLAIN_HTTP: 'allow' });
  assert.ok(poor.includes('listener warn: listener_plain_http'));
});

test('a port that another program has taken fails, unless it is the server itself', async (context) => {
  const folder = await newInstance(context);
  const other = createServer();
  context.after(() => other.close());
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const listen = await examine(folder, { WAXWING_LISTEN: taken });
  assert.equal(listen.code, 1);
  assert.deepEqual(listen.poor.slice(1), [nobodyHears, 'listener fail: listener_unusable']);
  assert.ok(!listen.checks.some(({ code }) => code === 'listener_on_loopback'));
  assert.match(listen.checks.at(-1)?.message ?? '', /port \d+ \(WAXWING_LISTEN\) .* another program listens there\.$/);
  const metrics = await examine(folder, { WAXWING_METRICS_LISTEN: taken });
  assert.deepEqual(metrics.poor.slice(1), [nobodyHears, 'metrics_listener fail: listener_unusable']);
  const { url } = await startServe(context, folder);
  assert.deepEqual((await examine(folder, { WAXWING_LISTEN: url.host })).poor.slice(1), [nobodyHears]);
});

test('the own TLS certificate warns before it ends and fails afterwards', async (context) => {
  const folder = await newInstance(context);
  const day = 86_400_000;
  const states = [];
  for (const days of [15, 13, -1]) {
    const ca = makeTrialCa({ now: Date.now() });
    const notAfter = Date.now() + days * day;
    const leaf = ca.issue({ domains: ['a.test'], notBefore: notAfter - 30 * day, notAfter });
    writeFileSync(join(folder, 'tls.crt'), leaf.certificatePem);
    writeFileSync(join(folder, 'tls.key'), leaf.keyPem, { mode: 0o600 });
    const { checks } = await examine(folder, { WAXWING_TLS_CERTIFICATE: 'tls.crt', WAXWING_TLS_KEY: 'tls.key' });
    states.push(checks.find(({ name }) => name === 'own_tls')?.state);
  }
  assert.deepEqual(states, ['ok', 'warn', 'fail']);
  writeFileSync(join(folder, 'tls.key'), makeTrialCa({ now: Date.now() }).issue({ domains: ['a.test'] }).keyPem);
  const mixed = await examine(folder, { WAXWING_TLS_CERTIFICATE: 'tls.crt', WAXWING_TLS_KEY: 'tls.key' });
  assert.ok(mixed.poor.includes('own_tls fail: own_certificate_unusable'));
  rmSync(join(folder, 'tls.crt'));
  const { poor } = await examine(folder, { WAXWING_TLS_CERTIFICATE: 'tls.crt', WAXWING_TLS_KEY: 'tls.key' });
  assert.ok(poor.includes('own_tls fail: own_certificate_unusable'));
});

test('allow-lists that admit nobody or everybody, and certificates near their end, are named', async (context) => {
  const folder = await newInstance(context);
  const ca = makeTrialCa({ now: Date.now() });
  const leaf = ca.issue({ domains: ['short.test'], notAfter: Date.now() + 5 * 86_400_000 });
  writeFileSync(join(folder, 'all.pem'), leaf.certificatePem + leaf.keyPem);
  const [organization] = JSON.parse((await run(folder, ['organization', 'list', '--json'])).out);
  const files = ['--organization', organization.id, '--certificate', 'all.pem', '--json'];
  const { id } = JSON.parse((await run(folder, ['certificate', 'import', ...files])).out);
  for (const [name, allow] of [
    ['closed', 'none'],
    ['open', '10.0.0.1,::/0'],
    ['fine', '10.0.0.1'],
  ] as const) {
    const argv = ['deployment', 'create', '--certificate', id, '--name', name, '--allow', allow];
    assert.equal((await run(folder, argv)).code, 0);
  }
  const { code, checks } = await examine(folder);
  const warnings = checks.filter(({ state }) => state === 'warn');
  const messages = warnings.map(({ message }) => message);
  assert.equal(code, 0);
  assert.match(messages.join('\n'), /Expiring within 14 days \(1\): short\.test/);
  assert.match(messages.join('\n'), /Empty allow-list, which admits nobody \(1\): closed \(/);
  assert.match(messages.join('\n'), /Open to every address, by the token alone \(1\): open \(/);
  assert.deepEqual(
    warnings.map(({ code, parameters }) => [code, parameters.count]),
    [
      ['master_key_beside_database', undefined],
      ['certificates_expiring', 1],
      ['deployments_admitting_nobody', 1],
      ['deployments_admitting_everybody', 1],
      ['alert_channel_missing', undefined],
    ],
  );
});

test('a certificate whose current version is revoked is named, and listed as such, until it has a new one', async (context) => {
  const folder = await newInstance(context);
  const [organization] = JSON.parse((await run(folder, ['organization', 'list', '--json'])).out);
  const importOne = async (...onto: string[]) => {
    const leaf = makeTrialCa({ now: Date.now() }).issue({ domains: ['withheld.test'] });
    writeFileSync(join(folder, 'all.pem'), leaf.certificatePem + leaf.keyPem);
    const files = ['--organization', organization.id, '--certificate', 'all.pem', '--json'];
    return JSON.parse((await run(folder, ['certificate', 'import', ...files, ...onto])).out);
  };
  const { id, version } = await importOne();
  assert.equal((await run(folder, ['certificate', 'revoke', id, '--version', version])).code, 0);
  assert.ok((await examine(folder)).poor.includes('certificates warn: certificates_withheld'));
  assert.match((await run(folder, ['certificate', 'list'])).out, / version revoked /);
  assert.match((await run(folder, ['certificate', 'show', id])).out, /^state +version revoked$/m);
  await importOne('--onto', id);
  assert.ok(!(await examine(folder)).poor.some((line) => line.includes('certificates_withheld')));
  assert.match((await run(folder, ['certificate', 'list'])).out, / issued /);
});

test('an audit trail that was changed fails', async (context) => {
  const folder = await newInstance(context);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(folder, 'data', 'waxwing.db'));
  database.exec(`update audit_entry set actor = 'nobody'`);
  database.close();
  const { code, checks, poor } = await examine(folder);
  assert.equal(code, 1);
  assert.ok(poor.includes('audit_trail fail: audit_trail_broken'), poor.join());
  assert.deepEqual(checks.find(({ name }) => name === 'audit_trail')?.parameters, { links: '1' });
  assert.equal((await run(folder, ['audit', 'verify'])).code, 1);
});

test('a running server is asked for its health and for what it cannot trust', async (context) => {
  const folder = await newInstance(context);
  const path = controlSocketPath(join(folder, 'data'));
  const workers = [
    { name: 'one', state: 'running' },
    { name: 'two', state: 'waiting to restart', last_fault: 'no disk' },
  ];
  const server = await startControlServer({
    path,
    version,
    telemetry: silentTelemetry(),
    openApi: async () => apiThatFinds([]),
    status: () => ({ version, workers, untrusted_forwards: 3 }),
    probe,
  });
  context.after(() => server.stop(0));
  const { code, checks, poor } = await examine(folder);
  assert.equal(code, 1);
  assert.deepEqual(poor, ['workers fail: workers_faulty', 'forwarded_headers warn: forwarded_headers_untrusted']);
  assert.match(checks.find(({ name }) => name === 'workers')?.message ?? '', /two: no disk/);
});

test('one cause is told once: not also of every worker that it stopped', async (context) => {
  const folder = await newInstance(context);
  const fault = 'There is no connection to the database. See that it runs.';
  const workers = [{ name: 'grace', state: 'waiting to restart', last_fault: fault }];
  const silent = fail('database', 'database_unreachable', { fault, looks: 'schema' }, `${fault} schema`, 'Start it.');
  const server = await startControlServer({
    path: controlSocketPath(join(folder, 'data')),
    version,
    telemetry: silentTelemetry(),
    openApi: async () => apiThatFinds([silent]),
    status: () => ({ version, workers }),
    probe,
  });
  context.after(() => server.stop(0));
  assert.deepEqual((await examine(folder)).poor, ['database fail: database_unreachable']);
  workers.push({ name: 'tls', state: 'waiting to restart', last_fault: 'no such file' });
  const { poor } = await examine(folder);
  assert.deepEqual(poor, ['workers fail: workers_faulty', 'database fail: database_unreachable']);
});

test('a server that hangs is said to, and what needs no server is looked at at once', async (context) => {
  const folder = await newInstance(context);
  const paths: (string | undefined)[] = [];
  const hung = createHttpServer(({ url }) => paths.push(url)).listen(controlSocketPath(join(folder, 'data')));
  await once(hung, 'listening');
  context.after(() => {
    hung.closeAllConnections();
    hung.close();
  });
  const { code, checks } = await examine(folder);
  assert.equal(code, 1);
  assert.match(checks[0]?.message ?? '', /ended or hung before it answered \(no answer within 5 s\)/);
  assert.deepEqual(
    [checks[0]?.code, checks[1]?.code, checks.filter(({ name }) => name === 'database')],
    ['server_unreachable', 'settings_accepted', []],
  );
  assert.deepEqual(paths, ['/status']);
});

test('a running server is judged by its own settings, not by those of whoever asks', async (context) => {
  const folder = await newInstance(context);
  const kept = { WAXWING_MASTER_KEY_FILE: join(folder, 'keys', 'master.key') };
  mkdirSync(join(folder, 'keys'), { mode: 0o700 });
  renameSync(join(folder, 'data', 'master.key'), kept.WAXWING_MASTER_KEY_FILE);
  await startServe(context, folder, kept);
  assert.deepEqual((await examine(folder, { WAXWING_LISTEN: '0.0.0.0:8080' })).poor, [nobodyHears]);
});

test('a server of another version is named once, and the machine is not judged in its place', async (context) => {
  const folder = await newInstance(context);
  const server = await startControlServer({
    path: controlSocketPath(join(folder, 'data')),
    version: '0.0.1',
    telemetry: silentTelemetry(),
    openApi: async () => apiThatFinds([]),
    status: () => ({ version: '0.0.1' }),
    probe,
  });
  context.after(() => server.stop(0));
  const { code, checks } = await examine(folder);
  assert.equal(code, 1);
  assert.deepEqual(
    checks.map(({ name, state, code }) => `${name} ${state}: ${code}`),
    ['server ok: server_running', 'database fail: database_not_opened'],
  );
  assert.match(checks[1]?.message ?? '', /The running server is version 0\.0\.1/);
});
