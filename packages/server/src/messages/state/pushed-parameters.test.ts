import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pushParameters, StatusPush, UplinkPush } from '@waxwing/contract/push-request.ts';
import Value from 'typebox/value';
import { rejected } from './message-state.ts';
import { replyParameters, sampleParameters, statusParameters } from './pushed-parameters.ts';

test('a status push has its parameters in the given order, memo when and only when it was rejected', () => {
  const [batchId, mobile, status] = pushParameters.status;
  for (const name of ['DELIVRD', 'UNDELIV'] as const) {
    const parameters = statusParameters('b', '+86 138', { status: name });
    assert.deepEqual(Object.entries(parameters), [
      [batchId, 'b'],
      [mobile, '+86 138'],
      [status, name],
    ]);
  }
  const parameters = statusParameters('b', '1', rejected('黑名单'));
  assert.deepEqual(Object.keys(parameters), pushParameters.status);
  assert.deepEqual(Object.values(parameters), ['b', '1', 'REJECTED', '黑名单']);
});

test('its memo is never empty', () => {
  for (const blank of ['', ' ', '\t\n', '\u0000']) {
    assert.ok(Value.Check(StatusPush, statusParameters('b', '1', rejected(blank))), JSON.stringify(blank));
  }
});

test('an uplink push has the phone number and the text', () => {
  assert.deepEqual(Object.entries(replyParameters('+1', '')), [
    ['mobile', '+1'],
    ['message', ''],
  ]);
});

test('there is a sample of each outcome, and of a reply', () => {
  const common = { batch_id: 'test', mobile: '+8613800138000' };
  assert.deepEqual(sampleParameters('status', 'delivered'), { ...common, status: 'DELIVRD' });
  assert.deepEqual(sampleParameters('status', 'undelivered'), { ...common, status: 'UNDELIV' });
  const rejection = { ...common, status: 'REJECTED', memo: 'recipient opted out' };
  assert.deepEqual(sampleParameters('status', 'rejected'), rejection);
  assert.ok(Value.Check(UplinkPush, sampleParameters('uplink', 'delivered')));
});
