import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeMessage, encodeMessage } from '@waxwing/dns/dns-message.ts';
import { classes, recordTypes } from '@waxwing/dns/resource-record.ts';
import { SecretText } from '../../../runtime/secret-text.ts';
import type { DnsClient } from '../dns/dns-client.ts';
import type { DnsProvider } from '../proofs/dns-provider.ts';
import { openProvider } from './open-provider.ts';
import { checkProviderOptions } from './provider-options.ts';
import { createSetChanges } from './record-sets.ts';

const never = new AbortController().signal;
const record = { name: '_acme-challenge.www.example.com', value: 'one', ttl: 60 };
const options = { server: '192.0.2.1:53', zone: 'example.com', 'key-name': 'waxwing' };

function open(client: DnsClient, logged: object[] = []): DnsProvider {
  const checked = checkProviderOptions('rfc2136', options, new SecretText(Buffer.alloc(32).toString('base64')));
  assert.ok(checked.ok);
  const log = { error: (fields: object) => logged.push(fields) };
  const send = async () => assert.fail('nothing is sent');
  return openProvider(checked.setup, {
    ...{ client, log, send, changes: createSetChanges() },
    resolve: async () => [],
    now: () => 0,
  });
}

test('a signature that cannot be read fails the act, and may come right later', async () => {
  const provider = open({
    async exchange(_server, request) {
      const data = { kind: 'bytes', bytes: Buffer.from([0xff]) } as const;
      const signature = { name: ['waxwing'], type: recordTypes.TSIG, class: classes.ANY, ttl: 0, data };
      const bytes = encodeMessage({ ...request, isResponse: true, additionals: [signature] });
      return { kind: 'answered', bytes, message: decodeMessage(bytes) };
    },
  });
  const words = 'A DNS message cannot be read or written (cut-off).';
  assert.deepEqual(await provider.present(record, never), { kind: 'failed', words, temporary: true });
});

test('a test whose answer is lost removes its record', async () => {
  const time = new AbortController();
  const updates: string[] = [];
  const provider = open({
    async exchange(_server, { authorities }, _bytes, signal) {
      assert.ok(!signal.aborted);
      updates.push(authorities[0]?.class === classes.IN ? 'add' : 'remove');
      time.abort();
      return { kind: 'timedOut' };
    },
  });
  const words = 'The name server 192.0.2.1:53 gave no answer in time.';
  assert.deepEqual(await provider.test('www.example.com', time.signal), { kind: 'failed', words, temporary: true });
  assert.deepEqual(updates, ['add', 'remove']);
});

test('a name that is too long fails the act', async () => {
  const name = `_acme-challenge.${'a.'.repeat(120)}example.com`;
  const result = await open({ exchange: async () => ({ kind: 'blocked' }) }).present({ ...record, name }, never);
  assert.equal(result.kind, 'failed');
});

test('an error of our own is logged, and fails the act instead of escaping from it', async () => {
  const logged: object[] = [];
  const provider = open({ exchange: () => Promise.reject(new TypeError('a bug')) }, logged);
  const words = 'This server met an error of its own. Its log tells more.';
  assert.deepEqual(await provider.cleanUp(record, never), { kind: 'failed', words, temporary: true });
  assert.match(JSON.stringify(logged), /rfc2136/);
});
