import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PushLane } from './push-lane.ts';

const push = {
  ...{ organizationId: 'o', id: 'p', settingId: 's', dueAt: 1, queuedAt: 1, attempts: 0, attemptsBefore: 0 },
  content: { query: { mobile: '13800138000' } },
};

function openLane(): PushLane {
  return new PushLane('s', 1, { name: 'push/1', epoch: 1, takenAt: 0, lost: new AbortController().signal });
}

/** A reading that finds the push, from the moment 10 to the moment 20. */
function read(lane: PushLane): void {
  const limit = lane.beginReading(10);
  lane.endReading([push], limit, 20);
}

const leftToTheDatabase = { queued: 0, mayHaveMore: true };

function offered(lane: PushLane, given: typeof push, since: number) {
  lane.offer(given, since);
  return { queued: lane.queued, mayHaveMore: lane.mayHaveMore };
}

test('a push that a reading found before its committer heard of the commit is in memory once', () => {
  const lane = openLane();
  read(lane);
  lane.offer(push, 5);
  assert.deepEqual(lane.take(), push);
  assert.equal(lane.take(), undefined);
});

test('a push whose attempt is running is not taken again from its committer', () => {
  const lane = openLane();
  read(lane);
  lane.take();
  lane.offer(push, 5);
  assert.deepEqual([lane.queued, lane.known], [0, 1]);
});

test('a push that was read and delivered before its committer heard of the commit is left to the database', () => {
  // Whether it began to be committed before that reading or during it.
  for (const since of [5, 19]) {
    const lane = openLane();
    read(lane);
    lane.take();
    lane.forget(push.id);
    assert.deepEqual(offered(lane, push, since), leftToTheDatabase);
  }
});

test('nor is one that was ended meanwhile, as when its switch was off', () => {
  const lane = openLane();
  lane.noteFound(20);
  assert.deepEqual(offered(lane, push, 19), leftToTheDatabase);
});

test('what is committed after a reading, or beside readings that found nothing, is taken from its committer', () => {
  const lane = openLane();
  const limit = lane.beginReading(10);
  lane.endReading([], limit, 20);
  assert.deepEqual(offered(lane, push, 5), { queued: 1, mayHaveMore: false });
  const other = openLane();
  read(other);
  assert.deepEqual(offered(other, { ...push, id: 'q' }, 20), { queued: 2, mayHaveMore: false });
});

test('what was being committed when the lease came here may have been delivered by its former holder', () => {
  const lane = openLane();
  assert.deepEqual(offered(lane, push, -1), leftToTheDatabase);
  const taken = offered(openLane(), push, 0);
  assert.deepEqual(taken, { queued: 1, mayHaveMore: false }, 'and a later one has not');
});
