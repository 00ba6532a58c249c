import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Me, mayDo } from './me.ts';

const person = (operator: boolean, role?: 'viewer' | 'developer' | 'admin' | 'owner'): Me => ({
  id: 'a',
  email: 'a@example.com',
  operator,
  organizations: role === undefined ? [] : [{ id: 'org', name: 'Org', role }],
  session_id: 's',
  fresh_until: '2026-01-01T00:00:00Z',
  modules: ['certificates', 'messaging'],
});

const cases: readonly [who: string, me: Me, action: string, organizationId: string | undefined, may: boolean][] = [
  ['a viewer', person(false, 'viewer'), 'certificate.read', 'org', true],
  ['a viewer', person(false, 'viewer'), 'certificate.import', 'org', false],
  ['a developer', person(false, 'developer'), 'certificate.import', 'org', true],
  ['a developer', person(false, 'developer'), 'certificate.export', 'org', false],
  ['an owner', person(false, 'owner'), 'certificate.export', 'org', true],
  ['an owner of another organization', person(false, 'owner'), 'certificate.read', 'other', false],
  ['an owner', person(false, 'owner'), 'organization.create', undefined, false],
  ['an operator', person(true), 'organization.create', undefined, true],
  ['an operator', person(true), 'certificate.export', 'anything', true],
  ['anybody', person(false), 'organization.list', undefined, true],
  ['an operator', person(true), 'no.such.action', 'org', false],
];

for (const [who, me, action, organizationId, may] of cases) {
  test(`${who} ${may ? 'may' : 'may not'} ${action}${organizationId === undefined ? '' : ` in ${organizationId}`}`, () => {
    assert.equal(mayDo(me, { action }, organizationId), may);
  });
}
