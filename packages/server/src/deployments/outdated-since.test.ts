import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OutdatedFacts, outdatedSince } from './outdated-since.ts';

const now = 10_000;

const behind: OutdatedFacts = {
  enabled: 1,
  permitted: 1,
  expires_at: null,
  created_at: 1_000,
  certificate_state: 'issued',
  version_state: 'issued',
  current_version: 'v2',
  current_since: 2_000,
  last_version: 'v1',
};

const cases: readonly [what: string, facts: Partial<OutdatedFacts>, since: number | null][] = [
  ['it has a former version', {}, 2_000],
  ['it has the current version', { last_version: 'v2' }, null],
  ['it has fetched nothing yet', { last_version: null }, 2_000],
  ['it is younger than the current version', { created_at: 3_000, last_version: null }, 3_000],
  ['it is as old as the current version', { created_at: 2_000, last_version: null }, 2_000],
  ['it has a version that became current again', { current_version: 'v1', current_since: 4_000 }, null],
  ['it has a version that was current for a while', { current_version: 'v1', last_version: 'v2' }, 2_000],
  ['it is disabled', { enabled: 0 }, null],
  ['it is disabled and has fetched nothing', { enabled: 0, last_version: null }, null],
  ['it is forbidden', { permitted: 0 }, null],
  ['it has expired', { expires_at: now - 1 }, null],
  ['it expires at this moment', { expires_at: now }, null],
  ['it expires later', { expires_at: now + 1 }, 2_000],
  ['the current version is revoked', { version_state: 'revoked' }, null],
  ['the current version is revoked and it has fetched nothing', { version_state: 'revoked', last_version: null }, null],
  ['its certificate is revoked', { certificate_state: 'revoked' }, null],
  [
    'its certificate is not issued yet',
    { certificate_state: 'pending', version_state: null, current_version: null },
    null,
  ],
  [
    'its certificate was never issued',
    { certificate_state: 'failed', version_state: null, current_version: null },
    null,
  ],
  [
    'its certificate has no version',
    { version_state: null, current_version: null, current_since: null, last_version: null },
    null,
  ],
  ['its certificate is gone', { certificate_state: null, version_state: null, current_version: null }, null],
];

for (const [what, facts, since] of cases) {
  test(`a deployment is outdated since ${since ?? 'never'} when ${what}`, () => {
    assert.equal(outdatedSince({ ...behind, ...facts }, now), since);
  });
}
