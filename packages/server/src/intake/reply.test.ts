import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareAddress, ownerOfReply, type ReplyRoute, replyWindowMs } from './reply.ts';

const now = 1_800_000_000_000;
const reply = { carrierId: 'c1', to: '+8610690001234' };
const recent = { organizationId: 'latest', acceptedAt: now - 1 };

function route(organizationId: string, match: ReplyRoute['match'], carrierId = 'c1'): ReplyRoute {
  return { organizationId, carrierId, match };
}

test('the route of the very number comes first, wherever it stands', () => {
  const routes = [
    route('prefix', { prefix: '861069000' }),
    route('other', { number: '8610690001235' }),
    route('number', { number: '+8610690001234' }),
    route('longer', { prefix: '861069000123' }),
  ];
  for (const order of [routes, routes.toReversed()]) {
    assert.deepEqual(ownerOfReply(reply, order, recent, now), { by: 'number', organizationId: 'number' });
  }
});

test('else the longest prefix', () => {
  const routes = [
    route('short', { prefix: '86' }),
    route('long', { prefix: '861069' }),
    route('longest but foreign', { prefix: '8610691' }),
  ];
  for (const order of [routes, routes.toReversed()]) {
    assert.deepEqual(ownerOfReply(reply, order, recent, now), { by: 'prefix', organizationId: 'long' });
  }
});

test('routes of another carrier and empty prefixes do not count', () => {
  const routes = [
    route('elsewhere', { number: '8610690001234' }, 'c2'),
    route('elsewhere', { prefix: '86' }, 'c2'),
    route('everything', { prefix: '' }),
    route('everything', { prefix: '+' }),
  ];
  assert.deepEqual(ownerOfReply(reply, routes, recent, now), { by: 'latest-message', organizationId: 'latest' });
});

test('else whoever wrote to the phone within 72 hours', () => {
  const wrote = (acceptedAt: number) => ownerOfReply(reply, [], { organizationId: 'o', acceptedAt }, now);
  assert.deepEqual(wrote(now - replyWindowMs), { by: 'latest-message', organizationId: 'o' });
  assert.deepEqual(wrote(now - replyWindowMs - 1), { by: 'nothing' });
  assert.deepEqual(ownerOfReply(reply, [], undefined, now), { by: 'nothing' });
});

test('addresses compare without plus, spaces and case', () => {
  assert.equal(bareAddress('+86 1069 0001'), '8610690001');
  assert.equal(bareAddress('Waxwing'), 'waxwing');
  const owner = ownerOfReply(
    { carrierId: 'c1', to: '10690001' },
    [route('o', { number: '+1069 0001' })],
    undefined,
    now,
  );
  assert.deepEqual(owner, { by: 'number', organizationId: 'o' });
});
