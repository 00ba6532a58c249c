import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { createAuditTrail } from '../audit/audit-trail.ts';
import { createChangeFeed } from '../database/change-feed.ts';
import type { Database } from '../database/database.ts';
import { onBothDatabases } from '../database/testing.ts';
import { Problem, type ProblemCode } from '../runtime/problem.ts';
import { createOrganizations, requireOrganization, suspendedOrganizations } from './organization.ts';

const start = Date.UTC(2026, 0, 1);

function refused(code: ProblemCode, field: string, reason?: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.deepEqual([error.code, error.field, error.reason], [code, field, reason]);
    return true;
  };
}

function worldOn(database: Database) {
  let time = start;
  const clock = { now: () => (time += 1), monotonic: () => time };
  const audit = createAuditTrail(database, randomBytes(32));
  const feed = createChangeFeed(database, clock, async () => {});
  return { database, audit, feed, organizations: createOrganizations({ database, feed, audit, clock }) };
}

onBothDatabases('organizations', (open) => {
  const openWorld = async (t: TestContext) => worldOn(await open(t));

  test('are listed in the order they were made, under the name given without the space around it', async (t) => {
    const { organizations, audit } = await openWorld(t);
    assert.deepEqual(await organizations.list(), []);
    const names = ['  Łódź & Söhne 有限公司  ', 'b', 'a'];
    const made = [];
    for (const name of names) made.push(await organizations.create('cli', name));
    assert.deepEqual(
      made.map((organization) => organization.name),
      ['Łódź & Söhne 有限公司', 'b', 'a'],
    );
    assert.deepEqual(await organizations.list(), made);
    assert.deepEqual(await organizations.get(made[1]?.id ?? ''), made[1]);
    assert.match(made[0]?.created_at ?? '', /^2026-01-01T00:00:00\.\d{3}Z$/);
    const [entry] = await audit.list({ limit: 1 });
    assert.deepEqual(
      [entry?.action, entry?.actor, entry?.subject, entry?.organizationId, entry?.detail],
      ['organization.create', 'cli', made[2]?.id, made[2]?.id, '{"name":"a"}'],
    );
  });

  test('a name that is empty, too long or holds what does not print is refused, and nothing is stored', async (t) => {
    const { organizations, audit } = await openWorld(t);
    const names = ['', ' \t ', 'a\nb', 'a\0b', 'a\u001b[31mb', 'a\ud800b', 'x'.repeat(201)];
    for (const name of names) {
      await assert.rejects(organizations.create('cli', name), refused('invalid_parameter', 'name'));
    }
    assert.deepEqual(await organizations.list(), []);
    assert.deepEqual(await audit.list({ limit: 1 }), []);
  });

  test('a name exists once, also when two ask for it at the same time', async (t) => {
    const { organizations, audit } = await openWorld(t);
    const both = await Promise.allSettled([organizations.create('cli', 'Acme'), organizations.create('cli', ' Acme ')]);
    assert.deepEqual(both.map((outcome) => outcome.status).sort(), ['fulfilled', 'rejected']);
    await assert.rejects(organizations.create('cli', 'Acme'), refused('conflict', 'name', 'name_taken'));
    assert.equal((await organizations.create('cli', 'x'.repeat(200))).name.length, 200);
    assert.equal((await organizations.create('cli', 'acme')).name, 'acme');
    assert.equal((await audit.list({ limit: 10 })).length, 3);
  });

  test('a suspended one is known as such from the next question on, and can be resumed', async (t) => {
    const { organizations, feed, audit, database } = await openWorld(t);
    const [one, other] = [await organizations.create('cli', 'one'), await organizations.create('cli', 'other')];
    const heard: unknown[] = [];
    await feed.sync();
    feed.listen((changes) => heard.push(changes));
    const suspended = await organizations.setSuspended('cli', one.id, true);
    assert.deepEqual(suspended, { ...one, suspended: true });
    assert.deepEqual(heard, [[{ kind: 'organization', subjectId: one.id }]]);
    assert.deepEqual(await suspendedOrganizations(database.db, [one.id, other.id]), new Set([one.id]));
    assert.deepEqual(await suspendedOrganizations(database.db, []), new Set());
    assert.deepEqual(await organizations.setSuspended('cli', one.id, false), one);
    assert.deepEqual(await suspendedOrganizations(database.db, [one.id, other.id]), new Set());
    assert.deepEqual(
      (await audit.list({ subject: one.id, limit: 10 })).map((entry) => entry.action),
      ['organization.resume', 'organization.suspend', 'organization.create'],
    );
  });

  test('one that does not exist is named as the fault, and suspending it changes nothing', async (t) => {
    const { organizations, audit, database } = await openWorld(t);
    await assert.rejects(organizations.get('x'), refused('not_found', 'organization'));
    await assert.rejects(requireOrganization(database.db, 'x'), refused('not_found', 'organization'));
    await assert.rejects(organizations.setSuspended('cli', 'x', true), refused('not_found', 'organization'));
    assert.deepEqual(await audit.list({ limit: 1 }), []);
  });
});
