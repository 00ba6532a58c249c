import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSchedule } from './schedule.ts';

const runs = { seed: 20_260_331, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 1_000 };

test('what is due comes in the order of its time, then of its adding', () => {
  const schedule = createSchedule<string>();
  for (const [at, item] of [
    [5, 'b'],
    [1, 'a'],
    [5, 'c'],
    [9, 'd'],
  ] as const) {
    schedule.add(at, item);
  }
  assert.equal(schedule.nextAt, 1);
  assert.deepEqual(
    [schedule.takeDue(5), schedule.takeDue(5), schedule.takeDue(5), schedule.takeDue(5)],
    ['a', 'b', 'c', undefined],
  );
  assert.deepEqual([schedule.nextAt, schedule.size], [9, 1]);
  schedule.clear();
  assert.deepEqual([schedule.nextAt, schedule.size, schedule.takeDue(99)], [undefined, 0, undefined]);
});

test('it is a stable sort, whatever is added and taken in between', () => {
  const act = fc.oneof(fc.record({ add: fc.nat(20) }), fc.record({ take: fc.nat(20) }));
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const schedule = createSchedule<number>();
      let model: { at: number; item: number }[] = [];
      for (const [item, each] of acts.entries()) {
        if ('add' in each) {
          schedule.add(each.add, item);
          model = [...model, { at: each.add, item }].sort((a, b) => a.at - b.at || a.item - b.item);
          continue;
        }
        const first = model[0];
        const expected = first !== undefined && first.at <= each.take ? first.item : undefined;
        if (expected !== undefined) model = model.slice(1);
        assert.equal(schedule.takeDue(each.take), expected);
      }
      assert.equal(schedule.size, model.length);
      assert.equal(schedule.nextAt, model[0]?.at);
    }),
    runs,
  );
});
