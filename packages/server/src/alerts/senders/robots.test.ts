import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { withoutOpenssl } from '@waxwing/pki/openssl.testing.ts';
import { networkSet } from '../../http/request/ip-address.ts';
import { makeAgent } from '../../outbound/attempt.testing.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import { reply, startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { dingtalkSign, sendToDingtalk } from './dingtalk.ts';
import { feishuSign, sendToFeishu } from './feishu.ts';
import type { ChannelTarget, Notice } from './notice.ts';
import { noticeOf, startPostReceiver } from './posted-request.testing.ts';
import type { RobotNeeds } from './robot.ts';
import { sendToWecom } from './wecom.ts';

const signal = new AbortController().signal;
const now = 1_661_860_880_123;
const senders = { wecom: sendToWecom, dingtalk: sendToDingtalk, feishu: sendToFeishu };
type Robot = keyof typeof senders;
const robots = Object.keys(senders) as readonly Robot[];

test('a signature of Feishu is the one of its documentation', () => {
  // The example of "Signature verification" in the guide of custom bots: secret xxx at 1661860880.
  assert.equal(feishuSign('1661860880', 'xxx'), 'QnWVTSBe6FmQDE0bG6X0mURbI+DnvVyu1h+j5dHOjrU=');
});

test('signatures are those that OpenSSL computes', { skip: withoutOpenssl }, () => {
  const openssl = (key: string, text: string) =>
    execFileSync('openssl', ['dgst', '-sha256', '-hmac', key, '-binary'], { input: text }).toString('base64');
  for (const secret of ['xxx', 'SEC6816d5f8c552a52f6deb9d5d0e2faac0', '密钥 with blanks']) {
    assert.equal(dingtalkSign(`${now}`, secret), openssl(secret, `${now}\n${secret}`));
    assert.equal(feishuSign('1661860880', secret), openssl(`1661860880\n${secret}`, ''));
  }
});

test('WeCom gets a text, and its key stays the only credential', async () => {
  await using receiver = await startPostReceiver();
  receiver.answer = { status: 200, body: '{"errcode":0,"errmsg":"ok"}' };
  using agent = makeAgent();
  const target = robotAt('wecom', receiver.port, '/cgi-bin/webhook/send?key=693a91f6');
  assert.deepEqual(await send(agent, target), { kind: 'sent' });
  const [request] = receiver.posted;
  assert.deepEqual([request?.method, request?.url], ['POST', '/cgi-bin/webhook/send?key=693a91f6']);
  assert.match(request?.headers['content-type'] ?? '', /^application\/json/);
  const { msgtype, text } = JSON.parse(request?.body ?? '');
  assert.equal(msgtype, 'text');
  assert.match(text.content, /^Waxwing\n\nThe certificate shop\.example\.com ends in 7 days\./);
});

test('DingTalk gets timestamp and signature in the query, where there is a secret', async () => {
  await using receiver = await startPostReceiver();
  receiver.answer = { status: 200, body: '{"errcode":0,"errmsg":"ok"}' };
  using agent = makeAgent();
  const target = robotAt('dingtalk', receiver.port, '/robot/send?access_token=abc');
  assert.deepEqual(await send(agent, target), { kind: 'sent' });
  assert.deepEqual(await send(agent, { ...target, secret: new SecretText('xxx') }), { kind: 'sent' });
  const [plain, signed] = receiver.posted;
  assert.equal(plain?.url, '/robot/send?access_token=abc');
  const query = new URL(signed?.url ?? '', 'http://x').searchParams;
  assert.deepEqual([...query.keys()], ['access_token', 'timestamp', 'sign']);
  assert.equal(query.get('timestamp'), `${now}`);
  assert.equal(query.get('sign'), dingtalkSign(`${now}`, 'xxx'));
  assert.doesNotMatch(signed?.url ?? '', /sign=[^&]*[+/]/);
  assert.equal(JSON.parse(signed?.body ?? '').msgtype, 'text');
});

test('Feishu gets timestamp and signature in the body, where there is a secret', async () => {
  await using receiver = await startPostReceiver();
  using agent = makeAgent();
  const target = robotAt('feishu', receiver.port, '/open-apis/bot/v2/hook/5e3d587e-d78e-4a07-bd07-265f269f86fd');
  for (const body of ['{"code":0,"msg":"success","data":{}}', '{"StatusCode":0,"StatusMessage":"success"}']) {
    receiver.answer = { status: 200, body };
    assert.deepEqual(await send(agent, target), { kind: 'sent' });
  }
  assert.deepEqual(await send(agent, { ...target, secret: new SecretText('xxx') }), { kind: 'sent' });
  assert.deepEqual(Object.keys(JSON.parse(receiver.posted[0]?.body ?? '')), ['msg_type', 'content']);
  const { timestamp, sign, msg_type, content } = JSON.parse(receiver.posted.at(-1)?.body ?? '');
  assert.deepEqual([timestamp, sign, msg_type], ['1661860880', 'QnWVTSBe6FmQDE0bG6X0mURbI+DnvVyu1h+j5dHOjrU=', 'text']);
  assert.match(content.text, /^Waxwing\n/);
});

const refusals: readonly [robot: Robot, answer: string, words: string][] = [
  ['wecom', '{"errcode":93000,"errmsg":"invalid webhook url"}', '93000: invalid webhook url'],
  ['wecom', '{"errcode":45009,"errmsg":"api freq out of limit"}', '45009: api freq out of limit'],
  ['dingtalk', '{"errcode":310000,"errmsg":"sign not match"}', '310000: sign not match'],
  ['feishu', '{"code":19021,"msg":"sign match fail","data":{}}', '19021: sign match fail'],
  ['feishu', '{"StatusCode":9499,"StatusMessage":"too many"}', '9499: too many'],
  // What a robot repeats of its URL or of the secret, and characters that would move the cursor.
  ['dingtalk', '{"errcode":1,"errmsg":"a\\u001b[2J secrettoken and robotsecret"}', '1: a [2J *** and ***'],
];

test("a robot's own code decides, and its own words are told", async () => {
  await using receiver = await startPostReceiver();
  using agent = makeAgent();
  for (const [robot, body, words] of refusals) {
    receiver.answer = { status: 200, body };
    const target = robotAt(robot, receiver.port, '/send?token=secrettoken');
    assert.deepEqual(await send(agent, { ...target, secret: new SecretText('robotsecret') }), {
      kind: 'refused',
      words,
      retryable: true,
    });
  }
});

test('what is no answer of the robot is a refusal that tells nothing of it', async () => {
  await using receiver = await startPostReceiver();
  using agent = makeAgent();
  for (const robot of robots) {
    for (const body of ['', 'ok', '[]', 'null', '0', '{}', '{"errcode":"0","code":"0"}', '<html>private page</html>']) {
      receiver.answer = { status: 200, body };
      const result = await send(agent, robotAt(robot, receiver.port, '/'));
      assert.deepEqual(result, {
        kind: 'refused',
        words: 'The answer, status 200, is not that of a robot.',
        retryable: true,
      });
    }
    receiver.answer = { status: 502, body: '{"errcode":0,"errmsg":"ok","code":0,"msg":"ok"}' };
    const result = await send(agent, robotAt(robot, receiver.port, '/'));
    assert.deepEqual(result, { kind: 'refused', words: 'status 502, 0: ok', retryable: true });
  }
});

test('the guard holds, a redirect is not followed, and a robot that hangs is given up', async () => {
  await using inside = await startPostReceiver();
  await using outside = await startTrialReceiver('127.0.0.2');
  using agent = makeAgent({}, { allowed: networkSet(['127.0.0.2']) });
  for (const robot of robots) {
    assert.deepEqual(await send(agent, robotAt(robot, inside.port, '/')), {
      kind: 'refused',
      words: 'The address of the server is not public.',
      retryable: true,
    });
    const target = { kind: robot, url: new SecretText(`http://127.0.0.2:${outside.port}/`) };
    outside.serve = (socket) => socket.end(reply(302, '', { Location: `http://127.0.0.1:${inside.port}/` }));
    const redirected = await send(agent, target);
    assert.equal(redirected.kind === 'refused' && redirected.words, 'The answer, status 302, is not that of a robot.');
    const stop = new AbortController();
    outside.serve = () => stop.abort();
    assert.equal((await send(agent, target, [noticeOf()], stop.signal)).kind, 'refused');
  }
  assert.equal(inside.posted.length, 0);
});

test('a URL that cannot be one is not tried again', async () => {
  using agent = makeAgent();
  for (const robot of robots) {
    const result = await send(agent, { kind: robot, url: new SecretText('dingtalk://token=hunter2') });
    assert.ok(result.kind === 'refused' && !result.retryable);
    assert.doesNotMatch(result.words, /hunter2/);
  }
});

test('a digest is cut to what the robot takes, in bytes', async () => {
  await using receiver = await startPostReceiver();
  receiver.answer = { status: 200, body: '{"errcode":0,"errmsg":"ok","code":0,"msg":"ok"}' };
  using agent = makeAgent();
  const notices = Array.from({ length: 400 }, () =>
    noticeOf({ subject: '证书「商店」还有七天到期。\n"', detail: '<at user_id="all">' }),
  );
  const sizeOf: Readonly<Record<Robot, (body: string) => number>> = {
    wecom: (body) => Buffer.byteLength(JSON.parse(body).text.content),
    dingtalk: Buffer.byteLength,
    feishu: Buffer.byteLength,
  };
  for (const robot of robots) {
    const most = robot === 'wecom' ? 2048 : 20_000;
    for (const count of [1, 5, 400]) {
      const result = await send(agent, robotAt(robot, receiver.port, '/'), notices.slice(0, count));
      const body = receiver.posted.at(-1)?.body ?? '';
      assert.ok(sizeOf[robot](body) <= most, robot);
      assert.doesNotMatch(body, /<at/);
      const more = Number(/and (\d+) more"/.exec(body)?.[1] ?? 0);
      assert.deepEqual(result, more === 0 ? { kind: 'sent' } : { kind: 'sent', count: count - more });
      if (count < 400) continue;
      assert.ok(sizeOf[robot](body) > 0.9 * most, robot);
      assert.ok(more > 0);
    }
    const long = [noticeOf({ detail: '长'.repeat(30_000) })];
    assert.deepEqual(await send(agent, robotAt(robot, receiver.port, '/'), long), { kind: 'sent' });
    assert.ok(sizeOf[robot](receiver.posted.at(-1)?.body ?? '') <= most, robot);
  }
});

function robotAt(kind: Robot, port: number, path: string): ChannelTarget & { readonly kind: Robot } {
  return { kind, url: new SecretText(`http://127.0.0.1:${port}${path}`) };
}

function send(
  agent: GuardedAgent,
  target: ChannelTarget & { readonly kind: Robot },
  notices: readonly Notice[] = [noticeOf()],
  until = signal,
) {
  const needs: RobotNeeds = { agent, clock: { now: () => now }, userAgent: 'Waxwing/test' };
  return senders[target.kind](needs, target, notices, until);
}
