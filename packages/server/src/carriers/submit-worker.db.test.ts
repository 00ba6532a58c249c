import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../database/database.ts';
import { onBothDatabases } from '../database/testing.ts';
import { mostUnanswered } from '../messages/delivery/part-queue.ts';
import { manualTime } from '../messages/manual-time.testing.ts';
import {
  buildMessagesWorld,
  dayMs,
  hourMs,
  type MessagesNode,
  type MessagesWorld,
  openMessagesWorld,
} from '../messages/messages-world.testing.ts';
import { type ScriptedCarrier, scriptedCarrier, taken } from './scripted-carrier.testing.ts';
import { createSubmitWorker, type SubmitWorkerNeeds } from './submit-worker.ts';

onBothDatabases('giving a carrier its parts', (open) => {
  function logOf({ log }: MessagesWorld): SubmitWorkerNeeds['log'] {
    const write = (fields: Record<string, unknown>, message: string) => log.push({ fields, message });
    return { error: write, warn: write };
  }

  /** Starts a worker and stops it when the test ends. */
  function start(
    t: { after(end: () => Promise<void>): void },
    world: MessagesWorld,
    carrier: ScriptedCarrier,
    options: Partial<SubmitWorkerNeeds> = {},
    node: MessagesNode = world,
  ) {
    const stop = new AbortController();
    const worker = createSubmitWorker({
      carrier,
      queue: node.queue,
      deliveries: node.deliveries,
      holds: () => true,
      takesParts: async () => true,
      moveParts: async () => 0,
      nextCarrier: async () => undefined,
      random: () => 0.5,
      log: logOf(world),
      ...world.time,
      ...options,
    });
    const ended = worker.run(stop.signal);
    t.after(async () => {
      stop.abort();
      carrier.giveUp();
      await ended;
    });
  }

  const openParts = async ({ database }: MessagesWorld) => database.db.selectFrom('message_part').selectAll().execute();
  const allTaken = (world: MessagesWorld) =>
    world.time.until(async () => (await openParts(world)).length === 0 || undefined);
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+86138001${10_000 + index}`);

  test('what is accepted is submitted at once, each part once, with all that it needs', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ reply: taken });
    start(t, world, carrier);
    await world.time.until(async () => carrier.submitted.length === 0 || undefined);
    const batchId = await world.messages.send({
      organizationId: world.organizationId,
      keyId: 'key',
      body: { mobile: '+8613800138000', content: '长'.repeat(100), sender: 'Acme' },
      idempotencyKey: undefined,
    });
    await allTaken(world);
    const [message] = await world.messagesOf(batchId);
    const parts = carrier.submitted.toSorted((a, b) => a.id.localeCompare(b.id));
    const [first] = parts;
    assert.deepEqual(
      parts.map(({ id, text, concatenation }) => [id, text.length, concatenation]),
      [0, 1].map((part) => [
        `${batchId}.0.${part}`,
        part === 0 ? 67 : 33,
        { reference: first?.concatenation?.reference, total: 2, sequence: part + 1 },
      ]),
    );
    assert.deepEqual(
      [first?.destination, first?.sender, first?.encoding, first?.attempt, first?.validUntil],
      ['+8613800138000', 'Acme', 'ucs2', 1, (message?.accepted_at ?? 0) + dayMs],
    );
    assert.deepEqual([message?.parts, message?.carrier_id], ['ss', 'simulator']);
  });

  test('what was accepted before it started, or by another node, is found in the database', async (t) => {
    const world = await openMessagesWorld(t, open);
    await world.sendTo(numbers(3));
    const carrier = scriptedCarrier({ reply: taken });
    start(t, world, carrier);
    await allTaken(world);
    const other = await world.node();
    const body = { mobiles: numbers(2), content: 'x' };
    const call = { organizationId: world.organizationId, keyId: 'key', body, idempotencyKey: undefined };
    await other.messages.send(call);
    await allTaken(world);
    assert.equal(carrier.submitted.length, 5);
  });

  test('never more at once than the window, and a backlog larger than memory goes through, each part once', async (t) => {
    const world = await openMessagesWorld(t, open);
    const total = 3_000;
    for (let sent = 0; sent < total; sent += 1_000) await world.sendTo(numbers(1_000));
    const carrier = scriptedCarrier({ window: 7 });
    start(t, world, carrier);
    await world.time.until(async () => {
      for (let turn = 0; turn < 7; turn += 1) carrier.answer();
      return carrier.submitted.length >= total && (await openParts(world)).length === 0 ? true : undefined;
    });
    assert.equal(carrier.submitted.length, total);
    assert.equal(new Set(carrier.submitted.map(({ id }) => id)).size, total);
    assert.equal(carrier.most, 7);
  });

  test('a throttled part is submitted again, later, as the next attempt', async (t) => {
    const world = await openMessagesWorld(t, open);
    const submits: { readonly attempt: number; readonly at: number }[] = [];
    const carrier = scriptedCarrier({
      reply(part) {
        submits.push({ attempt: part.attempt, at: world.time.clock.now() });
        return part.attempt < 3 ? { kind: 'throttled' } : taken(part);
      },
    });
    const dueTimes: number[] = [];
    start(t, world, carrier, {
      deliveries: {
        apply(event) {
          if (event.kind === 'postponed') dueTimes.push(event.dueAt);
          return world.deliveries.apply(event);
        },
      },
    });
    await world.sendTo(numbers(1));
    await allTaken(world);
    assert.deepEqual(
      submits.map(({ attempt }) => attempt),
      [1, 2, 3],
    );
    const [first = 0, second = 0, third = 0] = submits.map(({ at }) => at);
    assert.deepEqual(dueTimes, [first + 1_000, second + 2_000]);
    assert.ok(second >= first + 1_000 && third >= second + 2_000, `${first} ${second} ${third}`);
  });

  test('a wall clock that is set back keeps no part waiting longer than the longest wait', async (t) => {
    const time = manualTime();
    let back = 0;
    const clock = { ...time.clock, now: () => time.clock.now() - back };
    const world = await buildMessagesWorld(await open(t), { ...time, clock });
    const carrier = scriptedCarrier({ reply: (part) => (part.attempt === 1 ? { kind: 'throttled' } : taken(part)) });
    start(t, world, carrier);
    const pass = (ms: number) => {
      const end = clock.monotonic() + ms;
      return time.until(() => clock.monotonic() >= end || undefined, 50);
    };
    await pass(40_000);
    await world.sendTo(numbers(2));
    const isPostponed = async () => (await openParts(world)).every(({ attempts }) => attempts === 1) || undefined;
    await time.until(isPostponed);
    // A wait up to the longest one stays as it is.
    back = 100_000;
    await pass(60_000);
    assert.equal((await openParts(world)).length, 2);
    assert.deepEqual(world.log, []);
    await time.until(async () => (await openParts(world)).length === 0 || undefined, 50);

    await world.sendTo(numbers(2));
    await time.until(isPostponed);
    back += 2 * hourMs;
    const setBackAt = clock.monotonic();
    // In small steps: this clock goes on during the worker's own queries.
    await time.until(async () => (await openParts(world)).length === 0 || undefined, 10);
    const took = clock.monotonic() - setBackAt;
    assert.ok(took <= 61_000, `${took} ms`);
    assert.equal(carrier.submitted.length, 8);
    assert.deepEqual(world.log, [
      {
        fields: { carrier: 'simulator', parts: 2 },
        message: 'parts moved forward: a clock that was ahead had postponed them',
      },
    ]);
  });

  test('a refused part ends its message with the reason', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ reply: () => ({ kind: 'refused', reason: 'number is nobody' }) });
    start(t, world, carrier);
    const batchId = await world.sendTo(numbers(1));
    await allTaken(world);
    const [message] = await world.messagesOf(batchId);
    assert.deepEqual([message?.status, message?.memo], ['REJECTED', 'number is nobody']);
  });

  test('a part that is never answered is submitted three times and then left alone', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ reply: () => ({ kind: 'unanswered' }) });
    start(t, world, carrier);
    const batchId = await world.sendTo(numbers(1));
    await allTaken(world);
    assert.equal(carrier.submitted.length, 3);
    const [message] = await world.messagesOf(batchId);
    assert.deepEqual([message?.parts, message?.status, message?.carrier_id], ['s', null, 'simulator']);
  });

  test('while the carrier fails it is left in peace, and then everything goes', async (t) => {
    const world = await openMessagesWorld(t, open);
    let up = false;
    const carrier = scriptedCarrier({
      window: 4,
      reply: (part) => (up ? taken(part) : { kind: 'failed', reason: 'no link' }),
    });
    start(t, world, carrier);
    await world.sendTo(numbers(50));
    for (let passed = 0; passed < 6_500; passed += 50) await world.time.advance(50);
    const probes = carrier.submitted.length;
    assert.ok(probes >= 2 && probes <= 10, `${probes} submits to a carrier without a link`);
    up = true;
    await allTaken(world);
    assert.equal(new Set(carrier.submitted.map(({ id }) => id)).size, 50);
  });

  test('a part that is refused for now goes to another carrier, and says why', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ reply: () => ({ kind: 'refused-for-now', reason: 'system error' }) });
    const asked: (readonly string[])[] = [];
    start(t, world, carrier, {
      nextCarrier: async (_, refusedBy) => {
        asked.push(refusedBy);
        return { id: 'other', simulated: false, reason: 'next after simulator' };
      },
    });
    const batchId = await world.sendTo(numbers(1));
    const moved = await world.time.until(async () =>
      (await openParts(world)).find(({ carrier_id }) => carrier_id === 'other'),
    );
    assert.deepEqual([moved.refused_by, moved.attempts, asked], ['simulator', 1, [['simulator']]]);
    assert.equal(moved.due_at <= world.time.clock.now(), true);
    assert.equal((await world.messagesOf(batchId))[0]?.carrier_reason, 'next after simulator');
    assert.equal(carrier.submitted.length, 1);
  });

  test('a part that all carriers refuse for now waits, and may then go to each again', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({
      reply: (part) => (part.attempt > 2 ? taken(part) : { kind: 'refused-for-now', reason: 'system error' }),
    });
    await world.sendTo(numbers(1));
    await world.database.db.updateTable('message_part').set({ refused_by: 'other' }).execute();
    start(t, world, carrier);
    const waiting = await world.time.until(async () => (await openParts(world)).find(({ attempts }) => attempts > 0));
    assert.deepEqual([waiting.carrier_id, waiting.refused_by], ['simulator', '']);
    await allTaken(world);
    assert.equal(carrier.submitted.length, 3);
  });

  test('what a carrier accepts too late is not sent again, and has its id', async (t) => {
    const world = await openMessagesWorld(t, open);
    const late = Promise.withResolvers<string>();
    const carrier = scriptedCarrier({ reply: () => ({ kind: 'unanswered', late: late.promise }) });
    start(t, world, carrier);
    const batchId = await world.sendTo(numbers(1));
    await world.time.until(async () => (await openParts(world))[0]?.unanswered === 1 || undefined);
    late.resolve('late-1');
    await allTaken(world);
    const known = await world.database.db.selectFrom('carrier_message').selectAll().execute();
    assert.deepEqual([known.map(({ carrier_message_id: id }) => id), carrier.submitted.length], [['late-1'], 1]);
    assert.equal((await world.messagesOf(batchId))[0]?.parts, 's');
  });

  test('an answer that nobody can read is not asked for again', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ reply: () => ({ kind: 'unanswered', wasAnswered: true }) });
    start(t, world, carrier);
    await world.sendTo(numbers(1));
    await allTaken(world);
    assert.equal(carrier.submitted.length, 1);
  });

  test('while a carrier refuses everything its parts are handed over, and then it is tried again', async (t) => {
    const world = await openMessagesWorld(t, open);
    let isMended = false;
    const carrier = scriptedCarrier({
      reply: (part) => (isMended ? taken(part) : { kind: 'refused-for-now', reason: 'system error' }),
    });
    const rests: boolean[] = [];
    let moves = 0;
    start(t, world, carrier, {
      onResting: (_id, isResting) => void (rests.at(-1) !== isResting && rests.push(isResting)),
      moveParts: async () => {
        moves += 1;
        return 0;
      },
    });
    await world.sendTo(numbers(20));
    await world.time.until(() => moves > 0 || undefined);
    assert.deepEqual(rests.slice(0, 2), [false, true]);
    isMended = true;
    await allTaken(world);
    assert.equal(rests.at(-1), false);
  });

  test('what must not come twice is noted before it is submitted, and left alone after a crash', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ mostUnanswered: 1 });
    const batchId = await world.sendTo(numbers(1));
    let holds = true;
    start(t, world, carrier, { holds: () => holds, answersMs: 0 });
    await world.time.until(() => carrier.submitted.length === 1 || undefined);
    assert.equal((await openParts(world))[0]?.unanswered, mostUnanswered);
    assert.equal(await world.queue.move('simulator', () => ({ id: 'another', simulated: false })), 0);
    // It crashed: another server opens the queue, as if this one had never got an answer.
    holds = false;
    const other = await world.node();
    const heir = scriptedCarrier({ mostUnanswered: 1, reply: taken });
    start(t, world, heir, {}, other);
    await allTaken(world);
    assert.equal(heir.submitted.length, 0);
    const [message] = await world.messagesOf(batchId);
    assert.deepEqual([message?.parts, message?.status], ['s', null]);
    assert.equal(message?.ends_at, (message?.accepted_at ?? 0) + dayMs, 'without the grace for receipts');
  });

  test('a rate that is set is kept to, and throttling slows the whole carrier down', async (t) => {
    const world = await openMessagesWorld(t, open);
    const at: number[] = [];
    const carrier = scriptedCarrier({
      rate: 20,
      reply(part) {
        at.push(world.time.clock.monotonic());
        return at.length === 5 ? { kind: 'throttled' } : taken(part);
      },
    });
    start(t, world, carrier);
    await world.sendTo(numbers(12));
    await world.time.until(() => at.length >= 12 || undefined);
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    assert.ok(
      gaps.slice(0, 4).every((gap) => gap >= 45),
      `${gaps}`,
    );
    assert.ok((gaps[4] ?? 0) >= 1_000, 'it pauses for a second');
    assert.ok(
      gaps.slice(5).every((gap) => gap > 60),
      `slower than before: ${gaps}`,
    );
    await allTaken(world);
  });

  test('a carrier that throttles one part alone goes on with the others', async (t) => {
    const world = await openMessagesWorld(t, open);
    const at: number[] = [];
    const carrier = scriptedCarrier({
      reply(part) {
        at.push(world.time.clock.monotonic());
        return part.attempt === 1 && at.length % 2 === 1 ? { kind: 'throttled', partAlone: true } : taken(part);
      },
    });
    start(t, world, carrier);
    await world.sendTo(numbers(12));
    await world.time.until(() => at.length >= 12 || undefined);
    assert.ok((at[11] ?? 0) - (at[0] ?? 0) < 1_000, `${at}`);
    await allTaken(world);
  });

  test('a carrier that may take no parts hands them over, keeps its links meanwhile, and goes on where it was', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ reply: taken });
    let [takes, moves, runs] = [true, 0, 0];
    const run = carrier.run.bind(carrier);
    carrier.run = (signal) => {
      runs += 1;
      return run(signal);
    };
    start(t, world, carrier, {
      takesParts: async () => takes,
      moveParts: async () => {
        moves += 1;
        return 0;
      },
    });
    await world.sendTo(numbers(1));
    await allTaken(world);
    takes = false;
    await world.time.until(() => moves > 0 || undefined);
    await world.sendTo(numbers(1), 'later');
    for (let passed = 0; passed < 4_000; passed += 50) await world.time.advance(50);
    assert.deepEqual([carrier.submitted.length, moves], [1, 1]);
    takes = true;
    await allTaken(world);
    assert.deepEqual([carrier.submitted.length, runs], [2, 1]);
  });

  test('a carrier without a link is asked nothing, and gets everything once it has one', async (t) => {
    const world = await openMessagesWorld(t, open);
    let window = 0;
    const carrier = Object.defineProperty(scriptedCarrier({ reply: taken }), 'window', { get: () => window });
    start(t, world, carrier);
    await world.sendTo(numbers(3));
    for (let passed = 0; passed < 3_000; passed += 50) await world.time.advance(50);
    assert.equal(carrier.submitted.length, 0);
    window = 10;
    await allTaken(world);
    assert.deepEqual(
      carrier.submitted.map(({ attempt }) => attempt),
      [1, 1, 1],
    );
  });

  test('a part whose validity ends in the queue is not delivered', async (t) => {
    const world = await openMessagesWorld(t, open);
    const batchId = await world.sendTo(numbers(1));
    await world.time.advance(dayMs);
    const carrier = scriptedCarrier({ reply: taken });
    start(t, world, carrier);
    await allTaken(world);
    assert.equal(carrier.submitted.length, 0);
    assert.equal((await world.messagesOf(batchId))[0]?.status, 'UNDELIV');
  });

  test('a result that the database cannot take now is kept until it can, and nothing is submitted twice', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ reply: taken });
    let refusals = 3;
    const apply = world.deliveries.apply;
    start(t, world, carrier, {
      deliveries: {
        async apply(event) {
          if (refusals-- > 0) throw new DatabaseUnavailable('gone for a moment');
          return apply(event);
        },
      },
    });
    await world.sendTo(numbers(1));
    await allTaken(world);
    assert.equal(carrier.submitted.length, 1);
    assert.equal(refusals, -1);
  });

  test('an id that no database can hold is left out: the part is taken, and its message ends with the grace', async (t) => {
    const world = await openMessagesWorld(t, open);
    const carrier = scriptedCarrier({ reply: () => ({ kind: 'accepted', carrierMessageId: 'a\0b' }) });
    start(t, world, carrier);
    const batchId = await world.sendTo(numbers(1));
    await allTaken(world);
    assert.deepEqual(
      (await world.messagesOf(batchId)).map(({ parts }) => parts),
      ['s'],
    );
    assert.deepEqual(
      world.log.map(({ message }) => message),
      ['a submit result cannot be stored'],
    );
  });

  test('a node that loses the carrier stops at once; the next one submits what has no durable result', async (t) => {
    const world = await openMessagesWorld(t, open);
    const other = await world.node();
    let holder: MessagesNode | undefined = world;
    const [first, second] = [scriptedCarrier({ window: 3 }), scriptedCarrier({ reply: taken })];
    start(t, world, first, { holds: () => holder === world });
    start(t, world, second, { holds: () => holder === other }, other);
    await world.sendTo(numbers(10));
    await world.time.until(() => first.submitted.length === 3 || undefined);
    holder = undefined;
    first.answer();
    await world.time.until(async () => (await openParts(world)).length === 9 || undefined);
    holder = other;
    await allTaken(world);
    assert.equal(first.submitted.length, 3);
    assert.equal(new Set([...first.submitted, ...second.submitted].map(({ id }) => id)).size, 10);
    // Two submits had no answer, so the other server repeats them.
    assert.equal(first.submitted.length + second.submitted.length, 12);
  });

  test('a server that stops keeps the carrier until it has answered what is under way, and records the answers', async (t) => {
    const world = await openMessagesWorld(t, open);
    const stop = new AbortController();
    const carrier = scriptedCarrier({ window: 3 });
    let linkClosedAt = 0;
    const ended = createSubmitWorker({
      ...world,
      ...world.time,
      carrier: {
        ...carrier,
        async run(signal) {
          await carrier.run(signal);
          linkClosedAt = world.time.clock.now();
          carrier.giveUp();
        },
      },
      holds: () => true,
      takesParts: async () => true,
      moveParts: async () => 0,
      nextCarrier: async () => undefined,
      random: () => 0.5,
      answersMs: 1_000,
      log: logOf(world),
    }).run(stop.signal);
    const batchId = await world.sendTo(numbers(5));
    await world.time.until(() => carrier.submitted.length === 3 || undefined);
    const stoppedAt = world.time.clock.now();
    stop.abort();
    await world.time.advance(500);
    carrier.answer();
    carrier.answer();
    // The third one has no answer in time.
    await world.time.until(() => linkClosedAt > 0 || undefined);
    await ended;
    assert.ok(linkClosedAt >= stoppedAt + 1_000, `${linkClosedAt - stoppedAt}`);
    const parts = (await openParts(world)).toSorted((a, b) => a.position - b.position);
    assert.equal(carrier.submitted.length, 3);
    assert.deepEqual(
      parts.map(({ position, attempts, unanswered }) => [position, attempts, unanswered]),
      [
        [2, 1, 1],
        [3, 0, 0],
        [4, 0, 0],
      ],
    );
    assert.deepEqual(
      (await world.messagesOf(batchId)).map((message) => message.parts),
      ['s', 's', 'q', 'q', 'q'],
    );
  });

  test('once there is a real carrier the simulator gets nothing more, and leaves it its parts', async (t) => {
    const world = await openMessagesWorld(t, open);
    let isReal = false;
    const carrier = scriptedCarrier({ reply: () => ({ kind: 'throttled' }) });
    start(t, world, carrier, {
      takesParts: async () => !isReal,
      moveParts: () => world.queue.move('simulator', () => ({ id: 'real', simulated: false })),
    });
    await world.sendTo(numbers(2));
    await world.time.until(() => carrier.submitted.length >= 2 || undefined);
    isReal = true;
    await world.time.until(async () => {
      const parts = await openParts(world);
      return parts.every(({ carrier_id }) => carrier_id === 'real') || undefined;
    });
    const before = carrier.submitted.length;
    await world.sendTo(numbers(2));
    await world.time.until(async () => {
      const parts = await openParts(world);
      return (parts.length === 4 && parts.every(({ carrier_id }) => carrier_id === 'real')) || undefined;
    });
    assert.equal(carrier.submitted.length, before);
  });
});
