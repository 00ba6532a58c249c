import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { type MessagesNode, openMessagesWorld } from '../messages-world.testing.ts';

onBothDatabases('requests that are accepted as one group', (open) => {
  test('one that no database can hold fails alone, and its neighbours are committed whole', async (t) => {
    const world = await openMessagesWorld(t, open);
    const settled = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) =>
        world.messages.send({
          organizationId: world.organizationId,
          keyId: index === 4 ? 'bad\0key' : 'key',
          body: { mobiles: ['+8613800138000', '+8613800138001'], content: `text ${index}` },
          idempotencyKey: `request ${index}`,
        }),
      ),
    );
    assert.deepEqual(
      settled.map(({ status }) => status === 'fulfilled'),
      settled.map((_, index) => index !== 4),
    );
    const { db } = world.database;
    const batches = await db.selectFrom('message_batch').select('id').execute();
    assert.deepEqual(
      batches.map(({ id }) => id).sort(),
      settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])).sort(),
    );
    for (const { id } of batches) assert.equal((await world.messagesOf(id)).length, 2);
    assert.equal((await db.selectFrom('message_part').select('part').execute()).length, 16);
    assert.equal((await db.selectFrom('idempotency_key').select('batch_id').execute()).length, 8);
  });

  test('one that another node answered at the same moment takes nothing from its neighbours', async (t) => {
    const world = await openMessagesWorld(t, open);
    const other = await world.node();
    const sendAll = (node: MessagesNode, name: string) =>
      Array.from({ length: 8 }, (_, index) =>
        node.messages.send({
          organizationId: world.organizationId,
          keyId: 'key',
          body: { mobile: '+8613800138000', content: index === 3 ? 'twin' : `text ${index}` },
          idempotencyKey: index === 3 ? 'twin' : `${name} ${index}`,
        }),
      );
    const sent = await Promise.all([...sendAll(world, 'one'), ...sendAll(other, 'two')]);
    assert.equal(sent[3], sent[11]);
    const batches = await world.database.db.selectFrom('message_batch').select('id').execute();
    assert.deepEqual(batches.map(({ id }) => id).sort(), [...new Set(sent)].sort());
    assert.equal(batches.length, 15);
  });
});
