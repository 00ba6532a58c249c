import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderKind } from '@waxwing/contract/management-api/dns-provider-forms.ts';
import { SecretText } from '../../../runtime/secret-text.ts';
import type { DnsProvider } from '../proofs/dns-provider.ts';
import { type FakeCloud, fakeClouds, holdsSecret } from './cloud-fakes.testing.ts';
import { openProvider } from './open-provider.ts';
import { checkProviderOptions } from './provider-options.ts';
import type { SendRequest } from './provider-request.ts';
import { createSetChanges } from './record-sets.ts';

const never = new AbortController().signal;
const secret = 'top/secret+key';
const name = '_acme-challenge.www.sub.example.com';
const record = (value: string) => ({ name, value, ttl: 60 });

/** As there is one for all providers of a server. */
const changes = createSetChanges();

function open(kind: string, send: SendRequest): DnsProvider {
  const options: Record<string, string> = kind === 'cloudflare' ? {} : { 'key-id': 'AKID' };
  const checked = checkProviderOptions(kind as ProviderKind, options, new SecretText(secret));
  assert.ok(checked.ok, JSON.stringify(checked));
  return openProvider(checked.setup, {
    send,
    changes,
    now: () => Date.UTC(2026, 0, 2),
    client: { exchange: async () => ({ kind: 'blocked' }) },
    resolve: async () => [],
    log: { error: (_fields, message) => assert.fail(message) },
  });
}

for (const [kind, startCloud] of Object.entries(fakeClouds)) {
  test(`${kind}: values come and go one by one, however often it is repeated`, async () => {
    const cloud = startCloud();
    const provider = open(kind, cloud.send);
    for (const value of ['one', 'two', 'two']) {
      assert.deepEqual(await provider.present(record(value), never), { kind: 'done' });
    }
    assert.deepEqual(cloud.texts.get(name), ['one', 'two']);
    for (let count = 0; count < 2; count++) {
      assert.deepEqual(await provider.cleanUp(record('one'), never), { kind: 'done' });
    }
    assert.deepEqual(cloud.texts.get(name), ['two']);
    await provider.cleanUp(record('two'), never);
    assert.deepEqual(cloud.texts.get(name) ?? [], []);
    assert.deepEqual(await provider.cleanUp(record('two'), never), { kind: 'done' });
    assert.deepEqual(await provider.test('*.www.sub.example.com', never), { kind: 'done' });
    assert.deepEqual(cloud.texts.get(name) ?? [], []);
  });

  test(`${kind}: values that come and go at the same time do not undo each other`, async () => {
    const cloud = startCloud();
    const [one, other] = [open(kind, cloud.send), open(kind, cloud.send)];
    await Promise.all([one.present(record('one'), never), other.present(record('two'), never)]);
    assert.deepEqual(cloud.texts.get(name)?.toSorted(), ['one', 'two']);
    await Promise.all([one.cleanUp(record('one'), never), other.present(record('three'), never)]);
    assert.deepEqual(cloud.texts.get(name)?.toSorted(), ['three', 'two']);
    assert.equal(changes.busy, 0);
  });

  test(`${kind}: a test whose time ends while it adds its record leaves nothing behind`, async () => {
    const cloud = startCloud();
    const time = new AbortController();
    const added = () => (cloud.texts.get(name)?.length ?? 0) > 0;
    const provider = open(kind, async (request, signal) => {
      const lost = { kind: 'failed', words: 'No answer came in time.', temporary: true } as const;
      if (signal.aborted) return lost;
      const wasAdded = added();
      const answer = await cloud.send(request, signal);
      if (wasAdded || !added()) return answer;
      time.abort();
      return lost;
    });
    const result = await provider.test('www.sub.example.com', time.signal);
    assert.deepEqual(result, { kind: 'failed', words: 'No answer came in time.', temporary: true });
    assert.ok(time.signal.aborted && !added());
  });

  test(`${kind}: a name in no zone of the account is refused`, async () => {
    const cloud = startCloud();
    assert.deepEqual(await open(kind, cloud.send).present({ ...record('one'), name: 'a.example.net' }, never), {
      kind: 'failed',
      words: 'The account has no zone that holds a.example.net.',
      temporary: false,
    });
  });

  test(`${kind}: the secret is in no address, no body and no words`, async () => {
    const cloud = startCloud();
    const provider = open(kind, cloud.send);
    await provider.present(record('one'), never);
    for (const { url, body = '', headers } of cloud.requests) {
      assert.ok(!holdsSecret(url + body, secret));
      if (kind !== 'cloudflare') assert.ok(!holdsSecret(JSON.stringify(headers), secret));
    }
    cloud.fault = faultOf(kind, 403, `Forbidden with ${secret}`);
    const result = await provider.present(record('one'), never);
    assert.ok(result.kind === 'failed');
    assert.match(result.words, /Forbidden with \*\*\*$/);
    assert.equal(result.temporary, false);
  });

  test(`${kind}: what may succeed later is temporary`, async () => {
    const cloud = startCloud();
    const provider = open(kind, cloud.send);
    for (const status of [429, 500, 503]) {
      cloud.fault = { status, body: '<html>' };
      const result = await provider.cleanUp(record('one'), never);
      assert.ok(result.kind === 'failed' && result.temporary, `${status}`);
      assert.match(result.words, new RegExp(`status ${status}`));
    }
    const silent = open(kind, async () => ({ kind: 'failed', words: 'No answer came in time.', temporary: true }));
    assert.deepEqual(await silent.test('example.com', never), {
      kind: 'failed',
      words: 'No answer came in time.',
      temporary: true,
    });
  });
}

test('codes that tell to come again are temporary whatever the status is', async () => {
  const throttled: readonly [kind: string, fault: NonNullable<FakeCloud['fault']>][] = [
    ['aliyun', { status: 400, body: '{"Code":"Throttling.User","Message":"m"}' }],
    ['dnspod', { status: 200, body: '{"Response":{"Error":{"Code":"RequestLimitExceeded","Message":"m"}}}' }],
    ['route53', { status: 400, body: '<Error><Code>Throttling</Code><Message>m</Message></Error>' }],
  ];
  for (const [kind, fault] of throttled) {
    const result = await open(kind, async () => ({ kind: 'answered', ...fault })).present(record('one'), never);
    assert.ok(result.kind === 'failed' && result.temporary, kind);
  }
});

function faultOf(kind: string, status: number, message: string): { status: number; body: string } {
  const bodies: Readonly<Record<string, object | string>> = {
    cloudflare: { success: false, errors: [{ code: 9109, message }] },
    aliyun: { Code: 'Forbidden.RAM', Message: message },
    dnspod: { Response: { Error: { Code: 'AuthFailure.SignatureFailure', Message: message } } },
    huawei: { error_code: 'APIGW.0301', error_msg: message },
    route53: `<ErrorResponse><Error><Code>AccessDenied</Code><Message>${message}</Message></Error></ErrorResponse>`,
  };
  const body = bodies[kind] ?? '';
  return { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
