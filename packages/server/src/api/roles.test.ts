import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import { problemCodes } from '@waxwing/contract/open-api.ts';
import { problems } from '../runtime/problem.ts';
import type { AccountActor, Actor, KeyActor } from './actor.ts';
import { actions, freshMs, type Least, may, type Role, roles, type Verdict } from './roles.ts';

const now = 1_000_000_000;
const person = (memberships: Record<string, Role>, more: Partial<AccountActor> = {}): AccountActor => ({
  kind: 'account',
  accountId: 'a',
  operator: false,
  memberships: new Map(Object.entries(memberships)),
  sessionId: 's',
  authenticatedAt: now,
  ...more,
});
const key = (organizationId: string, role: KeyActor['role']): KeyActor => ({
  kind: 'key',
  keyId: 'k',
  organizationId,
  role,
});

const actors: Readonly<Record<string, Actor | undefined>> = {
  nobody: undefined,
  'viewer of acme': person({ acme: 'viewer', other: 'owner' }),
  'developer of acme': person({ acme: 'developer' }),
  'admin of acme': person({ acme: 'admin' }),
  'owner of acme': person({ acme: 'owner' }),
  'owner of another': person({ other: 'owner' }),
  'member of nothing': person({}),
  operator: person({}, { operator: true }),
  'viewer key of acme': key('acme', 'viewer'),
  'owner key of acme': key('acme', 'owner'),
  'owner key of another': key('other', 'owner'),
  'key of the instance': key('', 'operator'),
};

const short = (verdict: Verdict): string => (verdict.allowed ? 'yes' : verdict.why);

/**
 * The answers for a thing of acme, in the order of `actors`: `.` yes, `r` role, `-` not a member, `u` unauthenticated.
 */
const inAcme: Readonly<Record<Exclude<Least, 'operator' | 'person' | 'anyone' | 'public'>, string>> = {
  viewer: 'u....--...-.',
  developer: 'ur...--.r.-.',
  admin: 'urr..--.r.-.',
  owner: 'urrr.--.r.-.',
};
/** For the instance, or the actor. */
const outside: Readonly<Record<'operator' | 'person' | 'anyone' | 'public', string>> = {
  operator: 'urrrrrr.rrr.',
  person: 'u.......rrrr',
  anyone: 'u...........',
  public: '............',
};
const letters: Readonly<Record<string, string>> = { yes: '.', role: 'r', not_a_member: '-', unauthenticated: 'u' };

for (const [action, least] of Object.entries(actions) as [string, Least][]) {
  test(`${action}: ${least} and no less`, () => {
    const expected = { ...inAcme, ...outside }[least];
    const organizationId = (roles as readonly string[]).includes(least) ? 'acme' : undefined;
    const told = Object.values(actors).map((actor) => letters[short(may(actor, { action, organizationId }, now))]);
    assert.equal(told.join(''), expected);
  });
}

test('an operation of operators on an organization does not exist for those who do not belong to it', () => {
  const ask = (name: string) =>
    short(may(actors[name], { action: 'organization.suspend', organizationId: 'acme' }, now));
  assert.equal(ask('owner of acme'), 'role');
  assert.equal(ask('owner of another'), 'not_a_member');
  assert.equal(ask('operator'), 'yes');
});

test('an unknown action is refused to everybody', () => {
  for (const action of ['', 'certificate.steal', 'toString', '__proto__', 'constructor']) {
    for (const actor of Object.values(actors)) {
      assert.equal(may(actor, { action, organizationId: 'acme' }, now).allowed, false, action);
    }
  }
});

test('what must be fresh is refused five minutes after the sign-in, and to keys at any time', () => {
  const question = { action: 'certificate.export', organizationId: 'acme', fresh: true };
  const owner = (authenticatedAt: number) => person({ acme: 'owner' }, { authenticatedAt });
  assert.equal(short(may(owner(now - freshMs), question, now)), 'yes');
  assert.equal(short(may(owner(now - freshMs - 1), question, now)), 'fresh');
  assert.equal(short(may(key('acme', 'owner'), question, now)), 'role');
  assert.equal(short(may(key('', 'operator'), question, now)), 'role');
  assert.equal(short(may(person({ acme: 'viewer' }, { authenticatedAt: 0 }), question, now)), 'role');
});

test('every operation asks about an action of the table, and every action is asked about', () => {
  const asked = new Set(allOperations.map(({ action }) => action));
  const unknown = [...asked].filter((action) => !Object.hasOwn(actions, action));
  assert.deepEqual(unknown, []);
  // `public` may be unused at times.
  const idle = Object.keys(actions).filter((action) => action !== 'public' && !asked.has(action));
  assert.deepEqual(idle, []);
});

test('a role of an organization is asked for where the path names one, and nowhere else', () => {
  for (const { id, action, path } of allOperations) {
    const least: Least = actions[action as keyof typeof actions];
    const isRole = (roles as readonly string[]).includes(least);
    if (isRole) assert.ok(path.startsWith('/organizations/{organization_id}'), id);
    if (path.startsWith('/organizations/{')) assert.ok(isRole || least === 'operator', id);
  }
});

test('every code that an operation names is a problem there is', () => {
  for (const each of allOperations) {
    assert.deepEqual(
      problemCodes(each).filter((code) => !Object.hasOwn(problems, code)),
      [],
      each.id,
    );
  }
});
