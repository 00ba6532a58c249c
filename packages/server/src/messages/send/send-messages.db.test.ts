import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, DatabaseUnavailable, isUnavailable } from '../../database/database.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { Problem } from '../../runtime/problem.ts';
import { dayMs, type MessagesNode, type MessagesWorld, openMessagesWorld } from '../messages-world.testing.ts';
import { createBlockedLists } from '../senders/manage-blocked-lists.ts';
import { createOptOuts } from '../senders/manage-opt-outs.ts';
import { createMessagingSettings } from '../senders/messaging-settings.ts';
import { createSendMessages } from './send-messages.ts';

onBothDatabases('accepting messages', (open) => {
  const needsOf = ({ database, feed, audit, time }: MessagesWorld) => ({ database, feed, audit, clock: time.clock });
  const count = async (world: MessagesWorld, table: 'message' | 'message_batch' | 'message_part' | 'idempotency_key') =>
    (await world.database.db.selectFrom(table).selectAll().execute()).length;
  const send = (
    world: MessagesWorld,
    body: unknown,
    idempotencyKey?: string,
    node: MessagesNode = world,
    keyId = 'key',
  ): Promise<string> => node.messages.send({ organizationId: world.organizationId, keyId, body, idempotencyKey });
  const one = (content = 'Hello') => ({ mobile: '+8613800138000', content });
  const failsWith = (code: string, field?: string) => (error: unknown) =>
    error instanceof Problem && error.code === code && error.field === field;

  test('what is accepted lies in the database with a part for each segment', async (t) => {
    const world = await openMessagesWorld(t, open);
    const content = '你好'.repeat(40);
    const batchId = await send(world, {
      mobiles: ['+86 138 0013 8000', '+8613800138000', '+8613800138001'],
      content,
      sender: 'Acme',
    });
    const batch = await world.database.db.selectFrom('message_batch').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual(batch, {
      organization_id: world.organizationId,
      id: batchId,
      key_id: 'key',
      content,
      sender: 'Acme',
      messages: 2,
      accepted_at: world.time.clock.now(),
    });
    const messages = await world.messagesOf(batchId);
    assert.deepEqual(
      messages.map(({ mobile, number, segments, parts, simulated, ends_at }) => ({
        mobile,
        number,
        segments,
        parts,
        simulated,
        ends_at,
      })),
      [
        ['+86 138 0013 8000', '+8613800138000'],
        ['+8613800138001', '+8613800138001'],
      ].map(([mobile, number]) => ({
        mobile,
        number,
        segments: 2,
        parts: 'qq',
        simulated: 1,
        ends_at: world.time.clock.now() + 2 * dayMs,
      })),
    );
    const parts = await world.database.db.selectFrom('message_part').selectAll().execute();
    assert.equal(parts.length, 4);
    assert.deepEqual([...new Set(parts.map((part) => part.valid_until))], [world.time.clock.now() + dayMs]);
    assert.deepEqual(await world.pushes(), []);
  });

  test('one bad entry refuses the whole batch', async (t) => {
    const world = await openMessagesWorld(t, open);
    const mobiles = ['+8613800138000', '+8613800138001', '+8613800138002', 'nobody'];
    await assert.rejects(send(world, { mobiles, content: 'x' }), failsWith('invalid_parameter', 'mobiles[3]'));
    assert.equal(await count(world, 'message_batch'), 0);
  });

  test('national numbers are read with the default region of the organization, at once when it changes', async (t) => {
    const world = await openMessagesWorld(t, open);
    const settings = createMessagingSettings(needsOf(world));
    const body = { mobile: '13800138000', content: 'x' };
    await assert.rejects(send(world, body), failsWith('invalid_parameter', 'mobile'));
    await settings.update('test', world.organizationId, { defaultRegion: 'cn' });
    const [message] = await world.messagesOf(await send(world, body));
    assert.deepEqual([message?.mobile, message?.number], ['13800138000', '+8613800138000']);
  });

  test('a message that we refuse is accepted, settled and pushed with its reason', async (t) => {
    const world = await openMessagesWorld(t, open);
    const lists = createBlockedLists(needsOf(world));
    const optOuts = createOptOuts(needsOf(world));
    await lists.addNumber('test', world.organizationId, '+8613800138001');
    await lists.addNumber('test', '', '+8613800138002');
    await lists.addNumber('test', world.otherOrganizationId, '+8613800138004');
    await optOuts.add('test', world.organizationId, '+8613800138003');
    await lists.addWord('test', world.organizationId, '免费');
    const numbers = [0, 1, 2, 3, 4].map((digit) => `+861380013800${digit}`);

    const batchId = await world.sendTo(numbers);
    assert.deepEqual(
      (await world.messagesOf(batchId)).map(({ status, memo }) => [status, memo]),
      [
        [null, null],
        ['REJECTED', 'number blocked'],
        ['REJECTED', 'number blocked'],
        ['REJECTED', 'recipient opted out'],
        [null, null],
      ],
    );
    const words = await world.sendTo(['+8613800138000'], '现在免 费 免费');
    assert.equal((await world.messagesOf(words))[0]?.memo, 'blocked word: 免费');
    assert.equal(await count(world, 'message_part'), 2);
    assert.deepEqual(
      (await world.events()).map(({ number, subject_id, position }) => [number, subject_id, position]),
      [
        [1, batchId, 1],
        [2, batchId, 2],
        [3, batchId, 3],
        [4, words, 0],
      ],
    );
    const pushes = (await world.pushes()) as { batch_id: string; mobile: string; memo: string }[];
    assert.equal(pushes.length, 4);
    assert.deepEqual(
      pushes.find(({ mobile }) => mobile === '+8613800138001'),
      { batch_id: batchId, mobile: '+8613800138001', status: 'REJECTED', memo: 'number blocked' },
    );

    await optOuts.remove('test', world.organizationId, '+8613800138003');
    await lists.removeWord('test', world.organizationId, '免费');
    const again = await world.sendTo(['+8613800138003'], '免费');
    assert.equal((await world.messagesOf(again))[0]?.status, null);
  });

  test('without any carrier messages are rejected, not kept waiting', async (t) => {
    const world = await openMessagesWorld(t, open);
    world.carrier = undefined;
    const [message] = await world.messagesOf(await world.sendTo(['+8613800138000']));
    assert.deepEqual([message?.status, message?.memo, message?.simulated], ['REJECTED', 'no carrier', 0]);
  });

  test('what is over the daily quota is rejected, in the order of the batch, until the next UTC day', async (t) => {
    const world = await openMessagesWorld(t, open);
    await createMessagingSettings(needsOf(world)).update('test', world.organizationId, { messagesPerDay: 5 });
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+861380013800${index}`);
    const memos = async (batchId: string) => (await world.messagesOf(batchId)).map(({ memo }) => memo);
    const over = 'daily quota exceeded';

    assert.deepEqual(await memos(await world.sendTo(numbers(3))), [null, null, null]);
    assert.deepEqual(await memos(await world.sendTo(numbers(4))), [null, null, over, over]);
    const together = await Promise.all([world.sendTo(numbers(1)), world.sendTo(numbers(2))]);
    assert.deepEqual((await Promise.all(together.map(memos))).flat(), [over, over, over]);
    await world.time.advance(dayMs);
    assert.deepEqual(await memos(await world.sendTo(numbers(6))), [null, null, null, null, null, over]);
    const usage = await world.database.db.selectFrom('daily_usage').selectAll().orderBy('day').execute();
    assert.deepEqual(
      usage.map(({ used }) => used),
      [5, 5],
    );
  });

  test('two nodes never let more through than the daily quota', async (t) => {
    const world = await openMessagesWorld(t, open);
    await createMessagingSettings(needsOf(world)).update('test', world.organizationId, { messagesPerDay: 30 });
    const other = await world.node();
    await Promise.all(Array.from({ length: 80 }, (_, turn) => send(world, one(), undefined, turn % 2 ? world : other)));
    const rows = await world.database.db.selectFrom('message').selectAll().execute();
    assert.equal(rows.filter(({ status }) => status === null).length, 30);
    assert.equal(rows.filter(({ memo }) => memo === 'daily quota exceeded').length, 50);
    assert.equal((await world.events()).length, 50);
  });

  test('over the quota of a second nothing is accepted, and the answer tells when to come again', async (t) => {
    const world = await openMessagesWorld(t, open);
    await createMessagingSettings(needsOf(world)).update('test', world.organizationId, { messagesPerSecond: 2 });
    await send(world, one());
    await send(world, one());
    await assert.rejects(send(world, one()), (error: unknown) => {
      assert.ok(error instanceof Problem);
      assert.deepEqual([error.code, error.retryAfterSeconds], ['too_many_requests', 1]);
      return true;
    });
    assert.equal(await count(world, 'message'), 2);
    await world.time.advance(500);
    await send(world, one());
  });

  test('the same request under the same key returns the same batch, and another body is a conflict', async (t) => {
    const world = await openMessagesWorld(t, open);
    await createMessagingSettings(needsOf(world)).update('test', world.organizationId, { messagesPerSecond: 1 });
    const batchId = await send(world, one(), 'k1');
    assert.equal(await send(world, { content: 'Hello', mobile: '+8613800138000' }, 'k1'), batchId);
    await assert.rejects(send(world, one('Other'), 'k1'), failsWith('idempotency_conflict', 'Idempotency-Key'));
    await world.time.advance(1_000);
    // The key belongs to its messaging key.
    assert.notEqual(await send(world, one(), 'k1', world, 'another key'), batchId);
    assert.equal(await count(world, 'message'), 2);
  });

  test('the same request under the same key returns the same batch when its numbers can be read no longer', async (t) => {
    const world = await openMessagesWorld(t, open);
    const settings = createMessagingSettings(needsOf(world));
    const regions = (defaultRegion: string | null) => settings.update('test', world.organizationId, { defaultRegion });
    const body = { mobile: '13800138000', content: 'Hello' };
    await regions('CN');
    const first = await send(world, body, 'k1');
    await regions(null);
    assert.equal(await send(world, body, 'k1'), first);
    await assert.rejects(send(world, body), failsWith('invalid_parameter', 'mobile'));
    await assert.rejects(send(world, body, 'k2'), failsWith('invalid_parameter', 'mobile'));
    await assert.rejects(
      send(world, { ...body, content: 'Other' }, 'k1'),
      failsWith('idempotency_conflict', 'Idempotency-Key'),
    );
    // Not the same, though a fingerprint would not tell.
    for (const odd of [
      { ...body, sender: null },
      { ...body, mobile: [body.mobile] },
    ]) {
      await assert.rejects(send(world, odd, 'k1'), failsWith('invalid_parameter', 'mobile'));
    }
    assert.equal(await count(world, 'message'), 1);
    await world.time.advance(dayMs);
    await assert.rejects(send(world, body, 'k1'), failsWith('invalid_parameter', 'mobile'));
  });

  test('a twin whose numbers can be read no longer waits for the one that was read in time', async (t) => {
    const world = await openMessagesWorld(t, open);
    const sender = await world.facts.senders.load(world.organizationId);
    const regions = ['CN', undefined] as const;
    let asked = 0;
    const node = {
      ...world,
      messages: createSendMessages({
        ...world,
        facts: { senders: { ...world.facts.senders, find: () => sender && { ...sender, region: regions[asked++] } } },
        carrierChooser: async () => () => world.carrier,
        clock: world.time.clock,
        validityMs: dayMs,
        graceMs: dayMs,
        maxWaiting: 20,
      }),
    };
    const body = { mobile: '13800138000', content: 'Hello' };
    const [first, second] = await Promise.all([send(world, body, 'k1', node), send(world, body, 'k1', node)]);
    assert.equal(second, first);
    assert.equal(await count(world, 'message'), 1);
  });

  test('a key is forgotten after 24 hours', async (t) => {
    const world = await openMessagesWorld(t, open);
    const first = await send(world, one(), 'k1');
    await world.time.advance(dayMs - 1);
    assert.equal(await send(world, one(), 'k1'), first);
    await world.time.advance(1);
    const second = await send(world, one('Other'), 'k1');
    assert.notEqual(second, first);
    assert.equal(await send(world, one('Other'), 'k1'), second);
  });

  test('only what was accepted takes a key', async (t) => {
    const world = await openMessagesWorld(t, open);
    await createMessagingSettings(needsOf(world)).update('test', world.organizationId, { messagesPerSecond: 1 });
    await assert.rejects(send(world, { mobile: 'nobody', content: 'x' }, 'k1'));
    await send(world, one());
    await assert.rejects(send(world, one(), 'k1'), failsWith('too_many_requests'));
    assert.equal(await count(world, 'idempotency_key'), 0);
    await world.time.advance(1_000);
    await send(world, one('Other'), 'k1');
  });

  test('twenty twins at once on two nodes are one batch', async (t) => {
    const world = await openMessagesWorld(t, open);
    const other = await world.node();
    const neighbours = Array.from({ length: 20 }, () => send(world, one('neighbour')));
    const twins = Array.from({ length: 20 }, (_, turn) => send(world, one(), 'k1', turn % 2 ? world : other));
    const batchIds = new Set(await Promise.all(twins));
    await Promise.all(neighbours);
    assert.equal(batchIds.size, 1);
    assert.equal(await count(world, 'message'), 21);
    assert.equal(await count(world, 'idempotency_key'), 1);
  });

  test('twins with different bodies: one is accepted, the other is a conflict', async (t) => {
    const world = await openMessagesWorld(t, open);
    const other = await world.node();
    for (const node of [world, other]) {
      const key = node === world ? 'k1' : 'k2';
      const results = await Promise.allSettled([send(world, one('A'), key), send(world, one('B'), key, node)]);
      assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      const refused = results.find((result) => result.status === 'rejected');
      assert.ok(failsWith('idempotency_conflict', 'Idempotency-Key')(refused?.reason));
    }
  });

  test('a large request and many small ones are all accepted', async (t) => {
    const world = await openMessagesWorld(t, open);
    const many = Array.from({ length: 1_000 }, (_, index) => `+86138001${String(index).padStart(5, '0')}`);
    await Promise.all([world.sendTo(many), ...Array.from({ length: 30 }, () => send(world, one()))]);
    assert.equal(await count(world, 'message'), 1_030);
    assert.equal(await count(world, 'message_batch'), 31);
  });

  test('when too many wait for their commit the rest is refused as unavailable, and nothing of it is accepted', async (t) => {
    const world = await openMessagesWorld(t, open);
    const node = {
      ...world,
      messages: createSendMessages({
        ...world,
        carrierChooser: async () => () => world.carrier,
        clock: world.time.clock,
        validityMs: dayMs,
        graceMs: dayMs,
        maxWaiting: 20,
      }),
    };
    const eleven = Array.from({ length: 11 }, (_, index) => `+861380013${8_000 + index}`);
    for (const [body, room] of [
      [one(), 20],
      // They take more memory.
      [{ mobiles: eleven, content: 'x' }, 1],
    ] as const) {
      const before = await count(world, 'message_batch');
      const results = await Promise.allSettled(Array.from({ length: 30 }, () => send(world, body, undefined, node)));
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      assert.equal(refused.length, 30 - room);
      for (const error of refused) {
        assert.ok(error instanceof Problem);
        assert.deepEqual([error.code, error.retryAfterSeconds], ['service_unavailable', 1]);
      }
      assert.equal(await count(world, 'message_batch'), before + room);
    }
  });

  test('a sender whose rights change all the time is told to come again, and nothing is accepted', async (t) => {
    const world = await openMessagesWorld(t, open);
    let decided = 0;
    // As of before the organization was made: something has always changed since.
    const admission = {
      revision: 0,
      async again() {
        decided += 1;
        return { revision: 0 };
      },
    };
    const { organizationId } = world;
    const call = { organizationId, keyId: 'key', admission, body: one(), idempotencyKey: undefined };
    await assert.rejects(world.messages.send(call), failsWith('service_unavailable'));
    assert.equal(decided, 3);
    assert.equal(await count(world, 'message_batch'), 0);
  });

  test('a database that vanishes after the commit leaves the request accepted once, for who asks again', async (t) => {
    const world = await openMessagesWorld(t, open);
    let vanishing = true;
    const database: Database = {
      ...world.database,
      async runBatch(queries, next) {
        const results = await world.database.runBatch(queries, next);
        if (!vanishing) return results;
        vanishing = false;
        throw new DatabaseUnavailable('gone before its answer came');
      },
    };
    const node = await world.node(database);
    await assert.rejects(send(world, one(), 'k1', node), failsWith('service_unavailable'));
    const batchId = await send(world, one(), 'k1', node);
    assert.equal(await count(world, 'message'), 1);
    assert.equal((await world.messagesOf(batchId)).length, 1);
  });

  test('with the database gone a request is refused as unavailable', async (t) => {
    const world = await openMessagesWorld(t, open);
    await send(world, one());
    await world.database.close();
    await assert.rejects(send(world, one()), (error: unknown) => {
      assert.ok(error instanceof Problem && error.code === 'service_unavailable');
      return isUnavailable(error.cause);
    });
  });
});
