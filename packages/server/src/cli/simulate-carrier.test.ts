import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { smppClient } from '@waxwing/smsc/smpp-client.testing.ts';
import { runCommandLine } from './command-line.ts';
import { startProgram } from './program.testing.ts';
import { fakeTerminal, temporaryFolder } from './terminal.testing.ts';

const options = ['--listen', '127.0.0.1:0', '--account', 'trial', '--password-file', 'password'];

/** A folder with the password of the account, and a script if there is one. */
function carrierFolder(t: TestContext, script?: string): string {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'password'), 'sesame\n');
  if (script !== undefined) writeFileSync(join(folder, 'script.json'), script);
  return folder;
}

/** A running simulated carrier, and the next line that it prints. */
function startCarrier(t: TestContext, folder: string, more: readonly string[] = []) {
  const child = startProgram(folder, ['simulator', 'smsc', ...options, ...more]);
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, nextLine: async () => String((await lines.next()).value) };
}

/** The exit code and what is printed, where it does not start. */
async function refused(folder: string, args: readonly string[]) {
  const terminal = fakeTerminal(folder);
  const code = await runCommandLine(['simulator', 'smsc', ...args], terminal);
  return { code, ...terminal.written };
}

test('it says where it listens, what it has done when it is asked, and ends on SIGINT', async (t) => {
  const folder = carrierFolder(t, '{"message_ids": "text"}');
  const { child, nextLine } = startCarrier(t, folder, ['--script', 'script.json', '--seed', 'one']);
  const [, port] = /^The simulated carrier listens on 127\.0\.0\.1:(\d+) \(smpp\)\.$/.exec(await nextLine()) ?? [];
  const client = await smppClient(t, Number(port));
  assert.match((await client.send('8613800138000')).messageId, /^smsc-/);
  await client.receives(1);
  assert.ok((await client.session.tryConnection()).kind === 'answered');
  const counts =
    'binds 1, refused binds 0, submits 1, accepted 1, throttled 0, refused 0, unanswered 0, receipts 1, replies 0, ' +
    'acknowledged 1, resent 0, malformed 0, waiting 0';
  child.kill('SIGUSR2');
  assert.equal(await nextLine(), counts);
  const closed = once(child, 'close');
  child.kill('SIGINT');
  assert.deepEqual(await client.session.ended, { why: 'peer-farewell' });
  assert.equal(await nextLine(), counts);
  assert.deepEqual(await closed, [0, null]);
});

test('for scripts, all that it prints is JSON', async (t) => {
  const { child, nextLine } = startCarrier(t, carrierFolder(t), ['--json', '--protocol', 'cmpp3']);
  const { listening, ...said } = JSON.parse(await nextLine());
  assert.match(listening, /^127\.0\.0\.1:\d+$/);
  assert.deepEqual(said, { protocol: 'cmpp3', account: 'trial', tls: false });
  child.kill('SIGTERM');
  let rest = '';
  for (let line = await nextLine(); line !== 'undefined'; line = await nextLine()) rest += line;
  assert.equal(JSON.parse(rest).refused_binds, 0);
});

test('every fault of a script is told with its field', async (t) => {
  const folder = carrierFolder(t, '{"rate": -1, "rules": [{"answer": "never"}]}');
  const ended = await refused(folder, [...options, '--script', 'script.json']);
  assert.equal(ended.code, 1);
  assert.match(ended.err, /^error: The script \S+script\.json was not accepted\.$/m);
  assert.match(ended.err, /^ {2}rate: must be a whole number from 1 to 1000000\.$/m);
  assert.match(ended.err, /^ {2}rules\[0\]\.answer: must be one of: "accept", "lost", /m);
});

const refusals: readonly [name: string, args: readonly string[], code: number, err: RegExp][] = [
  ['a script that is not there', [...options, '--script', 'none.json'], 1, /none\.json: cannot be read \(ENOENT\)/],
  ['an address without a port', [...options.with(1, 'localhost')], 2, /--listen must be host:port, .*:2775/],
  ['an unknown protocol', [...options, '--protocol', 'sgip'], 2, /--protocol must be smpp, cmpp2 or cmpp3/],
  [
    'an account that CMPP cannot hold',
    [...options.with(3, '1234567'), '--protocol', 'cmpp2'],
    1,
    /1 to 6 visible ASCII/,
  ],
  ['no account', options.toSpliced(2, 2), 2, /Missing: --account ID/],
];

for (const [name, args, code, err] of refusals) {
  test(`it does not start: ${name}`, async (t) => {
    const ended = await refused(carrierFolder(t), [...args]);
    assert.equal(ended.code, code);
    assert.match(ended.err, err);
    assert.equal(ended.out, '');
  });
}

test('it does not start: a password that SMPP cannot hold, which is not repeated', async (t) => {
  const folder = carrierFolder(t);
  writeFileSync(join(folder, 'password'), 'open sesame');
  const ended = await refused(folder, [...options]);
  assert.equal(ended.code, 1);
  assert.match(ended.err, /The password must have 1 to 8 visible ASCII characters/);
  assert.doesNotMatch(ended.err, /open sesame/);
});

test('it does not start where another program listens', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const ended = await refused(carrierFolder(t), [...options.with(1, `127.0.0.1:${port}`)]);
  assert.equal(ended.code, 1);
  assert.match(ended.err, /another program listens there/);
});

test('it does not start over TLS with a key that is none', async (t) => {
  const folder = carrierFolder(t, '{"tls": {"certificate": "password", "key": "password"}}');
  const ended = await refused(folder, [...options, '--script', 'script.json']);
  assert.equal(ended.code, 1);
  assert.match(ended.err, /^error: The certificate and the key of the script cannot be used/);
});
