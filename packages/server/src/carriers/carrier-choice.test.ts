import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CandidateCarrier, chooseCarrier, type MessageToCarry } from './carrier-choice.ts';

const now = Date.parse('2030-01-01T00:01:00Z');
const since = (seconds: number) => now - seconds * 1_000;

function carrier(name: string, options: Partial<CandidateCarrier> = {}): CandidateCarrier {
  return {
    ...{ id: `id of ${name}`, name, enabled: true, priority: 1, weight: 1 },
    ...{ forPrefix: [], forOrganization: [], forSender: [], downSince: undefined },
    ...options,
  };
}

function message(options: Partial<MessageToCarry> = {}): MessageToCarry {
  return { organizationId: 'acme', destination: '+8613800138000', sender: undefined, refusedBy: [], ...options };
}

const only = 'the only matching carrier';
const table: readonly (readonly [
  what: string,
  carriers: readonly CandidateCarrier[],
  message: Partial<MessageToCarry>,
  expected: string | undefined,
  reason?: string,
])[] = [
  ['there is none', [], {}, undefined],
  ['the only one', [carrier('main')], {}, 'main', only],
  ['a disabled one takes nothing', [carrier('main', { enabled: false })], {}, undefined],
  ['a disabled one leaves it to the next', [carrier('a', { enabled: false }), carrier('b')], {}, 'b', only],
  [
    'the lowest number comes first',
    [carrier('b', { priority: 2 }), carrier('a', { priority: 1 })],
    {},
    'a',
    'priority 1, the first of 2 matching carriers',
  ],
  ['a prefix holds', [carrier('cn', { forPrefix: ['+852', '+86'] })], {}, 'cn', only],
  ['no prefix holds', [carrier('hk', { forPrefix: ['+852'] })], {}, undefined],
  [
    'a condition counts before the priority',
    [carrier('hk', { forPrefix: ['+852'] }), carrier('rest', { priority: 9 })],
    {},
    'rest',
    only,
  ],
  ['the organization holds', [carrier('a', { forOrganization: ['acme'] })], {}, 'a', only],
  ['the organization is another', [carrier('a', { forOrganization: ['other'] })], {}, undefined],
  ['the sender holds', [carrier('a', { forSender: ['10690000'] })], { sender: '+10690000' }, 'a', only],
  ['a sender in another letter case holds', [carrier('a', { forSender: ['ACME'] })], { sender: 'Acme' }, 'a', only],
  ['a message without sender has not the one', [carrier('a', { forSender: ['10690000'] })], {}, undefined],
  ['a part of a sender is another sender', [carrier('a', { forSender: ['1069'] })], { sender: '10690000' }, undefined],
  [
    'of several conditions all must hold',
    [carrier('a', { forPrefix: ['+86'], forOrganization: ['other'] })],
    {},
    undefined,
  ],
  [
    'down for 5 s is not long',
    [carrier('a', { downSince: since(5) }), carrier('b', { priority: 2 })],
    {},
    'a',
    'priority 1, the first of 2 matching carriers',
  ],
  [
    'down for longer is passed over',
    [carrier('main', { downSince: since(6) }), carrier('b', { priority: 2 })],
    {},
    'b',
    'next after main, which has been down since 2030-01-01T00:00:54.000Z',
  ],
  [
    'one of the same priority takes the share of the one that is down',
    [carrier('a', { downSince: since(60), weight: 100 }), carrier('b')],
    {},
    'b',
    'next after a, which has been down since 2030-01-01T00:00:00.000Z',
  ],
  [
    'all are down: it waits for the first by priority',
    [carrier('b', { priority: 2, downSince: since(9) }), carrier('a', { downSince: since(60) })],
    {},
    'a',
    'first by priority, as no matching carrier takes it now',
  ],
  [
    'the only one is down: it waits',
    [carrier('a', { downSince: since(60) })],
    {},
    'a',
    'the only matching carrier, which is down',
  ],
  [
    'one that refused it is passed over',
    [carrier('main'), carrier('b', { priority: 2 })],
    { refusedBy: ['id of main'] },
    'b',
    'next after main, which refused it for now',
  ],
  [
    'one that is down goes before one that refused it',
    [carrier('a'), carrier('b', { priority: 2, downSince: since(60) })],
    { refusedBy: ['id of a'] },
    'b',
    'first by priority, as no matching carrier takes it now',
  ],
  [
    'the only one refused it: it is asked again',
    [carrier('a')],
    { refusedBy: ['id of a'] },
    'a',
    'the only matching carrier, which refused it for now',
  ],
];

for (const [what, carriers, options, expected, reason] of table) {
  test(`the choice of a carrier: ${what}`, () => {
    const chosen = chooseCarrier(message(options), carriers, now, 0.5);
    assert.deepEqual([chosen?.carrier.name, chosen?.reason], [expected, reason]);
  });
}

test('inside a priority each carrier has the share of its weight', () => {
  const carriers = [carrier('a', { weight: 1 }), carrier('b', { weight: 3 }), carrier('c', { priority: 2 })];
  const at = (random: number) => chooseCarrier(message(), carriers, now, random);
  assert.deepEqual(
    [0, 0.24, 0.25, 0.999_999].map((random) => at(random)?.carrier.name),
    ['a', 'a', 'b', 'b'],
  );
  assert.equal(at(0)?.reason, 'priority 1, by weight among 2 of 3 matching carriers');
});

test('a message finds a carrier exactly when an enabled one matches, whatever links are down', () => {
  const anyCarrier = fc.record({
    id: fc.uuid(),
    name: fc.string(),
    enabled: fc.boolean(),
    priority: fc.integer({ min: 1, max: 100 }),
    weight: fc.integer({ min: 1, max: 100 }),
    forPrefix: fc.subarray(['+86', '+852']),
    forOrganization: fc.subarray(['acme', 'other']),
    forSender: fc.constant([]),
    downSince: fc.option(fc.integer({ min: 0, max: now }), { nil: undefined }),
  });
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.array(anyCarrier), unit, fc.boolean(), (carriers, random, isRefused) => {
      const refusedBy = isRefused ? carriers.slice(0, 2).map(({ id }) => id) : [];
      const chosen = chooseCarrier(message({ refusedBy }), carriers, now, random);
      const hold = carriers.filter(
        ({ enabled, forPrefix, forOrganization }) =>
          enabled &&
          (forPrefix.length === 0 || forPrefix.includes('+86')) &&
          (forOrganization.length === 0 || forOrganization.includes('acme')),
      );
      if (hold.length === 0) assert.equal(chosen, undefined);
      else assert.ok(chosen !== undefined && hold.some(({ id }) => id === chosen.carrier.id));
    }),
  );
});
