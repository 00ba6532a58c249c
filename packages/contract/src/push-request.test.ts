import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import Value from 'typebox/value';
import { NO_REASON, pushParameters, StatusPush, statusQuery, UplinkPush, uplinkQuery } from './push-request.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 1_000, seed: 20_260_201 };

test('a status push has its three parameters in the given order', () => {
  assert.equal(
    statusQuery({ batch_id: '0190c3a5', mobile: '13800138000', status: 'DELIVRD' }),
    'batch_id=0190c3a5&mobile=13800138000&status=DELIVRD',
  );
  assert.equal(
    statusQuery({ batch_id: 'b', mobile: '+86 138-0013', status: 'UNDELIV' }),
    'batch_id=b&mobile=%2B86%20138-0013&status=UNDELIV',
  );
});

test('memo comes with REJECTED, and is never empty', () => {
  const rejected = (memo: string) => statusQuery({ batch_id: 'b', mobile: '1', status: 'REJECTED', memo });
  assert.equal(rejected('黑名单'), 'batch_id=b&mobile=1&status=REJECTED&memo=%E9%BB%91%E5%90%8D%E5%8D%95');
  for (const blank of ['', ' ', '\t\n']) {
    assert.equal(rejected(blank), `batch_id=b&mobile=1&status=REJECTED&memo=${encodeURIComponent(NO_REASON)}`);
  }
  // A memo that slips in beside another status stays off the wire.
  const odd = { batch_id: 'b', mobile: '1', status: 'DELIVRD', memo: 'x' } as const;
  assert.equal(statusQuery(odd), 'batch_id=b&mobile=1&status=DELIVRD');
});

test('an uplink push has the phone number and the text', () => {
  assert.equal(
    uplinkQuery({ mobile: '+8613800138000', message: "TD 退订 a+b=c&d?e/f#g 100% (it's) ~ok*!" }),
    'mobile=%2B8613800138000&message=TD%20%E9%80%80%E8%AE%A2%20a%2Bb%3Dc%26d%3Fe%2Ff%23g%20100%25%20' +
      '%28it%27s%29%20~ok%2A%21',
  );
  assert.equal(uplinkQuery({ mobile: '+1', message: '' }), 'mobile=%2B1&message=');
  assert.equal(uplinkQuery({ mobile: '+1', message: '👍\u0000\r\n' }), 'mobile=%2B1&message=%F0%9F%91%8D%00%0D%0A');
});

test('a lone surrogate becomes the replacement character', () => {
  assert.equal(uplinkQuery({ mobile: '1', message: 'a\ud83db' }), 'mobile=1&message=a%EF%BF%BDb');
  assert.equal(uplinkQuery({ mobile: '1', message: '\udc4d' }), 'mobile=1&message=%EF%BF%BD');
});

test('the parameters of the URL itself stay in front, untouched', () => {
  const query = (own: string) => uplinkQuery({ mobile: '1', message: 'x' }, own);
  assert.equal(query('token=a%2fb+c&&empty='), 'token=a%2fb+c&&empty=&mobile=1&message=x');
  assert.equal(query('a=1&'), 'a=1&mobile=1&message=x');
  assert.equal(query('flag'), 'flag&mobile=1&message=x');
});

test('every text arrives as it was sent, in visible ASCII, and in the given order', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(text, text, text, text, (batch_id, mobile, memo, own) => {
      const ownQuery = encodeURIComponent(own.toWellFormed());
      const query = statusQuery({ batch_id, mobile, status: 'REJECTED', memo }, ownQuery);
      assert.match(query, /^[A-Za-z0-9\-._~%&=!'()*]*$/);
      assert.ok(ownQuery === '' || query.startsWith(`${ownQuery}&`));
      const pairs = query
        .slice(ownQuery === '' ? 0 : ownQuery.length + 1)
        .split('&')
        .map((pair) => pair.split('='));
      assert.deepEqual(
        pairs.map(([name]) => name),
        pushParameters.status,
      );
      assert.deepEqual(
        pairs.map(([, value]) => decodeURIComponent(value ?? '')),
        [batch_id, mobile, 'REJECTED', memo.trim() === '' ? NO_REASON : memo].map((each) => each.toWellFormed()),
      );
      for (const [, value] of pairs) assert.match(value ?? '', /^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/);
    }),
    runs,
  );
});

test('the schemas say the same as the types', () => {
  assert.ok(Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'UNDELIV' }));
  assert.ok(Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'REJECTED', memo: 'x' }));
  assert.ok(!Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'REJECTED' }));
  assert.ok(!Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'REJECTED', memo: '' }));
  assert.ok(!Value.Check(StatusPush, { batch_id: 'b', mobile: '1', status: 'DELIVRD', memo: 'x' }));
  assert.ok(Value.Check(UplinkPush, { mobile: '+1', message: '' }));
});
