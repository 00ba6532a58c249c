import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BatcherFull, createBatcher } from './batcher.ts';

const scale = { seed: 20_260_201, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 5_000 : 150 };

class BadItem extends Error {}
class Outage extends Error {}

/** A store that keeps a group or, when one of its items is bad, nothing of it; remembers every attempt. */
function fakeStore(isBad: (item: number) => boolean = () => false) {
  const attempts: number[][] = [];
  const kept: number[] = [];
  return {
    attempts,
    kept,
    async commit(group: readonly number[]): Promise<string[]> {
      attempts.push([...group]);
      await new Promise(setImmediate);
      if (group.some(isBad)) throw new BadItem(`one of ${group.join(' ')}`);
      kept.push(...group);
      return group.map((item) => `kept ${item}`);
    },
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('offers of one turn of the loop share one commit, and each gets its own result', async () => {
  const store = fakeStore();
  const batcher = createBatcher({ commit: store.commit, maxGroup: 100, maxWaiting: 100 });
  const results = await Promise.all(numbers(5).map((item) => batcher.offer(item)));
  assert.deepEqual(store.attempts, [[0, 1, 2, 3, 4]]);
  assert.deepEqual(results, ['kept 0', 'kept 1', 'kept 2', 'kept 3', 'kept 4']);
});

/** A store whose groups end when the test says so. */
function heldStore() {
  const groups: { items: readonly number[]; end: () => void }[] = [];
  return {
    groups,
    async commit(items: readonly number[]): Promise<readonly number[]> {
      const ended = Promise.withResolvers<void>();
      groups.push({ items, end: ended.resolve });
      await ended.promise;
      return items;
    },
    async begun(count: number): Promise<void> {
      while (groups.length < count) await new Promise(setImmediate);
    },
    sizes: () => groups.map(({ items }) => items.length),
  };
}

test('a second group follows while the first is written, and no third; few items wait for the first to end', async () => {
  const { groups, commit, begun, sizes } = heldStore();
  const batcher = createBatcher({ commit, maxGroup: 100, maxWaiting: 100, underWay: 2 });
  const all = [batcher.offer(0)];
  await begun(1);
  all.push(...numbers(15).map((item) => batcher.offer(item)));
  await new Promise(setImmediate);
  assert.equal(groups.length, 1, 'few are worth no commit of their own');
  all.push(batcher.offer(15));
  await begun(2);
  all.push(...numbers(50).map((item) => batcher.offer(item)));
  await new Promise(setImmediate);
  assert.equal(batcher.waiting, 16 + 50, 'two are under way');
  groups[1]?.end();
  await begun(3);
  groups[0]?.end();
  groups[2]?.end();
  await Promise.all(all);
  await batcher.drain();
  assert.deepEqual(sizes(), [1, 16, 50]);
});

test('the last items are written, whichever group ends last', async () => {
  const { groups, commit, begun, sizes } = heldStore();
  const batcher = createBatcher({ commit, maxGroup: 20, maxWaiting: 100, underWay: 2 });
  const all = numbers(43).map((item) => batcher.offer(item));
  await begun(2);
  groups[0]?.end();
  groups[1]?.end();
  await begun(3);
  groups[2]?.end();
  await Promise.all(all);
  assert.deepEqual(sizes(), [20, 20, 3]);
});

test('a group that waits for more takes what comes meanwhile', async () => {
  const store = fakeStore();
  const gathered = Promise.withResolvers<void>();
  const batcher = createBatcher({
    ...{ commit: store.commit, maxGroup: 100, maxWaiting: 100 },
    gather: () => gathered.promise,
  });
  const first = batcher.offer(0);
  await new Promise(setImmediate);
  const second = batcher.offer(1);
  gathered.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(store.attempts, [[0, 1]]);
});

test('drain waits also for a group that takes longer than the one after it', async () => {
  const { groups, commit, begun } = heldStore();
  const batcher = createBatcher({ commit, maxGroup: 16, maxWaiting: 100, underWay: 2 });
  const offered = Promise.all(numbers(32).map((item) => batcher.offer(item)));
  await begun(2);
  let isDrained = false;
  const drained = batcher.drain().then(() => {
    isDrained = true;
  });
  groups[1]?.end();
  await new Promise(setImmediate);
  assert.equal(isDrained, false);
  groups[0]?.end();
  await Promise.all([offered, drained]);
});

test('what is offered while a group is being committed forms the next group, in order', async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const groups: number[][] = [];
  const batcher = createBatcher<number, number>({
    async commit(group) {
      groups.push([...group]);
      started.resolve();
      await release.promise;
      return group;
    },
    maxGroup: 2,
    maxWaiting: 100,
  });
  const first = batcher.offer(0);
  await started.promise;
  const others = [1, 2, 3].map((item) => batcher.offer(item));
  assert.equal(batcher.waiting, 3);
  release.resolve();
  assert.deepEqual(await Promise.all([first, ...others]), [0, 1, 2, 3]);
  assert.deepEqual(groups, [[0], [1, 2], [3]]);
  assert.equal(batcher.waiting, 0);
});

test('a bad item fails alone, and its neighbours are committed', async () => {
  const store = fakeStore((item) => item === 5);
  const batcher = createBatcher({ commit: store.commit, maxGroup: 8, maxWaiting: 8 });
  const outcomes = await Promise.allSettled(numbers(8).map((item) => batcher.offer(item)));
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    numbers(8).map((item) => (item === 5 ? 'rejected' : 'fulfilled')),
  );
  assert.deepEqual(store.kept, [0, 1, 2, 3, 4, 6, 7]);
  assert.ok(store.attempts.length <= 1 + 2 * Math.log2(8), `${store.attempts.length} attempts`);
});

test('beyond maxWaiting an offer is refused at once, and room made is room again', async () => {
  const store = fakeStore();
  const batcher = createBatcher({ commit: store.commit, maxGroup: 10, maxWaiting: 2 });
  const accepted = [batcher.offer(1), batcher.offer(2)];
  await assert.rejects(batcher.offer(3), BatcherFull);
  await Promise.all(accepted);
  assert.equal(await batcher.offer(4), 'kept 4');
  assert.deepEqual(store.kept, [1, 2, 4]);
});

test('drain waits for everything offered before it, also for what fails, and ends although others never stop offering', async () => {
  const store = fakeStore((item) => item === 4);
  const batcher = createBatcher({ commit: store.commit, maxGroup: 2, maxWaiting: 100 });
  await batcher.drain();
  const before = numbers(5).map((item) => batcher.offer(item).catch(() => 'failed'));
  let drained = false;
  async function offerOnAndOn(): Promise<void> {
    for (let item = 5; !drained; item += 1) await batcher.offer(item);
  }
  await before[0];
  const others = [offerOnAndOn(), offerOnAndOn(), offerOnAndOn()];
  await batcher.drain();
  drained = true;
  assert.deepEqual(store.kept.slice(0, 4), [0, 1, 2, 3]);
  assert.deepEqual(await Promise.all(before), ['kept 0', 'kept 1', 'kept 2', 'kept 3', 'failed']);
  await Promise.all(others);
});

test('an item offered as soon as another one is settled is committed too', async () => {
  const store = fakeStore();
  const batcher = createBatcher({ commit: store.commit, maxGroup: 10, maxWaiting: 10 });
  const chained = batcher
    .offer(1)
    .then(() => batcher.offer(2))
    .then(() => batcher.offer(3));
  assert.equal(await chained, 'kept 3');
  assert.deepEqual(store.kept, [1, 2, 3]);
});

test('a commit that fails before it returns a promise fails its items like any other', async () => {
  const batcher = createBatcher<number, never>({
    commit() {
      throw new BadItem('at once');
    },
    maxGroup: 10,
    maxWaiting: 10,
  });
  await assert.rejects(batcher.offer(1), BadItem);
  await assert.rejects(batcher.offer(2), BadItem);
});

test('an outage fails the whole group after one attempt, and the next group is tried anew', async () => {
  let attempts = 0;
  let isDown = true;
  const batcher = createBatcher<number, number>({
    async commit(group) {
      attempts += 1;
      if (isDown) throw new Outage('the database is gone');
      return group;
    },
    maxGroup: 1_000,
    maxWaiting: 1_000,
    isOutage: (error) => error instanceof Outage,
  });
  const outcomes = await Promise.allSettled(numbers(1_000).map((item) => batcher.offer(item)));
  assert.equal(attempts, 1);
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Outage));
  isDown = false;
  assert.equal(await batcher.offer(7), 7);
});

test('an outage that begins while a group is taken apart ends the taking apart of what is left in hand', async () => {
  let isDown = false;
  const kept: number[] = [];
  let attempts = 0;
  const batcher = createBatcher<number, number>({
    async commit(group) {
      attempts += 1;
      if (isDown) throw new Outage('gone');
      if (group.includes(3)) {
        isDown = group.length <= 2;
        throw new BadItem('three');
      }
      kept.push(...group);
      return group;
    },
    maxGroup: 8,
    maxWaiting: 8,
    isOutage: (error) => error instanceof Outage,
  });
  const outcomes = await Promise.allSettled(numbers(8).map((item) => batcher.offer(item)));
  assert.deepEqual(kept, [0, 1]);
  // All, the first half, its two quarters, then one attempt for each rest: 2, 3, and 4 to 7 together.
  assert.equal(attempts, 7);
  assert.equal(outcomes.filter((outcome) => outcome.status === 'rejected').length, 6);
});

test('whatever items fail and however they arrive: no result is lost, doubled or mixed up, and the order is kept', async () => {
  const cases = fc.record({
    items: fc.array(fc.record({ bad: fc.boolean(), turnsBefore: fc.nat(3) }), { minLength: 1, maxLength: 60 }),
    maxGroup: fc.integer({ min: 1, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ items, maxGroup }) => {
      const store = fakeStore((item) => items[item]?.bad === true);
      const batcher = createBatcher({ commit: store.commit, maxGroup, maxWaiting: items.length });
      const settled: number[] = [];
      const offers: Promise<string>[] = [];
      for (const [index, { turnsBefore }] of items.entries()) {
        for (let turn = 0; turn < turnsBefore; turn += 1) await new Promise(setImmediate);
        const offer = batcher.offer(index);
        offer.then(
          () => settled.push(index),
          () => settled.push(index),
        );
        offers.push(offer);
      }
      const outcomes = await Promise.allSettled(offers);
      for (const [index, outcome] of outcomes.entries()) {
        assert.equal(outcome.status, items[index]?.bad ? 'rejected' : 'fulfilled');
        if (outcome.status === 'fulfilled') assert.equal(outcome.value, `kept ${index}`);
      }
      const good = items.flatMap((item, index) => (item.bad ? [] : [index]));
      assert.deepEqual(store.kept, good);
      assert.deepEqual(settled, numbers(items.length));
      assert.ok(store.attempts.every((group) => group.length <= maxGroup));
      assert.ok(store.attempts.length <= 2 * items.length);
    }),
    scale,
  );
});
