import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { smallDisk, withoutSmallDisks } from '../../cli/small-disk.testing.ts';
import { temporaryFolder } from '../../cli/terminal.testing.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { createKeyRing } from '../../secrets/master-key-file.ts';
import { assertTold } from './doctor-check.testing.ts';
import type { Check } from './doctor-check.ts';
import { inspectMachine } from './inspect-machine.ts';

const now = Date.UTC(2026, 0, 2);
const day = 86_400_000;

function look(folder: string, environment: Record<string, string> = {}): readonly Check[] {
  const loaded = loadSettings(environment, folder);
  assert.ok(loaded.ok);
  const checks = inspectMachine(loaded.settings, now);
  assertTold(checks);
  return checks;
}

function found(checks: readonly Check[], name: string): Check {
  return checks.find((check) => check.name === name) ?? assert.fail(`there is no check ${name}`);
}

/** A folder with a data folder and a master key, as a server leaves them. */
function soundFolder(context: TestContext): string {
  const folder = temporaryFolder(context);
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  createKeyRing(join(folder, 'data', 'master.key'), now);
  return folder;
}

test('what is looked at on a sound machine, and each warning has a remedy', (context) => {
  const checks = look(soundFolder(context));
  assert.deepEqual(
    checks.filter(({ name }) => name !== 'disk_space').map(({ name, state, code }) => `${name} ${state}: ${code}`),
    [
      'settings ok: settings_accepted',
      'data_folder ok: data_folder_private',
      'master_key ok: master_key_readable',
      'master_key_place warn: master_key_beside_database',
      'listener ok: listener_on_loopback',
    ],
  );
  assert.ok(checks.every(({ state, remedy }) => (remedy === null) === (state === 'ok')));
});

test('the key is not near the database when one of them is elsewhere', (context) => {
  const folder = soundFolder(context);
  const names = (environment: Record<string, string>) => look(folder, environment).map(({ name }) => name);
  createKeyRing(join(folder, 'keys', 'master.key'), now);
  assert.ok(!names({ WAXWING_MASTER_KEY_FILE: 'keys/master.key' }).includes('master_key_place'));
  assert.ok(!names({ WAXWING_DATABASE_URL: 'postgres://u@localhost/x' }).includes('master_key_place'));
});

test('a data folder that is missing, open to others or no folder is told apart', (context) => {
  const folder = soundFolder(context);
  const data = join(folder, 'data');
  const state = (environment: Record<string, string> = {}) => found(look(folder, environment), 'data_folder');
  assert.deepEqual([state().state, state().message], ['ok', `${data} is its owner's alone.`]);
  assert.equal(state().code, 'data_folder_private');
  chmodSync(data, 0o710);
  assert.deepEqual([state().state, state().remedy], ['warn', `chmod 700 ${data}`]);
  assert.match(state().message, /mode 0710/);
  assert.equal(state().code, 'data_folder_open_to_others');
  assert.deepEqual(state().parameters, { folder: data, mode: '0710' });
  const missing = state({ WAXWING_DATA: 'nowhere' });
  assert.deepEqual([missing.state, missing.code], ['warn', 'data_folder_missing']);
  writeFileSync(join(folder, 'file'), '');
  const other = state({ WAXWING_DATA: 'file' });
  assert.deepEqual([other.state, other.code], ['fail', 'data_folder_not_a_folder']);
});

test('room is short below 1 GiB and gone below 100 MiB', { skip: withoutSmallDisks }, (context) => {
  const disk = smallDisk(context, 1100 * 1024);
  const states = [1100, 1000, 99].map((mebibytes) => {
    disk.grow(mebibytes * 1024);
    const { state, code } = found(look(disk.folder, { WAXWING_DATA: '.' }), 'disk_space');
    return `${state}: ${code}`;
  });
  assert.deepEqual(states, ['ok: disk_space_enough', 'warn: disk_space_short', 'fail: disk_space_short']);
});

test('room that cannot be read is a warning', (context) => {
  const room = found(look(temporaryFolder(context)), 'disk_space');
  assert.deepEqual([room.state, room.code], ['warn', 'disk_space_unknown']);
  assert.match(room.message, /ENOENT/);
});

test('a master key that is missing, open to others or no key fails by its own words and remedy', (context) => {
  const folder = soundFolder(context);
  const file = join(folder, 'data', 'master.key');
  const key = (environment: Record<string, string> = {}) => found(look(folder, environment), 'master_key');
  writeFileSync(join(folder, 'data', 'waxwing.db'), '');
  const gone = key({ WAXWING_MASTER_KEY_FILE: 'gone' });
  assert.match(gone.message, /There is no master key file .*gone\.$/);
  assert.match(gone.remedy ?? '', /^Restore it from your copy; a new instance makes one/);
  chmodSync(file, 0o640);
  const open = key();
  assert.match(open.message, /mode 0640/);
  assert.equal(open.remedy, `chmod 600 ${file}`);
  const beyond = key({ WAXWING_MASTER_KEY_FILE: 'data/waxwing.db/master.key' });
  assert.match(beyond.message, /cannot be opened for reading \(ENOTDIR\)/);
  assert.doesNotMatch(beyond.remedy ?? '', /Restore/);
  chmodSync(file, 0o600);
  writeFileSync(file, 'no key');
  assert.match(key().message, /restore it from your copy/);
  assert.equal(key().remedy, 'Restore it from your copy.');
  assert.deepEqual(
    [gone, open, beyond, key()].map(({ state, code }) => `${state}: ${code}`),
    [
      ...['fail: master_key_missing', 'fail: master_key_open_to_others'],
      ...['fail: master_key_unreadable', 'fail: master_key_unusable'],
    ],
  );
});

test('before there is a database a missing master key is no failure', (context) => {
  const { state, code } = found(look(temporaryFolder(context)), 'master_key');
  assert.deepEqual([state, code], ['warn', 'master_key_missing']);
});

const everywhere = { WAXWING_LISTEN: '0.0.0.0:8080' };
const ownTls = { WAXWING_TLS_CERTIFICATE: 'tls.crt', WAXWING_TLS_KEY: 'tls.key' };
const listeners: readonly [environment: Record<string, string>, state: Check['state'], code: Check['code']][] = [
  [{ WAXWING_LISTEN: '[::1]:8080' }, 'ok', 'listener_on_loopback'],
  [everywhere, 'fail', 'listener_refused'],
  [{ ...everywhere, WAXWING_PLAIN_HTTP: 'allow' }, 'warn', 'listener_plain_http'],
  [{ ...everywhere, WAXWING_TRUSTED_PROXIES: '10.0.0.1' }, 'ok', 'listener_behind_trusted_proxies'],
  [{ ...everywhere, ...ownTls }, 'ok', 'listener_with_tls'],
];
for (const [environment, state, code] of listeners) {
  test(`the listener of ${JSON.stringify(environment)} is: ${state}`, (context) => {
    const listener = found(look(temporaryFolder(context), environment), 'listener');
    assert.deepEqual([listener.state, listener.code], [state, code]);
  });
}

test('the own certificate warns 14 days before it ends, and its key when every account may read it', (context) => {
  const folder = temporaryFolder(context);
  const ca = makeTrialCa({ now });
  const states = () =>
    look(folder, ownTls)
      .filter(({ name }) => name === 'own_tls')
      .map(({ state, code }) => `${state}: ${code}`);
  assert.deepEqual(states(), ['fail: own_certificate_unusable']);
  for (const [endsAt, expected] of [
    [now + 15 * day, 'ok: own_certificate_valid'],
    [now + 14 * day, 'warn: own_certificate_expiring'],
    [now, 'fail: own_certificate_expired'],
  ] as const) {
    const leaf = ca.issue({ domains: ['a.test'], notBefore: now - 30 * day, notAfter: endsAt });
    writeFileSync(join(folder, 'tls.crt'), leaf.certificatePem);
    writeFileSync(join(folder, 'tls.key'), leaf.keyPem, { mode: 0o640 });
    assert.deepEqual(states(), [expected]);
  }
  const leaf = ca.issue({ domains: ['a.test'] });
  writeFileSync(join(folder, 'tls.crt'), leaf.certificatePem);
  // Of another certificate: a renewal that came half.
  assert.deepEqual(states(), ['fail: own_certificate_unusable']);
  writeFileSync(join(folder, 'tls.key'), leaf.keyPem);
  chmodSync(join(folder, 'tls.key'), 0o644);
  assert.deepEqual(states(), ['ok: own_certificate_valid', 'warn: own_key_open_to_others']);
});
