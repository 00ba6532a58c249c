import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditIndexRunRow } from '../database/audit-tables.ts';
import { nextMerge, nextRemoval } from './run-plan.ts';

type Given = readonly [id: number, level: number, first: number, last: number, state?: AuditIndexRunRow['state']];

const row = ([id, level, first_link, last_link, state = 'ready']: Given): AuditIndexRunRow => ({
  ...{ id, level, first_link, last_link, state, pages: 1 },
});

const cases: readonly [name: string, runs: readonly Given[], pruned: number, task: string][] = [
  ['nothing is to be done without runs', [], 0, 'nothing'],
  [
    'nor with too few of a level',
    [
      [1, 0, 1, 9],
      [2, 0, 10, 19],
      [4, 1, 0, 0],
    ],
    -1,
    'nothing',
  ],
  [
    'the oldest of a level are put together',
    [
      [9, 0, 30, 39],
      [1, 0, 1, 9],
      [3, 0, 20, 29],
      [2, 0, 10, 19],
    ],
    0,
    'begin 1 2 3',
  ],
  [
    'what is begun goes on',
    [
      [1, 0, 1, 9],
      [2, 0, 10, 19],
      [3, 0, 20, 29],
      [4, 1, 1, 29, 'building'],
      [5, 0, 30, 39],
    ],
    0,
    'merge 4 of 1 2 3',
  ],
  [
    'small runs before large ones',
    [
      ...([
        [1, 1, 1, 9],
        [2, 1, 10, 19],
        [3, 1, 20, 29],
        [4, 2, 1, 29, 'building'],
      ] as const),
      ...([
        [5, 0, 30, 39],
        [6, 0, 40, 49],
        [7, 0, 50, 59],
      ] as const),
    ],
    0,
    'begin 5 6 7',
  ],
  [
    'putting together before removing',
    [
      [1, 0, 1, 9],
      [2, 0, 10, 19],
      [3, 0, 20, 29],
      [4, 0, -9, 0, 'dropped'],
    ],
    9,
    'begin 1 2 3',
  ],
  [
    'what is built of nothing is dropped',
    [
      [1, 0, 1, 9, 'dropped'],
      [2, 0, 30, 39],
      [3, 1, 1, 29, 'ready'],
      [4, 1, 1, 29, 'building'],
    ],
    0,
    'drop 4',
  ],
  [
    'what is dropped is removed',
    [
      [1, 0, 1, 9],
      [2, 1, 1, 9, 'dropped'],
    ],
    9,
    'remove 2',
  ],
  [
    'a run is dropped when all its links are pruned',
    [
      [1, 0, 1, 9],
      [2, 0, 10, 19],
    ],
    9,
    'drop 1',
  ],
  [
    'and stays when one is left',
    [
      [1, 0, 1, 9],
      [2, 0, 10, 19],
    ],
    8,
    'nothing',
  ],
  [
    'a dropped run is no part of a new one',
    [
      [1, 0, 1, 9, 'dropped'],
      [2, 0, 10, 19],
      [3, 0, 20, 29],
    ],
    0,
    'remove 1',
  ],
];

for (const [name, runs, pruned, expected] of cases) {
  test(name, () => {
    const task = nextMerge(runs.map(row), 3) ?? nextRemoval(runs.map(row), pruned);
    const ids = (each: readonly AuditIndexRunRow[]) => each.map(({ id }) => id).join(' ');
    const shown = (): string => {
      if (task === undefined) return 'nothing';
      if (task.kind === 'begin') return `begin ${ids(task.sources)}`;
      return task.kind === 'merge' ? `merge ${task.run.id} of ${ids(task.sources)}` : `${task.kind} ${task.run.id}`;
    };
    assert.equal(shown(), expected);
  });
}
