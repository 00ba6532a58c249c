import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { type CarriersWorld, openCarriersWorld } from './carriers-world.testing.ts';
import { createIdleCarriers } from './idle-carriers.ts';

const mobile = '+8613800138000';
const inHongKong = '+85261234567';
const sample = { organizationId: 'o', destination: mobile, sender: undefined };
const standardWays = { defaultAlphabet: 'gsm7', long: 'udh8' } as const;

/** Has sends choose by what operators have set up. */
async function sendTo(world: CarriersWorld, mobiles: readonly string[], content = 'Hello') {
  const choose = await world.choices.chooser();
  const before = world.carrierOf;
  world.carrierOf = choose;
  try {
    return await world.sendTo(mobiles, content);
  } finally {
    world.carrierOf = before;
  }
}

const partsOf = async ({ database }: CarriersWorld) =>
  (await database.db.selectFrom('message_part').select(['carrier_id', 'number']).orderBy('number').execute()).map(
    ({ number, carrier_id }) => [number, carrier_id],
  );

onBothDatabases('choosing among stored carriers', (open) => {
  test('the simulator takes everything until a carrier was ever created, and nothing after that', async (t) => {
    const world = await openCarriersWorld(t, open);
    const { choices } = world;
    const choose = async () =>
      (await choices.chooser())({ organizationId: 'o', destination: mobile, sender: undefined });
    assert.deepEqual(
      [await choose(), await choices.takesParts('simulator')],
      [{ id: 'simulator', simulated: true, reason: undefined, isAble: true, contentWays: undefined }, true],
    );
    const id = await world.create('main');
    assert.deepEqual(await choose(), {
      id,
      simulated: false,
      reason: 'the only matching carrier',
      isAble: true,
      contentWays: standardWays,
    });
    assert.deepEqual([await choices.takesParts('simulator'), await choices.takesParts(id)], [false, true]);
    await world.carriers.delete('test', id);
    assert.deepEqual([await choose(), await choices.takesParts('simulator')], [undefined, false]);
    const [message] = await world.messagesOf(await sendTo(world, [mobile]));
    assert.deepEqual([message?.status, message?.memo, message?.simulated], ['REJECTED', 'no carrier', 0]);
  });

  test('a carrier that cuts texts itself gets a long one whole, and keeps it whole for those it is moved to', async (t) => {
    const world = await openCarriersWorld(t, open);
    const payload = await world.create('payload', { long: 'payload' });
    const content = 'x'.repeat(400);
    const batch = await sendTo(world, [mobile], content);
    const [message] = await world.messagesOf(batch);
    assert.deepEqual([message?.parts, message?.segments], ['q', 3]);
    const other = await world.create('other', { priority: 2 });
    await world.carriers.setEnabled('test', payload, false);
    assert.equal(await world.choices.moveParts(payload), 1);
    const source = world.queue.open(other);
    await source.fill();
    const part = source.next();
    assert.deepEqual([part?.text, part?.total], [content, 1]);
    source.close();
  });

  test('parts move to a carrier that takes them now, and not to and fro between those that do not', async (t) => {
    const world = await openCarriersWorld(t, open);
    const [a, b] = [await world.create('a'), await world.create('b')];
    await sendTo(world, [mobile]);
    const longAgo = world.time.clock.now() - 60_000;
    world.down.set(a, longAgo).set(b, longAgo);
    const [at] = await partsOf(world);
    const other = at?.[1] === a ? b : a;
    assert.equal(await world.choices.moveParts(String(at?.[1])), 0);
    assert.equal(await world.choices.other({ ...sample, refusedBy: [a] }), undefined);
    world.down.delete(other);
    // It refused the part once, while another took it.
    await world.database.db.updateTable('message_part').set({ refused_by: other }).execute();
    assert.equal(await world.choices.moveParts(String(at?.[1])), 1);
    assert.deepEqual(await partsOf(world), [[mobile, other]]);
  });

  test('a carrier that refuses everything is passed over while it rests', async (t) => {
    const world = await openCarriersWorld(t, open);
    const [first, next] = [await world.create('first'), await world.create('next', { priority: 2 })];
    await sendTo(world, [mobile]);
    world.resting.add(first);
    assert.equal(await world.choices.moveParts(first), 1);
    const choice = (await world.choices.chooser())(sample);
    assert.deepEqual([choice?.id, choice?.reason], [next, 'next after first, which refuses everything for now']);
  });

  test('a text is cut for its carrier, and each part is one message there', async (t) => {
    const world = await openCarriersWorld(t, open);
    const carrier = await world.create('latin', { default_alphabet: 'latin1', long: 'udh16' });
    const plain = await sendTo(world, [mobile], 'x'.repeat(161));
    const euro = await sendTo(world, [mobile], `€${'x'.repeat(99)}`);
    const messages = [...(await world.messagesOf(plain)), ...(await world.messagesOf(euro))];
    assert.deepEqual(
      messages.map(({ segments, parts, text_cut }) => [segments, parts, text_cut]),
      [
        [2, 'qq', 'udh16'],
        [1, 'qq', 'ucs2-udh16'],
      ],
    );
    const source = world.queue.open(carrier);
    await source.fill();
    const parts = Array.from({ length: 4 }, () => source.next());
    assert.deepEqual(parts.map((part) => part && [part.encoding, part.text.length, part.total]).toSorted(), [
      ['gsm', 152, 2],
      ['gsm', 9, 2],
      ['ucs2', 34, 2],
      ['ucs2', 66, 2],
    ]);
    source.close();
  });

  test('each message of a request goes to the carrier for its number, and says why', async (t) => {
    const world = await openCarriersWorld(t, open);
    const china = await world.create('china', { for_prefix: ['+86'] });
    const rest = await world.create('rest', { priority: 2 });
    const batch = await sendTo(world, [mobile, inHongKong]);
    assert.deepEqual(await partsOf(world), [
      [inHongKong, rest],
      [mobile, china],
    ]);
    assert.deepEqual(
      (await world.messagesOf(batch)).map(({ carrier_id, carrier_reason }) => [carrier_id, carrier_reason]),
      [
        [null, 'priority 1, the first of 2 matching carriers'],
        [null, 'the only matching carrier'],
      ],
    );
  });

  test('what waits for the simulator goes to the first carrier that is created', async (t) => {
    const world = await openCarriersWorld(t, open);
    const batch = await sendTo(world, [mobile, inHongKong]);
    const id = await world.create('china', { for_prefix: ['+86'] });
    assert.equal(await world.choices.moveParts('simulator'), 1);
    assert.deepEqual(await partsOf(world), [
      [inHongKong, 'simulator'],
      [mobile, id],
    ]);
    const marks = (await world.messagesOf(batch)).map(({ simulated }) => simulated);
    assert.deepEqual(marks, [0, 1], 'what a real carrier is to take is not simulated');
  });

  test('what waits for a deleted or disabled carrier goes to another one, or waits for one', async (t) => {
    const world = await openCarriersWorld(t, open);
    const main = await world.create('main');
    const batch = await sendTo(world, [mobile, inHongKong], 'x'.repeat(200));
    const look = async (until: () => Promise<unknown>) => {
      const stop = new AbortController();
      const worker = createIdleCarriers({
        ...world,
        wait: world.time.wait,
        nodeId: 'one',
        leaseMs: 10_000,
        choices: world.choices,
      });
      const ended = worker.run(stop.signal);
      await world.time.until(async () => ((await until()) === true ? true : undefined));
      stop.abort();
      await ended;
    };
    const waitFor = async (id: string) => (await partsOf(world)).filter(([, carrier]) => carrier === id).length;

    await world.carriers.delete('test', main);
    const china = await world.create('china', { for_prefix: ['+86'] });
    await look(async () => (await waitFor(china)) === 2);
    assert.equal(await waitFor(main), 2, 'those for which there is no other carrier wait');
    const [message] = await world.messagesOf(batch);
    assert.equal(message?.carrier_reason, 'the only matching carrier');

    const rest = await world.create('rest', { priority: 2 });
    await look(async () => (await waitFor(rest)) === 2);
    await world.carriers.setEnabled('test', china, false);
    await look(async () => (await waitFor(rest)) === 4);
  });

  test('parts of a carrier that another server still submits to are not moved', async (t) => {
    const world = await openCarriersWorld(t, open);
    const main = await world.create('main');
    await sendTo(world, [mobile]);
    await world.create('rest', { priority: 2 });
    await world.carriers.setEnabled('test', main, false);
    const until = Date.now() + 60_000;
    await world.database.db
      .insertInto('lease')
      .values({ name: `carrier/${main}`, holder: 'other', epoch: 1, until })
      .execute();
    const stop = new AbortController();
    let rounds = 0;
    const worker = createIdleCarriers({
      database: world.database,
      async wait() {
        rounds += 1;
        if (rounds === 3) stop.abort();
      },
      ...{ nodeId: 'one', leaseMs: 10_000, choices: world.choices },
    });
    await worker.run(stop.signal);
    assert.deepEqual(await partsOf(world), [[mobile, main]]);
  });

  test('a carrier that is down is passed over', async (t) => {
    const world = await openCarriersWorld(t, open);
    const main = await world.create('main');
    const rest = await world.create('rest', { priority: 2 });
    world.down.set(main, world.time.clock.now() - 6_000);
    await sendTo(world, [mobile]);
    assert.deepEqual(await partsOf(world), [[mobile, rest]]);
  });
});
