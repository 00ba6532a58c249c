import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from './clock.ts';
import { createLeaseKeeper, type LeaseKeeperOptions, type LeaseStore } from './lease.ts';

test('a holder that was paused for longer than its leases last has none when it wakes up', async () => {
  const { keeper, clock } = keeperOf({});
  await keeper.beat();
  const lease = keeper.get('a/1');
  assert.ok(lease);
  clock.time += 9_999;
  assert.equal(keeper.get('a/1'), lease);
  clock.time += 1;
  assert.equal(keeper.get('a/1'), undefined);
  assert.equal(lease.lost.aborted, false, 'nobody is known to have it');
  await keeper.beat();
  assert.equal(keeper.get('a/1'), lease, 'renewed before anybody took it');
});

test('a machine that slept, with its monotonic clock, wakes up without leases; one whose wall clock is set keeps them', async () => {
  const { keeper, clock } = keeperOf({});
  await keeper.beat();
  clock.offset += 10_000;
  assert.equal(keeper.get('a/1'), undefined);
  await keeper.beat();
  assert.ok(keeper.get('a/1'));
  clock.offset -= 3_600_000;
  assert.ok(keeper.get('a/1'));
  clock.time += 10_000;
  assert.equal(keeper.get('a/1'), undefined, 'set back, it proves nothing');
});

test('a lease counts from before the question, however long the answer takes', async () => {
  const { keeper, clock, store } = keeperOf({});
  await keeper.beat();
  const { renew } = store;
  store.renew = (...given) => {
    clock.time += 6_000;
    return renew(...given);
  };
  clock.time += 2_000;
  await keeper.beat();
  clock.time += 3_999;
  assert.ok(keeper.get('a/1'));
  clock.time += 1;
  assert.equal(keeper.get('a/1'), undefined);
});

test('a lease is given out no longer than whoever asks for it may need the rest', async () => {
  const { keeper, clock } = keeperOf({ givenOutMs: 6_000 });
  await keeper.beat();
  clock.time += 5_999;
  assert.ok(keeper.get('a/1'));
  clock.time += 1;
  assert.equal(keeper.get('a/1'), undefined);
  assert.deepEqual(keeper.names, ['a/1', 'a/2', 'a/3', 'a/4'], 'it is still held');
  await keeper.beat();
  assert.ok(keeper.get('a/1'));
});

test('a lease that somebody took is lost, and tells so', async () => {
  const { keeper, rows } = keeperOf({});
  await keeper.beat();
  const lease = keeper.get('a/1');
  rows.set('a/1', { holder: 'other', epoch: 2 });
  await keeper.beat();
  assert.equal(lease?.lost.aborted, true);
  assert.deepEqual(keeper.names, ['a/2', 'a/3', 'a/4']);
});

test('with another taking part, what is beyond the share is given up once it is idle', async () => {
  let busy = 'a/4';
  const { keeper, rows, state } = keeperOf({ isIdle: (name) => name !== busy });
  await keeper.beat();
  const lease = keeper.get('a/4');
  state.holders = 2;
  await keeper.beat();
  assert.deepEqual(keeper.names, ['a/1', 'a/2']);
  assert.equal(rows.get('a/3')?.holder, '');
  assert.equal(rows.get('a/4')?.holder, 'me', 'something of it is under way');
  assert.equal(lease?.lost.aborted, false, 'what is under way may end');
  assert.equal(keeper.get('a/4'), undefined, 'and nothing else begins');
  busy = '';
  await keeper.beat();
  assert.equal(rows.get('a/4')?.holder, '');
  assert.equal(lease?.lost.aborted, true);
});

test('on stop everything is given up', async () => {
  const { keeper, rows } = keeperOf({});
  await keeper.beat();
  await keeper.releaseAll();
  assert.deepEqual(keeper.names, []);
  assert.ok([...rows.values()].every(({ holder }) => holder === ''));
});

function keeperOf({ isIdle = () => true, ...more }: Partial<Pick<LeaseKeeperOptions, 'isIdle' | 'givenOutMs'>>) {
  const rows = new Map<string, { holder: string; epoch: number }>();
  const state = { holders: 1 };
  const all = ['a/1', 'a/2', 'a/3', 'a/4'];
  const store: LeaseStore = {
    async renew(holder, held) {
      const mine = held.filter((name) => rows.get(name)?.holder === holder);
      return {
        renewed: new Map(mine.map((name) => [name, rows.get(name)?.epoch ?? 0])),
        free: all.filter((name) => (rows.get(name)?.holder ?? '') === ''),
        holders: state.holders,
      };
    },
    async take(holder, names) {
      for (const name of names) rows.set(name, { holder, epoch: (rows.get(name)?.epoch ?? 0) + 1 });
      return new Map(names.map((name) => [name, rows.get(name)?.epoch ?? 0]));
    },
    async release(_holder, names) {
      for (const name of names) rows.set(name, { holder: '', epoch: rows.get(name)?.epoch ?? 0 });
    },
  };
  const clock: Clock & { time: number; offset: number } = {
    time: 0,
    offset: 0,
    now: () => clock.time + clock.offset,
    monotonic: () => clock.time,
  };
  const keeper = createLeaseKeeper({ store, clock, holder: 'me', all, durationMs: 10_000, isIdle, ...more });
  return { keeper, rows, state, clock, store };
}
