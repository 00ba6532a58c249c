import assert from 'node:assert/strict';
import { createSecretKey, type KeyObject as Key } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { SecretText } from '../runtime/secret-text.ts';
import { FORMER_SECRETS, issueSigningSecret, parseSigningSecret, ROTATION_MS, signPush } from './signature.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 10_000 : 200, seed: 20_260_204 };
const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const timestamp = Math.floor(now / 1000);

test('a signature is what the standardwebhooks package computes over the query or the body', () => {
  const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 });
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  fc.assert(
    fc.property(bytes, fc.uuid(), text, text, (key, id, mobile, memo) => {
      const secret = `whsec_${Buffer.from(key).toString('base64')}`;
      const query = `token=x%2fy+z&${new URLSearchParams({ mobile, memo })}`;
      for (const signed of [query, JSON.stringify({ mobile, memo })]) {
        const expected = new Webhook(secret).sign(id, new Date(now), signed);
        assert.equal(signPush({ current: keyOf(secret), former: [] }, { id, timestamp, signed }, now), expected);
      }
    }),
    runs,
  );
});

test('the package accepts a push signed with an issued secret, also while rotating', () => {
  const [old, fresh] = [issueSigningSecret(), issueSigningSecret()];
  const query = 'mobile=%2B8613800138000&message=TD';
  const at = Math.floor(Date.now() / 1000);
  const secrets = { current: keyOf(fresh.reveal()), former: [{ key: keyOf(old.reveal()), replacedAt: now }] };
  const signature = signPush(secrets, { id: 'push-1', timestamp: at, signed: query }, now);
  const headers = { 'webhook-id': 'push-1', 'webhook-timestamp': `${at}`, 'webhook-signature': signature };
  for (const secret of [old, fresh]) {
    const webhook = new Webhook(secret.reveal());
    assert.doesNotThrow(() => webhook.verify(query, headers, { jsonParse: false }));
    assert.throws(() => webhook.verify(`${query}x`, headers, { jsonParse: false }));
  }
});

test('each old secret signs for a day after it was replaced, behind the new one', () => {
  const [current, last, first] = [1, 2, 3].map((byte) => createSecretKey(Buffer.alloc(32, byte))) as [Key, Key, Key];
  const parts = { id: 'push-1', timestamp, signed: 'mobile=1' };
  const by = (key: Key) => signPush({ current: key, former: [] }, parts, now);
  const at = (age: number) => {
    const former = [
      { key: last, replacedAt: now - age },
      { key: first, replacedAt: now - age - 1 },
    ];
    return signPush({ current, former }, parts, now).split(' ');
  };
  assert.deepEqual(at(0), [by(current), by(last), by(first)]);
  assert.deepEqual(at(ROTATION_MS - 2), [by(current), by(last), by(first)]);
  assert.deepEqual(at(ROTATION_MS - 1), [by(current), by(last)]);
  assert.deepEqual(at(ROTATION_MS), [by(current)]);
});

test('the header of as many secrets as may sign stays short', () => {
  const keys = Array.from({ length: FORMER_SECRETS + 1 }, (_, byte) => createSecretKey(Buffer.alloc(32, byte)));
  const [current, ...others] = keys as [Key, ...Key[]];
  const former = others.map((key) => ({ key, replacedAt: now }));
  assert.ok(signPush({ current, former }, { id: 'push-1', timestamp, signed: 'mobile=1' }, now).length < 300);
});

test('an issued secret has 256 random bits, is never printed, and is accepted', () => {
  const secret = issueSigningSecret((size) => Buffer.alloc(size, 7));
  assert.equal(secret.reveal(), `whsec_${Buffer.alloc(32, 7).toString('base64')}`);
  assert.notEqual(issueSigningSecret().reveal(), issueSigningSecret().reveal());
  assert.equal(`${secret}${JSON.stringify(secret)}${inspect(secret)}`, '***"***"***');
  assert.ok(parseSigningSecret(secret) !== undefined);
});

test('a secret of another form is refused', () => {
  const of = (bytes: number) => Buffer.alloc(bytes, 200).toString('base64');
  for (const bytes of [24, 25, 26, 32, 64]) assert.ok(accepts(`whsec_${of(bytes)}`), `${bytes}`);
  for (const bytes of [0, 1, 23, 65]) assert.ok(!accepts(`whsec_${of(bytes)}`), `${bytes}`);
  for (const text of [
    '',
    of(32),
    `WHSEC_${of(32)}`,
    `whsec_${of(32)} `,
    `whsec_${of(32).slice(0, -1)}`,
    `whsec_-${of(32)}`,
  ]) {
    assert.ok(!accepts(text), text);
  }
});

const accepts = (text: string) => parseSigningSecret(new SecretText(text)) !== undefined;

function keyOf(text: string) {
  const key = parseSigningSecret(new SecretText(text));
  assert.ok(key !== undefined);
  return key;
}
