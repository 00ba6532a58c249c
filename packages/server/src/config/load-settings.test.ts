import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { longestLeaseMs } from '../runtime/lease.ts';
import { type Environment, type LoadedSettings, loadSettings, type SettingProblem } from './load-settings.ts';
import type { Settings } from './settings.ts';

const folder = '/srv/waxwing';

function load(environment: Environment): Settings {
  const loaded = loadSettings(environment, folder);
  assert.ok(loaded.ok, inspect(loaded));
  return loaded.settings;
}

function problemsOf(environment: Environment): readonly SettingProblem[] {
  const loaded = loadSettings(environment, folder);
  return loaded.ok ? [] : loaded.problems;
}

function effective(loaded: LoadedSettings, name: string): string | undefined {
  return loaded.ok ? loaded.effective.find((line) => line.name === name)?.value : undefined;
}

test('an empty environment gives the documented defaults', () => {
  const settings = load({});
  assert.deepEqual(settings.listen, { host: '127.0.0.1', port: 8080 });
  assert.equal(settings.data, '/srv/waxwing/data');
  assert.equal(settings.masterKeyFile, '/srv/waxwing/data/master.key');
  assert.equal(settings.baseUrl, 'http://localhost:8080');
  assert.equal(settings.databaseUrl, undefined);
  assert.deepEqual(settings.trustedProxies, []);
  assert.deepEqual(settings.modules, ['certificates', 'messaging']);
  assert.equal(settings.timeZone, 'UTC');
  assert.equal(settings.plainHttp, 'refuse');
  assert.equal(settings.metricsListen, undefined);
  assert.equal(settings.wrongTokensPerMinute, 60);
  assert.equal(settings.activityFlush, 5000);
  assert.equal(settings.auditRetention, 400 * 86_400_000);
  assert.equal(settings.shutdownGrace, 4000);
  assert.equal(settings.requestHeaderLimit, 16_384);
  assert.equal(settings.importLimit, 262_144);
  assert.equal(settings.importsWaiting, 128);
});

test('an empty value counts as not given', () => {
  assert.equal(load({ WAXWING_TIME_ZONE: '', WAXWING_LISTEN: ' ' }).timeZone, 'UTC');
});

test('a list that is full by default can be emptied', () => {
  assert.ok(load({ WAXWING_STOP_WORDS: '' }).stopWords.includes('STOP'));
  assert.deepEqual(load({ WAXWING_STOP_WORDS: 'none' }).stopWords, []);
  assert.deepEqual(load({ WAXWING_STOP_WORDS: 'none,退订' }).stopWords, ['none', '退订']);
  assert.equal(effective(loadSettings({ WAXWING_STOP_WORDS: 'none' }, folder), 'WAXWING_STOP_WORDS'), 'none');
});

test('messages that would go before their events are refused, with what is enough', () => {
  const short = { WAXWING_MESSAGE_RETENTION: '3d' };
  const [problem, ...others] = problemsOf(short);
  assert.deepEqual([problem?.name, others], ['WAXWING_MESSAGE_RETENTION', []]);
  assert.match(problem?.message ?? '', /at least 33d.*WAXWING_EVENT_RETENTION/);
  assert.deepEqual(problemsOf({ WAXWING_MESSAGE_RETENTION: '33d' }), []);
  assert.deepEqual(
    problemsOf({
      ...short,
      WAXWING_EVENT_RETENTION: '1d',
      WAXWING_MESSAGE_VALIDITY: '12h',
      WAXWING_RECEIPT_GRACE: '12h',
    }),
    [],
  );
  assert.equal(problemsOf({ ...short, WAXWING_EVENT_RETENTION: 'soon' }).length, 1);
});

test('a mail server is read with its user, and asks for what it needs', () => {
  const server = (url: string) =>
    load({ WAXWING_SMTP_URL: url, WAXWING_MAIL_FROM: 'Waxwing <w@example.com>', WAXWING_SMTP_PASSWORD_FILE: 'mail' })
      .smtpUrl;
  const user = 'alerts@example.com';
  const secure = { secure: true, host: 'mail.example.com', port: 465, user };
  assert.deepEqual(server('smtps://alerts@example.com@mail.example.com'), secure);
  assert.deepEqual(server('smtps://alerts%40example.com@mail.example.com:465/'), secure);
  assert.deepEqual(server('smtp://a@[::1]:25'), { secure: false, host: '::1', port: 25, user: 'a' });
  const named = (environment: Environment) => problemsOf(environment).map(({ name }) => name);
  assert.deepEqual(named({ WAXWING_SMTP_URL: 'smtp://mail.example.com' }), ['WAXWING_MAIL_FROM']);
  const from = { WAXWING_MAIL_FROM: 'w@example.com' };
  assert.deepEqual(named({ ...from, WAXWING_SMTP_URL: 'smtp://mail.example.com' }), []);
  assert.deepEqual(named({ ...from, WAXWING_SMTP_URL: 'smtp://a@mail.example.com' }), ['WAXWING_SMTP_PASSWORD_FILE']);
  assert.deepEqual(named({ WAXWING_SMTP_PASSWORD_FILE: 'mail' }), ['WAXWING_SMTP_URL']);
});

test('an issuer is the URL alone: no user, query or fragment', () => {
  const about = { WAXWING_OIDC_CLIENT_ID: 'waxwing', WAXWING_OIDC_ALLOWED_DOMAINS: 'example.com' };
  const named = (issuer: string) =>
    problemsOf({ ...about, WAXWING_OIDC_ISSUER: issuer }).some(({ name }) => name === 'WAXWING_OIDC_ISSUER');
  for (const wrong of [
    'user@login.example/',
    'user:pass@login.example/',
    ':pass@login.example',
    'login.example/?a',
    'login.example/#a',
  ]) {
    assert.equal(named(`https://${wrong}`), true, wrong);
  }
  assert.equal(named('https://login.example/realm'), false);
});

test('defaults follow the settings they depend on', () => {
  const settings = load({
    WAXWING_LISTEN: '[::1]:9443',
    WAXWING_DATA: '/var/lib/waxwing',
    WAXWING_TLS_CERTIFICATE: 'tls.crt',
    WAXWING_TLS_KEY: 'tls.key',
  });
  assert.deepEqual(settings.listen, { host: '::1', port: 9443 });
  assert.equal(settings.masterKeyFile, '/var/lib/waxwing/master.key');
  assert.equal(settings.baseUrl, 'https://localhost:9443');
  assert.equal(settings.tlsKey, '/srv/waxwing/tls.key');
});

test('leases may be no longer than what counts as a lease', () => {
  assert.equal(loadSettings({ WAXWING_PUSH_LEASE: `${longestLeaseMs}ms` }).ok, true);
  assert.equal(loadSettings({ WAXWING_PUSH_LEASE: `${longestLeaseMs + 1}ms` }).ok, false);
});

test('all problems are reported at once', () => {
  const problems = problemsOf({
    WAXWING_LISTEN: '8080',
    WAXWING_DATABASE_POOL: '1e2',
    WAXWING_LISTN: '127.0.0.1:1',
    WAXWING_TLS_KEY: 'tls.key',
  });
  assert.deepEqual(problems.map((problem) => problem.name).sort(), [
    'WAXWING_DATABASE_POOL',
    'WAXWING_LISTEN',
    'WAXWING_LISTN',
    'WAXWING_TLS_CERTIFICATE',
  ]);
});

test('a mistyped name is reported with the name that was meant', () => {
  assert.deepEqual(problemsOf({ WAXWING_TRUSTED_PROXYS: '10.0.0.1' }), [
    { name: 'WAXWING_TRUSTED_PROXYS', message: 'is not a setting; did you mean WAXWING_TRUSTED_PROXIES?' },
  ]);
  assert.match(problemsOf({ WAXWING_FROBNICATE: '1' })[0]?.message ?? '', /docs\/configuration\.md/);
});

test('variables of other programs and of test runs are left alone', () => {
  assert.deepEqual(problemsOf({ PATH: '/bin', WAXWING_TEST_SCALE: 'full', waxwing_listen: 'x' }), []);
});

const refused: readonly [name: string, text: string, message: RegExp][] = [
  ['WAXWING_LISTEN', '127.0.0.1', /host:port/],
  ['WAXWING_LISTEN', '127.0.0.1:65536', /host:port/],
  ['WAXWING_LISTEN', '::1:8080', /host:port/],
  ['WAXWING_LISTEN', '[127.0.0.1]:80', /host:port/],
  ['WAXWING_DATABASE_URL', 'mysql://localhost/x', /postgres:\/\//],
  ['WAXWING_BASE_URL', 'waxwing.example.com', /must be a URL/],
  ['WAXWING_BASE_URL', 'https://example.com/hub', /write https:\/\/example\.com/],
  ['WAXWING_BASE_URL', 'https://example.com?', /write https:\/\/example\.com/],
  ['WAXWING_BASE_URL', 'https://user@example.com', /user or password/],
  ['WAXWING_TRUSTED_PROXIES', '10.0.0.1,', /empty entry/],
  ['WAXWING_TRUSTED_PROXIES', '10.0.0.1/8', /write 10\.0\.0\.0\/8/],
  ['WAXWING_TRUSTED_PROXIES', '10.0.0.0/33', /prefix length/],
  ['WAXWING_TRUSTED_PROXIES', '10.0.0.0/', /prefix length/],
  ['WAXWING_TRUSTED_PROXIES', '0.0.0.0/0', /every address/],
  ['WAXWING_TRUSTED_PROXIES', '0x7f.1', /not an address/],
  ['WAXWING_TRUSTED_PROXIES', 'fe80::1%eth0', /not an address/],
  ['WAXWING_TIME_ZONE', 'Mars/Olympus', /IANA/],
  ['WAXWING_TIME_ZONE', '+08:00', /not an offset/],
  ['WAXWING_PLAIN_HTTP', 'yes', /refuse, allow/],
  ['WAXWING_MODULES', 'certificates,mail', /"mail" is not one of/],
  ['WAXWING_METRICS_LISTEN', '0.0.0.0:8080', /a port other than/],
  ['WAXWING_WRONG_TOKENS_PER_MINUTE', '0', /from 1 to/],
  ['WAXWING_WRONG_TOKENS_PER_MINUTE', '-5', /from 1 to/],
  ['WAXWING_AUDIT_RETENTION', '23h', /from 1d/],
  ['WAXWING_ACTIVITY_FLUSH', '5', /duration/],
  ['WAXWING_IMPORT_LIMIT', '256KB', /size/],
  ['WAXWING_SMTP_URL', 'mail.example.com:587', /smtp:\/\/USER@HOST:PORT/],
  ['WAXWING_SMTP_URL', 'smtp://', /smtp:\/\/USER@HOST:PORT/],
  ['WAXWING_SMTP_URL', 'smtp://mail.example.com:0', /port/],
  ['WAXWING_SMTP_URL', 'smtp://a:hunter2@mail.example.com', /WAXWING_SMTP_PASSWORD_FILE/],
  ['WAXWING_SMTP_URL', 'smtp://mail.example.com/path', /must end/],
  ['WAXWING_SMTP_URL', 'smtp://a%zz@mail.example.com', /%25/],
  ['WAXWING_MAIL_FROM', 'waxwing', /waxwing@example\.com/],
  ['WAXWING_MAIL_FROM', 'a@example.com, b@example.com', /waxwing@example\.com/],
  ['WAXWING_MAIL_FROM', 'Waxwing <a@example.com>, <b@example.com>', /waxwing@example\.com/],
];

for (const [name, text, message] of refused) {
  test(`${name}=${text} is refused with the remedy`, () => {
    const problem = problemsOf({ [name]: text })[0];
    assert.equal(problem?.name, name);
    assert.match(problem?.message ?? '', message);
  });
}

test('trusted proxies become canonical networks, each once', () => {
  const settings = load({ WAXWING_TRUSTED_PROXIES: '10.0.0.5, 10.0.0.5/32,fd00:0::/8,::1,::ffff:192.0.2.0/120' });
  assert.deepEqual(settings.trustedProxies, ['10.0.0.5/32', 'fd00::/8', '::1/128', '192.0.2.0/24']);
});

test('durations and sizes are shown in their largest whole unit', () => {
  const loaded = loadSettings({ WAXWING_ACTIVITY_FLUSH: '90000ms', WAXWING_IMPORT_LIMIT: '1048576B' }, folder);
  assert.equal(effective(loaded, 'WAXWING_ACTIVITY_FLUSH'), '90s');
  assert.equal(effective(loaded, 'WAXWING_IMPORT_LIMIT'), '1MiB');
});

test('the password of the database is masked wherever it is shown', () => {
  const environment = { WAXWING_DATABASE_URL: 'postgres://wax:hunter2@db:5433/wax?sslpassword=hunter2' };
  const loaded = loadSettings(environment, folder);
  assert.equal(effective(loaded, 'WAXWING_DATABASE_URL'), 'postgres://wax:***@db:5433/wax?sslpassword=***');
  assert.doesNotMatch(inspect(loaded, { depth: 9 }) + JSON.stringify(loaded), /hunter2/);
  assert.match(load(environment).databaseUrl?.reveal() ?? '', /hunter2/);
});

test('a database URL that cannot be read is reported without repeating it', () => {
  const problems = problemsOf({ WAXWING_DATABASE_URL: 'postgres://wax:hunter2@ /x' });
  assert.equal(problems.length, 1);
  assert.doesNotMatch(JSON.stringify(problems), /hunter2/);
});

test('the effective values say which were given', () => {
  const loaded = loadSettings({ WAXWING_LOG_LEVEL: 'debug' }, folder);
  assert.ok(loaded.ok);
  const given = loaded.effective.filter((line) => line.given);
  assert.deepEqual(given, [{ name: 'WAXWING_LOG_LEVEL', value: 'debug', given: true }]);
});

test('every effective value can be given again and means the same', () => {
  const mail = {
    WAXWING_SMTP_URL: 'smtp://a%25@b@[::1]:25',
    WAXWING_SMTP_PASSWORD_FILE: 'mail',
    WAXWING_MAIL_FROM: 'w@example.com',
  };
  const first = loadSettings({ WAXWING_LISTEN: '[::1]:81', WAXWING_TRUSTED_PROXIES: '10.0.0.0/8', ...mail }, folder);
  assert.ok(first.ok);
  const environment = Object.fromEntries(first.effective.map((line) => [line.name, line.value]));
  assert.deepEqual(load(environment), first.settings);
});

test('the loaded settings are frozen', () => {
  const settings = load({});
  assert.ok(Object.isFrozen(settings) && Object.isFrozen(settings.listen) && Object.isFrozen(settings.modules));
});
