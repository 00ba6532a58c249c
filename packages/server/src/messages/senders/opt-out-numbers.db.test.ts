import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listedNumbersWithoutZero } from '../../database/schema/migrations/0016-listed-numbers-without-zero.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { recordReplies } from '../delivery/apply-reply.ts';
import { openMessagesWorld } from '../messages-world.testing.ts';
import { readNumberLists } from './content-lists.ts';
import { createOptOuts } from './manage-opt-outs.ts';
import { readPhoneNumber } from './phone-number.ts';

onBothDatabases('the number of an opt-out is that which a message goes to', (open, kind) => {
  test('when a carrier hands in the reply with the zero of a national call', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, organizationId } = world;
    const facts = { carrierId: 'c', simulated: true, to: '106', text: 'T', stop: true, ownedBy: 'number' } as const;
    await recordReplies({ ...world, clock: world.time.clock }, [
      { ...facts, organizationId, from: '+8601380013800' },
      { ...facts, organizationId, from: '+86013800138000' },
      // Of no length that a numbering plan has: kept as it came.
      { ...facts, organizationId, from: '+861000' },
    ]);
    const optOuts = createOptOuts({ ...world, clock: world.time.clock });
    const listed = (await optOuts.list(organizationId, { limit: 10 })).map(({ number }) => number);
    assert.deepEqual(listed, ['+861000', '+861380013800', '+8613800138000']);
    const sentTo = readPhoneNumber('138 0013 8000', 'CN');
    assert.ok('number' in sentTo);
    const use = { organizationId, number: sentTo.number };
    assert.equal((await readNumberLists(database, [use])).hasOptedOut(use), true);
  });

  test('when it was stored with that zero, or was blocked so', async (t) => {
    const world = await openMessagesWorld(t, open);
    const { database, organizationId, otherOrganizationId } = world;
    const { db } = database;
    const numbers = [
      '+86013800138000',
      '+860013800138000',
      '+86013800138001',
      '+8613800138001',
      '+4401632960000',
      '+860',
    ];
    const rows = numbers.map((number, index) => ({ organization_id: organizationId, number, created_at: index }));
    const other = { organization_id: otherOrganizationId, number: '+86013800138000', created_at: 9 };
    await db
      .insertInto('opt_out')
      .values([...rows, other].map((row) => ({ ...row, source: 'manual' as const })))
      .execute();
    await db
      .insertInto('blocked_number')
      .values([...rows, other])
      .execute();
    await listedNumbersWithoutZero.up(db as unknown as Parameters<typeof listedNumbersWithoutZero.up>[0], kind);
    for (const table of ['opt_out', 'blocked_number'] as const) {
      const kept = await db
        .selectFrom(table)
        .select(['organization_id', 'number', 'created_at'])
        .orderBy('created_at')
        .orderBy('number')
        .execute();
      assert.deepEqual(
        kept.map((row) => [row.organization_id === organizationId, row.number, row.created_at]),
        [
          [true, '+8613800138000', 0],
          [true, '+8613800138001', 3],
          [true, '+4401632960000', 4],
          [true, '+860', 5],
          [false, '+8613800138000', 9],
        ],
      );
    }
    const use = { organizationId, number: '+8613800138000' };
    const lists = await readNumberLists(database, [use]);
    assert.deepEqual([lists.hasOptedOut(use), lists.isBlocked(use)], [true, true]);
  });
});
