import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenersAmong } from './listeners.ts';

const channel = (id: string, organization_id: string, created_at = 0) => ({ id, organization_id, created_at });
const channels = [channel('i', ''), channel('a', 'acme'), channel('late', 'acme', 100), channel('b', 'other', 100)];

const cases: readonly [what: string, organization: string, eventAt: number | undefined, heard: readonly string[]][] = [
  ['an organization hears by its own channels', 'acme', undefined, ['a', 'late']],
  ['the instance hears by its own', '', undefined, ['i']],
  ['one without channels is heard by the instance', 'third', undefined, ['i']],
  ['an event is not told to a channel made later', 'acme', 99, ['a']],
  ['and to nobody where all were made later', 'other', 99, []],
];
for (const [what, organization, eventAt, heard] of cases) {
  test(what, () => {
    assert.deepEqual(
      listenersAmong(channels)(organization, eventAt).map(({ id }) => id),
      heard,
    );
  });
}
