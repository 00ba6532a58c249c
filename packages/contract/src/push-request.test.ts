import assert from 'node:assert/strict';
import { test } from 'node:test';
import Value from 'typebox/value';
import { StatusPush, UplinkPush } from './push-request.ts';

test('the schemas say the same as the types', () => {
  assert.ok(Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'UNDELIV' }));
  assert.ok(Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'REJECTED', memo: 'x' }));
  assert.ok(!Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'REJECTED' }));
  assert.ok(!Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'REJECTED', memo: '' }));
  assert.ok(!Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'DELIVRD', memo: 'x' }));
  assert.ok(Value.Check(UplinkPush, { mobile: '+1', message: '' }));
});
