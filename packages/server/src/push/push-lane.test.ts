import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PushLane } from './push-lane.ts';

const push = {
  ...{ organizationId: 'o', id: 'p', settingId: 's', dueAt: 1, queuedAt: 1, attempts: 0, attemptsBefore: 0 },
  payload: { batch_id: 'b', mobile: '13800138000', status: 'DELIVRD' } as const,
};

function openLane(): PushLane {
  return new PushLane('s', 1, { name: 'push/1', epoch: 1, takenAt: 0, lost: new AbortController().signal });
}

/** A reading that finds the push, from the moment 10 to the moment 20. */
function read(lane: PushLane): void {
  const limit = lane.beginReading(10);
  lane.endReading([push], limit, 20);
}

test('a push that a reading found before its committer heard of the commit is in memory once', () => {
  const lane = openLane();
  read(lane);
  assert.equal(lane.offer(push, 5), true);
  assert.deepEqual(lane.take(), push);
  assert.equal(lane.take(), undefined);
});

test('a push whose attempt is running is not taken again from its committer', () => {
  const lane = openLane();
  read(lane);
  lane.take();
  assert.equal(lane.offer(push, 5), true);
  assert.equal(lane.queued, 0);
});

test('a push that was read and delivered before its committer heard of the commit is left to the database', () => {
  const lane = openLane();
  read(lane);
  lane.take();
  lane.forget(push.id);
  // Whether it began to be committed before that reading or during it.
  for (const since of [5, 19]) assert.equal(lane.offer(push, since), false);
  assert.deepEqual([lane.queued, lane.mayHaveMore], [0, true]);
});

test('nor is one that was ended meanwhile, as when its switch was off', () => {
  const lane = openLane();
  lane.noteFound(20);
  assert.equal(lane.offer(push, 19), false);
});

test('what is committed after a reading, or beside readings that found nothing, is taken from its committer', () => {
  const lane = openLane();
  const limit = lane.beginReading(10);
  lane.endReading([], limit, 20);
  assert.equal(lane.offer(push, 5), true);
  const other = openLane();
  read(other);
  assert.equal(other.offer({ ...push, id: 'q' }, 20), true);
});

test('what was being committed when the lease came here may have been delivered by its former holder', () => {
  const lane = openLane();
  assert.equal(lane.offer(push, -1), false);
  assert.equal(openLane().offer(push, 0), true, 'and what came afterwards has not');
});
