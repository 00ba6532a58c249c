import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PushLane } from './push-lane.ts';

const push = {
  ...{ organizationId: 'o', id: 'p', settingId: 's', dueAt: 1, queuedAt: 1, attempts: 0, attemptsBefore: 0 },
  payload: { batch_id: 'b', mobile: '13800138000', status: 'DELIVRD' } as const,
};

function openLane(): PushLane {
  return new PushLane('s', 1, { name: 'push/1', epoch: 1, lost: new AbortController().signal });
}

test('a push that a reading found before its committer heard of the commit is in memory once', () => {
  const lane = openLane();
  const limit = lane.beginReading(0);
  lane.endReading([push], limit);
  lane.offer(push);
  assert.deepEqual(lane.take(), push);
  assert.equal(lane.take(), undefined);
});

test('a push whose attempt is running is not taken again from its committer', () => {
  const lane = openLane();
  const limit = lane.beginReading(0);
  lane.endReading([push], limit);
  lane.take();
  lane.offer(push);
  assert.equal(lane.queued, 0);
});
