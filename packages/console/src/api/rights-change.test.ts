import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Me } from './me.ts';
import { type RightsChange, rightsChange } from './rights-change.ts';

type Role = Me['organizations'][number]['role'];

const person = (roles: Readonly<Record<string, Role>>, { id = 'a', operator = false } = {}): Me => ({
  id,
  email: `${id}@example.com`,
  operator,
  organizations: Object.entries(roles).map(([organization, role]) => ({ id: organization, name: organization, role })),
  session_id: 's',
  fresh_until: '2026-01-01T00:00:00Z',
  modules: ['certificates', 'messaging'],
});

const before = person({ acme: 'admin' });
const operator = person({ acme: 'admin' }, { operator: true });

const cases: readonly [what: string, former: Me, now: Me, change: RightsChange][] = [
  [
    'nothing',
    before,
    { ...before, fresh_until: '2026-01-01T00:05:00Z', modules: ['certificates', 'messaging'] },
    'none',
  ],
  ['another sign-in of the same person', before, { ...before, session_id: 't' }, 'none'],
  ['somebody else', before, person({ acme: 'admin' }, { id: 'b' }), 'other-person'],
  ['another role', before, person({ acme: 'viewer' }), 'other-rights'],
  ['one organization more', before, person({ acme: 'admin', other: 'viewer' }), 'other-rights'],
  ['no organization any more', before, person({}), 'less'],
  ['another organization', before, person({ other: 'admin' }), 'less'],
  ['an operator', before, operator, 'other-rights'],
  ['an operator no more', operator, before, 'less'],
  ['an operator who left an organization', operator, person({}, { operator: true }), 'other-rights'],
];

for (const [what, former, now, change] of cases) {
  test(`${what}: ${change}`, () => assert.equal(rightsChange(former, now), change));
}
