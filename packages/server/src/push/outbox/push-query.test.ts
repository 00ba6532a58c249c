import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pushParameters } from '@waxwing/contract/push-request.ts';
import fc from 'fast-check';
import { rawQuery } from './push-query.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 50_000 : 1_000, seed: 20_260_201 };

test('parameters are sent in their order, percent-encoded', () => {
  assert.equal(
    rawQuery({ batch_id: '0190c3a5', mobile: '+86 138-0013', status: 'UNDELIV' }, ''),
    'batch_id=0190c3a5&mobile=%2B86%20138-0013&status=UNDELIV',
  );
  assert.equal(
    rawQuery({ mobile: '1', message: "TD 退订 a+b=c&d?e/f#g 100% (it's) ~ok*!" }, ''),
    'mobile=1&message=TD%20%E9%80%80%E8%AE%A2%20a%2Bb%3Dc%26d%3Fe%2Ff%23g%20100%25%20%28it%27s%29%20~ok%2A%21',
  );
  assert.equal(rawQuery({ mobile: '+1', message: '' }, ''), 'mobile=%2B1&message=');
  assert.equal(rawQuery({ message: '👍\u0000\r\n' }, ''), 'message=%F0%9F%91%8D%00%0D%0A');
});

test('a lone surrogate becomes the replacement character', () => {
  assert.equal(rawQuery({ message: 'a\ud83db' }, ''), 'message=a%EF%BF%BDb');
  assert.equal(rawQuery({ message: '\udc4d' }, ''), 'message=%EF%BF%BD');
});

test('the parameters of the URL itself stay in front, untouched', () => {
  const query = (own: string) => rawQuery({ mobile: '1', message: 'x' }, own);
  assert.equal(query('token=a%2fb+c&&empty='), 'token=a%2fb+c&&empty=&mobile=1&message=x');
  assert.equal(query('a=1&'), 'a=1&mobile=1&message=x');
  assert.equal(query('flag'), 'flag&mobile=1&message=x');
});

test('every text arrives as it was sent, in visible ASCII, and in the given order', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(text, text, text, text, (batch_id, mobile, memo, own) => {
      const ownQuery = encodeURIComponent(own.toWellFormed());
      const query = rawQuery({ batch_id, mobile, status: 'REJECTED', memo }, ownQuery);
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
        [batch_id, mobile, 'REJECTED', memo].map((each) => each.toWellFormed()),
      );
      for (const [, value] of pairs) assert.match(value ?? '', /^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/);
    }),
    runs,
  );
});
