import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followResends } from './followed-resends.ts';

const resend = (id: string, moved: number, left: number) => ({
  ...{ id, moved, left, organization_id: 'o', setting_id: 's', states: ['failed'] as const },
  created_at: '2026-01-02T03:04:05.000Z',
});

const shown = (resends: ReturnType<typeof followResends>) =>
  resends.map(({ id, moved, left, isEnded }) => [id, moved, left, isEnded]);

test('a re-send is followed from its first sight to its end', () => {
  const first = followResends([], [resend('a', 0, 30)]);
  const second = followResends(first, [resend('a', 20, 10), resend('b', 0, 5)]);
  assert.deepEqual(shown(second), [
    ['a', 20, 10, false],
    ['b', 0, 5, false],
  ]);
  const third = followResends(second, [resend('b', 4, 1)]);
  assert.deepEqual(shown(third), [
    ['a', 30, 0, true],
    ['b', 4, 1, false],
  ]);
  assert.deepEqual(followResends(third, [resend('b', 4, 1)]), third, 'what has ended stays as it was');
});

test('one that is taken for ended too early goes on when it is named', () => {
  const asked = { ...resend('a', 0, 0), left: null, isEnded: true };
  assert.deepEqual(shown(followResends([asked], [resend('a', 1, 2)])), [['a', 1, 2, false]]);
  assert.deepEqual(shown(followResends([asked], [])), [['a', 0, null, true]]);
});
