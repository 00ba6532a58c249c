import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { networkSet } from '../../http/request/ip-address.ts';
import { makeAgent } from '../../outbound/attempt.testing.ts';
import { attemptDelivery } from '../../outbound/attempt.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import type { Outcome } from '../../outbound/outcome.ts';
import { issueSigningSecret } from '../../outbound/signature.ts';
import { systemClock } from '../../runtime/clock.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import type { ChannelTarget } from './notice.ts';
import { noticeOf, startPostReceiver } from './posted-request.testing.ts';
import { postNotices, type WebhookNeeds } from './webhook.ts';

const signal = new AbortController().signal;

test('each notice is a POST of its own that the reference library accepts', async () => {
  await using receiver = await startPostReceiver();
  using agent = makeAgent();
  const secret = issueSigningSecret();
  const url = new SecretText(`http://127.0.0.1:${receiver.port}/alerts?from=waxwing`);
  const notices = [noticeOf(), noticeOf({ id: 'notice-2', type: 'instance.disk', organization: null })];
  assert.deepEqual(await postNotices(needs(agent), { kind: 'webhook', url, secret }, notices, signal), {
    kind: 'sent',
  });
  assert.equal(receiver.posted.length, 2);
  for (const [index, { method, url: path, headers, body }] of receiver.posted.entries()) {
    assert.deepEqual([method, path], ['POST', '/alerts?from=waxwing']);
    assert.equal(headers['user-agent'], 'Waxwing/test');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['webhook-id'], notices[index]?.id);
    assert.doesNotThrow(() => new Webhook(secret.reveal()).verify(body, headers as Record<string, string>));
  }
  assert.deepEqual(JSON.parse(receiver.posted[0]?.body ?? ''), {
    type: 'certificate.expiring',
    at: '2026-01-02T03:04:05.678Z',
    organization: 'org-1',
    subject: 'The certificate shop.example.com ends in 7 days.',
    detail: 'It was not renewed. It ends on 2026-01-09.',
  });
  assert.equal(JSON.parse(receiver.posted[1]?.body ?? '').organization, null);
});

test('200 alone is success, and the first failure ends it', async () => {
  await using receiver = await startPostReceiver();
  using agent = makeAgent();
  const target = webhookTo(`http://127.0.0.1:${receiver.port}/`);
  for (const status of [201, 204, 302, 404, 500]) {
    receiver.answer = { status, body: '' };
    assert.deepEqual(await postNotices(needs(agent), target, [noticeOf(), noticeOf({ id: 'notice-2' })], signal), {
      kind: 'refused',
      words: `Status ${status} instead of 200.`,
      retryable: true,
    });
  }
  assert.deepEqual(new Set(receiver.posted.map(({ headers }) => headers['webhook-id'])), new Set(['notice-1']));
});

test('what a public receiver says is told without the query it repeats', async () => {
  const answered: Outcome = { kind: 'answered', status: 403, excerpt: 'no\n/a?token=hunter2', ms: 1 };
  const attempts = { attempt: async () => answered };
  const result = await postNotices(
    { attempts, clock: systemClock, userAgent: 'Waxwing/test' },
    webhookTo('https://crm.example/a?token=hunter2'),
    [noticeOf()],
    signal,
  );
  assert.deepEqual(result, { kind: 'refused', words: 'Status 403 instead of 200: no ******', retryable: true });
});

test('an attempt that was taken up too late is made again, once', async () => {
  const postAfter = async (outcomes: readonly Outcome[], until = signal) => {
    const left = [...outcomes];
    const attempts = { attempt: async () => left.shift() ?? assert.fail('one attempt too many') };
    const needs = { attempts, clock: systemClock, userAgent: 'Waxwing/test' };
    const { kind } = await postNotices(needs, webhookTo('https://example.com/x'), [noticeOf()], until);
    return [kind, left.length];
  };
  const late: Outcome = { kind: 'cutOff', ms: 0 };
  const answered: Outcome = { kind: 'answered', ms: 1, status: 200, address: '192.0.2.1' };
  assert.deepEqual(await postAfter([late, answered]), ['sent', 0]);
  assert.deepEqual(await postAfter([late, late]), ['refused', 0]);
  assert.deepEqual(await postAfter([late, answered], AbortSignal.abort()), ['refused', 1]);
});

test('the guard of pushes holds', async () => {
  await using inside = await startPostReceiver();
  using agent = makeAgent({}, { allowed: networkSet([]) });
  assert.deepEqual(
    await postNotices(needs(agent), webhookTo(`http://127.0.0.1:${inside.port}/`), [noticeOf()], signal),
    {
      kind: 'refused',
      words: 'The address of the server is not public.',
      retryable: true,
    },
  );
  assert.equal(inside.posted.length, 0);
});

test('a URL or a secret that cannot be one is not tried again', async () => {
  using agent = makeAgent();
  const secret = new SecretText('hunter2');
  for (const target of [
    webhookTo('ftp://crm.example/?token=hunter2'),
    { kind: 'webhook' } as const,
    { ...webhookTo('https://crm.example/'), secret },
  ]) {
    const result = await postNotices(needs(agent), target, [noticeOf()], signal);
    assert.ok(result.kind === 'refused' && !result.retryable);
    assert.doesNotMatch(result.words, /hunter2/);
  }
});

function webhookTo(url: string): ChannelTarget {
  return { kind: 'webhook', url: new SecretText(url) };
}

function needs(agent: GuardedAgent): WebhookNeeds {
  const clock = systemClock;
  return {
    attempts: { attempt: (request, limits) => attemptDelivery(agent, request, { ...limits, clock }) },
    clock,
    userAgent: 'Waxwing/test',
  };
}
