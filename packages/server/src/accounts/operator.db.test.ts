import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { createAuditTrail } from '../audit/audit-trail.ts';
import { onBothDatabases } from '../database/testing.ts';
import { Problem } from '../runtime/problem.ts';
import { createOperators } from './operator.ts';

onBothDatabases('operators', (open) => {
  async function openWorld(t: TestContext) {
    const database = await open(t);
    const audit = createAuditTrail(database, randomBytes(32));
    const clock = { now: () => Date.UTC(2026, 0, 1), monotonic: () => 0 };
    return { audit, operators: createOperators({ database, audit, clock }) };
  }

  test('the first one is made by a mail address, which is kept in lower case and recorded', async (t) => {
    const { operators, audit } = await openWorld(t);
    assert.equal(await operators.exist(), false);
    const made = await operators.create('cli', '  Ops@Example.COM ');
    assert.equal(made.email, 'ops@example.com');
    assert.equal(made.created_at, '2026-01-01T00:00:00.000Z');
    assert.equal(await operators.exist(), true);
    const [entry] = await audit.list({ limit: 2 });
    assert.deepEqual(
      [entry?.action, entry?.subject, entry?.organizationId, entry?.detail],
      ['operator.create', made.id, '', '{"email":"ops@example.com"}'],
    );
  });

  test('the same address in other letters is the same operator', async (t) => {
    const { operators, audit } = await openWorld(t);
    await operators.create('cli', 'ops@example.com');
    await assert.rejects(operators.create('cli', 'OPS@example.com'), (error) => {
      assert.ok(error instanceof Problem);
      assert.deepEqual([error.code, error.field], ['conflict', 'email']);
      return true;
    });
    assert.equal((await audit.list({ limit: 5 })).length, 1);
  });

  test('what is no mail address is refused, and nothing is stored', async (t) => {
    const { operators } = await openWorld(t);
    const others = ['', 'ops', '@example.com', 'ops@', 'a b@example.com', 'a@b@c', 'a\0@example.com', 'a\u001b@b.c'];
    for (const email of [...others, `${'x'.repeat(251)}@a.b`, 'a\ud800@b.c']) {
      await assert.rejects(operators.create('cli', email), (error) => {
        assert.ok(error instanceof Problem, String(error));
        assert.deepEqual([error.code, error.field], ['invalid_parameter', 'email'], email);
        return true;
      });
    }
    assert.equal(await operators.exist(), false);
  });
});
