import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SendMessagesRequest } from '@waxwing/contract/messaging-api.ts';
import fc from 'fast-check';
import { Check } from 'typebox/value';
import { Problem } from '../../runtime/problem.ts';
import { readSendRequest } from './send-request.ts';

const runs = { seed: 200, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 1_000 };
const one = { mobile: '+8613800138000', content: 'Hello' };

function fieldAtFault(body: unknown): string | undefined {
  try {
    readSendRequest(body, 'CN');
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === 'invalid_parameter');
    assert.ok(error.field !== undefined && error.message.startsWith(`${error.field} `) && error.message.endsWith('.'));
    return error.field;
  }
  return undefined;
}

test('a request to one number is one message', () => {
  const request = readSendRequest({ ...one, sender: 'Waxwing' }, undefined);
  assert.deepEqual(request, {
    body: { ...one, sender: 'Waxwing' },
    recipients: [{ mobile: '+8613800138000', number: '+8613800138000' }],
    content: 'Hello',
    text: { encoding: 'gsm', segments: ['Hello'] },
    sender: 'Waxwing',
  });
});

test('a number that comes twice is one message, echoed as it was written first', () => {
  const mobiles = ['138 0013 8000', '+8613800138001', '+8613800138000', '13800138001'];
  assert.deepEqual(readSendRequest({ mobiles, content: 'Hello' }, 'CN').recipients, [
    { mobile: '138 0013 8000', number: '+8613800138000' },
    { mobile: '+8613800138001', number: '+8613800138001' },
  ]);
});

test('each bad body names its field', () => {
  const mobiles = ['+8613800138000', '+8613800138001', '+8613800138002'];
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, 'body'],
    [null, 'body'],
    ['text', 'body'],
    [[one], 'body'],
    [{}, 'mobile'],
    [{ ...one, Mobile: '1' }, 'Mobile'],
    [{ ...one, senders: 'x' }, 'senders'],
    [{ ...one, mobiles }, 'mobiles'],
    [{ content: 'Hello' }, 'mobile'],
    [{ ...one, mobile: undefined }, 'mobile'],
    [{ ...one, mobile: null }, 'mobile'],
    [{ ...one, mobile: 13800138000 }, 'mobile'],
    [{ ...one, mobile: '95588' }, 'mobile'],
    [{ mobiles: '+8613800138000', content: 'Hello' }, 'mobiles'],
    [{ mobiles: [], content: 'Hello' }, 'mobiles'],
    [{ mobiles: [...mobiles, 'nobody'], content: 'Hello' }, 'mobiles[3]'],
    [{ mobiles: [...mobiles, ['+8613800138003']], content: 'Hello' }, 'mobiles[3]'],
    [{ mobiles: ['nobody', 'nowhere'], content: 'Hello' }, 'mobiles[0]'],
    [{ mobile: one.mobile }, 'content'],
    [{ ...one, content: 5 }, 'content'],
    [{ ...one, content: '' }, 'content'],
    [{ ...one, content: 'Hel\0lo' }, 'content'],
    [{ ...one, content: 'a'.repeat(1531) }, 'content'],
    [{ ...one, content: '中'.repeat(671) }, 'content'],
    [{ ...one, sender: '' }, 'sender'],
    [{ ...one, sender: null }, 'sender'],
    [{ ...one, sender: 10690000 }, 'sender'],
    [{ ...one, sender: '12' }, 'sender'],
    [{ ...one, sender: '微信' }, 'sender'],
    [{ ...one, sender: 'Twelve chars' }, 'sender'],
    [{ ...one, sender: 'Wax\n' }, 'sender'],
  ];
  for (const [body, field] of cases) assert.equal(fieldAtFault(body), field, JSON.stringify(body)?.slice(0, 80));
});

test('the limits themselves are accepted', () => {
  const mobiles = Array.from({ length: 1000 }, (_, index) => `+861380013${String(index).padStart(4, '0')}`);
  assert.equal(readSendRequest({ mobiles, content: 'Hello' }, undefined).recipients.length, 1000);
  assert.equal(fieldAtFault({ mobiles: [...mobiles, mobiles[0]], content: 'Hello' }), 'mobiles');
  for (const content of ['a'.repeat(1530), '中'.repeat(670)]) {
    assert.equal(readSendRequest({ ...one, content }, undefined).text.segments.length, 10);
  }
  for (const sender of ['106', '+8610690000', '1'.repeat(20), 'Waxwing Ltd', '0rg']) {
    assert.equal(readSendRequest({ ...one, sender }, undefined).sender, sender);
  }
});

test('a lone surrogate becomes the replacement character', () => {
  assert.equal(readSendRequest({ ...one, content: 'a\ud83db😀' }, undefined).content, 'a\ufffdb😀');
});

test('names that every object inherits are no fields', () => {
  assert.equal(
    fieldAtFault(JSON.parse('{"__proto__": {"mobile": "+8613800138000"}, "content": "Hello"}')),
    '__proto__',
  );
  assert.equal(fieldAtFault({ ...one, constructor: 1 }), 'constructor');
});

test(`what is accepted matches the published schema, and shapes outside it are refused (seed ${runs.seed})`, () => {
  const number = fc.constantFrom('+8613800138000', '13800138001', '+447911123456');
  const content = fc.constantFrom('Hello', '中文');
  const odd = fc.constantFrom<unknown>('', null, 5, [], {}, true);
  const record = fc.oneof(
    fc.record({ mobile: number, content }),
    fc.record({ mobiles: fc.array(number, { minLength: 1, maxLength: 4 }), content, sender: fc.constant('Waxwing') }),
    fc.record(
      {
        mobile: fc.oneof(number, odd),
        mobiles: fc.oneof(fc.array(fc.oneof({ weight: 4, arbitrary: number }, odd), { maxLength: 4 }), odd),
        content: fc.oneof(content, odd),
        sender: fc.oneof(fc.constantFrom('Waxwing', '10690000', 'n°'), odd),
        extra: fc.constant('x'),
      },
      { requiredKeys: [] },
    ),
  );
  const count = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(record, (body) => {
      const accepted = fieldAtFault(body) === undefined;
      count[accepted ? 'accepted' : 'refused'] += 1;
      assert.equal(accepted, Check(SendMessagesRequest, body), JSON.stringify(body));
    }),
    runs,
  );
  assert.ok(count.accepted > runs.numRuns / 10 && count.refused > runs.numRuns / 10, JSON.stringify(count));
});
