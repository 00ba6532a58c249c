import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { networkSet } from '../../../http/request/ip-address.ts';
import { makeAgent } from '../../../outbound/attempt.testing.ts';
import { reply, startTrialReceiver } from '../../../outbound/receiver.testing.ts';
import { issueSigningSecret, parseSigningSecret } from '../../../outbound/signature.ts';
import { manualProvider } from './manual-provider.ts';
import { createSendRequest } from './provider-request.ts';
import { webhookProvider, webhookRequest } from './webhook-provider.ts';

const never = new AbortController().signal;
const record = { name: '_acme-challenge.example.com', value: 'one', ttl: 60 };
const moment = () => ({ now: Date.now(), nonce: 'id-1' });
const userAgent = 'Waxwing/test';

test('the reference library accepts the signature of the request', () => {
  const secret = issueSigningSecret();
  const key = parseSigningSecret(secret);
  assert.ok(key);
  const {
    headers,
    body = '',
    ...rest
  } = webhookRequest({ url: 'https://a.example/', key }, 'cleanup', record, moment());
  assert.deepEqual(rest, { method: 'POST', url: 'https://a.example/' });
  assert.deepEqual(JSON.parse(body), { action: 'cleanup', ...record });
  assert.doesNotThrow(() => new Webhook(secret.reveal()).verify(body, { ...headers }));
});

test('200 alone is success, and 429 and 5xx are temporary', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent();
  const send = createSendRequest({ agent, userAgent });
  const provider = webhookProvider({ url: `http://127.0.0.1:${receiver.port}/dns?token=hidden-token` }, send, moment);
  for (const [status, expected] of [
    [200, { kind: 'done' }],
    [204, { kind: 'failed', words: 'Status 204 instead of 200:', temporary: false }],
    [302, { kind: 'failed', words: 'Status 302 instead of 200:', temporary: false }],
    [429, { kind: 'failed', words: 'Status 429 instead of 200:', temporary: true }],
    [503, { kind: 'failed', words: 'Status 503 instead of 200:', temporary: true }],
  ] as const) {
    // Of an address that is not public, the content of the answer is not told.
    receiver.serve = (socket) => socket.write(reply(status, status === 204 ? '' : 'secret page'));
    assert.deepEqual(await provider.present(record, never), expected);
  }
});

test('what a receiver says is told without the path and the query of its URL', async () => {
  const send = async () => ({ kind: 'answered', status: 400, body: 'no: /dns?token=hidden-token' }) as const;
  const provider = webhookProvider({ url: 'https://a.example/dns?token=hidden-token' }, send, moment);
  assert.deepEqual(await provider.test('example.com', never), {
    kind: 'failed',
    words: 'Status 400 instead of 200: no: ******',
    temporary: false,
  });
});

test('a test removes its record under a time limit of its own, unless the record was refused', async () => {
  const kept = new Set<string>();
  const time = new AbortController();
  const open = (status: number) =>
    webhookProvider(
      { url: 'https://a.example/' },
      async ({ body = '' }, signal) => {
        assert.ok(!signal.aborted);
        const { action, value } = JSON.parse(body) as { action: string; value: string };
        kept[action === 'present' ? 'add' : 'delete'](value);
        if (action === 'present' && status === 200) time.abort();
        return { kind: 'answered', status, body: '' };
      },
      moment,
    );
  assert.deepEqual(await open(200).test('example.com', time.signal), { kind: 'done' });
  assert.deepEqual([...kept], []);
  await open(503).test('example.com', never);
  assert.deepEqual([...kept], []);
  await open(403).test('example.com', never);
  assert.equal(kept.size, 1, 'what was refused is not asked for again');
});

test('the guard of pushes holds', async () => {
  await using receiver = await startTrialReceiver();
  using agent = makeAgent({}, { allowed: networkSet([]) });
  const send = createSendRequest({ agent, userAgent });
  const provider = webhookProvider({ url: `http://127.0.0.1:${receiver.port}/` }, send, moment);
  assert.deepEqual(await provider.present(record, never), {
    kind: 'failed',
    words: 'The address of the server is not public.',
    temporary: false,
  });
  assert.deepEqual(receiver.requests, []);
});

test('by hand nothing is done but said', async () => {
  assert.deepEqual(await manualProvider.present(record, never), {
    kind: 'done',
    byHand: 'Set by hand: _acme-challenge.example.com TXT "one"',
  });
});
