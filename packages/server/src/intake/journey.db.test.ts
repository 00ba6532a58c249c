import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../database/open-database.ts';
import { freshDatabase, onBothDatabases } from '../database/testing.ts';
import { endOpenMessages } from '../messages/delivery/grace-worker.ts';
import { dayMs } from '../messages/messages-world.testing.ts';
import { openJourneyWorld } from './journey-world.testing.ts';

onBothDatabases('from the send operation to the push, over the simulator', (open, kind) => {
  const number = (digits: string, index = 0) => `+861380${String(index).padStart(3, '0')}${digits}`;

  test('each last four digits have their outcome', async (t) => {
    const { world, start } = await openJourneyWorld(t, open);
    await start();
    const digits = ['0000', '0001', '0002', '0003', '0005', '0006', '0007'];
    const batchId = await world.sendTo([...digits, '0004'].map((each) => number(each)));
    const startedAt = world.time.clock.now();
    const settled = await world.time.until(async () => {
      const rows = await world.messagesOf(batchId);
      return rows.filter(({ status }) => status !== null).length === digits.length ? rows : undefined;
    }, 20);
    assert.deepEqual(
      settled.map(({ status, memo, simulated }) => [status, memo, simulated]),
      [
        ['DELIVRD', null, 1],
        ['UNDELIV', null, 1],
        ['REJECTED', 'network error 099 refused by the simulator', 1],
        ['DELIVRD', null, 1],
        ['DELIVRD', null, 1],
        ['DELIVRD', null, 1],
        ['DELIVRD', null, 1],
        [null, null, 1],
      ],
    );
    const delayed = (settled[3]?.settled_at ?? 0) - startedAt;
    assert.ok(delayed >= 30_000 && delayed < 35_000, `${delayed}`);
    assert.deepEqual(
      world.log.map(({ message }) => message),
      ['a receipt contradicts the final status of its message, which stands'],
    );
    const pushes = (await world.pushes()) as { mobile: string }[];
    assert.deepEqual(
      pushes.map(({ mobile }) => mobile).sort(),
      digits.map((each) => number(each)),
    );
    assert.equal((await world.events()).length, digits.length);

    // …0004 never answers: three submits, then the end of validity and grace.
    await world.time.advance(2 * dayMs);
    await endOpenMessages({ ...world, ...world.time });
    assert.equal((await world.messagesOf(batchId))[7]?.status, 'UNDELIV');
  });

  test('several segments are one status', async (t) => {
    const { world, start } = await openJourneyWorld(t, open);
    await start();
    const batchId = await world.sendTo([number('0001'), number('0005')], '长'.repeat(200));
    const rows = await world.time.until(async () => {
      const rows = await world.messagesOf(batchId);
      return rows.every(({ status }) => status !== null) ? rows : undefined;
    });
    assert.deepEqual(
      rows.map(({ parts, status }) => [parts, status]),
      [
        ['UUU', 'UNDELIV'],
        ['DDD', 'DELIVRD'],
      ],
    );
    assert.equal((await world.pushes()).length, 2);
  });

  test('whatever is cut off in between, each accepted message ends with one status and one push', async (t) => {
    const fresh = await freshDatabase(kind);
    const { world, start } = await openJourneyWorld(t, async () => fresh.database);
    t.after(() => fresh.close());
    const digits = ['0000', '0001', '0002', '0003', '0005', '0006', '0007', '1234', '5678'];
    const rounds = process.env.WAXWING_TEST_SCALE === 'full' ? 25 : 5;
    const accepted: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // As after a kill: the connections end in the middle of work.
      const own = await openDatabase(fresh.options);
      const server = await start(own);
      const sends = digits.map((each, index) =>
        server.node.messages.send({
          organizationId: world.organizationId,
          keyId: 'key',
          body: { mobile: number(each, round * 10 + index), content: 'Hello' },
          idempotencyKey: undefined,
        }),
      );
      const results = Promise.allSettled(sends);
      if (round % 2 === 1) await results;
      for (let turn = 0; turn < round ** 2 * 20; turn += 1) await world.time.advance(7);
      const closed = own.close();
      const stopped = server.stop();
      await Promise.all([closed, stopped]);
      for (const result of await results) if (result.status === 'fulfilled') accepted.push(result.value);
    }
    await start(fresh.database);
    const messages = await world.time.until(async () => {
      const rows = await world.database.db.selectFrom('message').selectAll().execute();
      return rows.every(({ status }) => status !== null) ? rows : undefined;
    }, 50);
    const known = new Set(messages.map(({ batch_id }) => batch_id));
    for (const batchId of accepted) assert.ok(known.has(batchId), 'an accepted message is gone');
    assert.ok(accepted.length >= digits.length * 2);
    const pushes = (await world.pushes()) as { batch_id: string; status: string }[];
    assert.deepEqual(
      pushes.map(({ batch_id, status }) => `${batch_id} ${status}`).sort(),
      messages.map(({ batch_id, status }) => `${batch_id} ${status}`).sort(),
    );
    const events = await world.events();
    assert.deepEqual(
      events.map((event) => event.number),
      messages.map((_, index) => index + 1),
    );
    assert.deepEqual(await world.database.db.selectFrom('message_part').selectAll().execute(), []);
  });
});
