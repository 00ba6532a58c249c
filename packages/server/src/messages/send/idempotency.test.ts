import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideKey, fingerprintOf, idempotencyMs, type KeyRecord } from './idempotency.ts';

test('the fingerprint is of what the body says, not of how it is written', () => {
  const body = { mobile: '+8613800138000', content: 'Hello', sender: '106' };
  const written = JSON.parse('{"sender":"106", "content":"\\u0048ello",\n"mobile":"+8613800138000"}');
  assert.match(fingerprintOf(body), /^[0-9a-f]{64}$/);
  assert.equal(fingerprintOf(written), fingerprintOf(body));
});

test('any other request has another fingerprint', () => {
  const { mobile, content } = { mobile: '+8613800138000', content: 'Hello' };
  const fingerprints = [
    { mobile, content },
    { mobiles: [mobile], content },
    { mobiles: [mobile, mobile], content },
    { mobile: '+86 13800138000', content },
    { mobile, content: 'Hello ' },
    { mobile, content, sender: '106' },
    { mobile, content: '\ud800' },
    { mobile, content: '\ufffd' },
  ].map(fingerprintOf);
  assert.equal(new Set(fingerprints).size, fingerprints.length);
});

test('the same request is replayed, a concurrent one waits, another is a conflict, all for 24 hours', () => {
  const answered: KeyRecord = { kind: 'answered', fingerprint: 'f', batchId: 'b', answeredAt: 1000 };
  const end = 1000 + idempotencyMs;
  assert.deepEqual(decideKey(undefined, 'f', 0), { kind: 'proceed' });
  assert.deepEqual(decideKey({ kind: 'under-way' }, 'f', 0), { kind: 'wait' });
  assert.deepEqual(decideKey(answered, 'f', 1000), { kind: 'replay', batchId: 'b' });
  assert.deepEqual(decideKey(answered, 'f', end - 1), { kind: 'replay', batchId: 'b' });
  assert.deepEqual(decideKey(answered, 'other', end - 1), { kind: 'conflict' });
  assert.deepEqual(decideKey(answered, 'f', end), { kind: 'proceed' });
  assert.deepEqual(decideKey(answered, 'other', end), { kind: 'proceed' });
});
