import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Database, DatabaseKind } from '../../packages/server/src/database/database.ts';
import { openDatabase } from '../../packages/server/src/database/open-database.ts';
import { freshDatabase, reasonToSkip } from '../../packages/server/src/database/testing.ts';
import { type SimulatedSmsc, startSimulatedSmsc } from '../carriers/simulated-smsc.ts';
import { drawn } from '../drawn.ts';
import { freePort } from '../free-port.ts';
import { makeSenders, quickPushes } from '../guides/messaging-setup.ts';
import { makeWorld, type World } from '../world.ts';
import { type CarrierProxy, startCarrierProxy } from './carrier-proxy.ts';
import { checkCarrier } from './carrier-verdict.ts';
import { readFinalState, untilQuiet } from './final-state.ts';
import { lastWords } from './last-words.ts';
import { checkEvents, checkPushes, checkRequests, type Life } from './loss-verdict.ts';
import { finishSending, keepSending, type Load, newLedger } from './message-load.ts';
import { type PushRecorder, startPushRecorder } from './push-recorder.ts';

const isFull = process.env.WAXWING_TEST_SCALE === 'full';
const rounds = isFull ? 10 : 1;
const seed = Number(process.env.WAXWING_TEST_SEED ?? 20_260_301);
const senders = 3;
const loops = 4;
const longestRoundMs = 1_500;
const responseTimeoutMs = 2_000;
/** So long nothing is heard of a carrier that has told all it knows. */
const silenceMs = 3_000;

type Fault = 'server killed' | 'connections cut' | 'half-open' | 'half-open inwards' | 'carrier killed';
const faults: readonly Fault[] = [
  ...(['connections cut', 'server killed', 'half-open', 'carrier killed'] as const),
  ...(['half-open inwards', 'server killed'] as const),
];

const account = { id: 'oracle', password: 'sesame12' };

/** The eighth digit of a phone decides what its carrier does. */
const script = {
  otherwise: { answer_after: '0ms-20ms', receipts: [{ state: 'DELIVRD', after: '0ms-300ms' }] },
  rules: [
    { prefix: '861381', receipts: [{ state: 'UNDELIV', error: 27, after: '0ms-300ms' }] },
    { prefix: '861382', receipts: [{ state: 'REJECTD', error: 5, after: '0ms-300ms', times: 2 }] },
    { prefix: '861383', receipts: [{ state: 'DELIVRD', after: '0ms-300ms', times: 3 }] },
    { prefix: '861384', receipts: [{ state: 'DELIVRD', before_answer: true }] },
    { prefix: '861385', share: 0.5, answer: 'lost' },
    { prefix: '861386', share: 0.02, answer: 'throttle' },
    { prefix: '861387', share: 0.3, answer: 'refuse', code: '0x08' },
    { prefix: '861388', answer: 'refuse', code: '0x0b' },
    { prefix: '861389', replies: [{ text: 'A reply', after: '100ms' }] },
  ],
} as const;

/** None ends like the phones of the built-in simulator, whose outcomes are fixed. */
const phone = (index: number) =>
  `+86138${Math.floor(drawn(seed, 'fate', index) * 10)}${String(index * 10 + 9).padStart(7, '0')}`;

const settings = { ...quickPushes, WAXWING_PUSH_LEASE: '4s' };

for (const kind of ['sqlite', 'postgres'] as const) {
  test(`over SMPP nothing is lost or forged, whatever breaks (${kind})`, { skip: reasonToSkip(kind) }, (t) =>
    runOracle(t, { kind, servers: 1, unanswered: 'resend' }),
  );
}

test('two servers share a carrier, and nothing is lost or forged', { skip: reasonToSkip('postgres') }, (t) =>
  runOracle(t, { kind: 'postgres', servers: 2, unanswered: 'resend' }),
);

test('with give-up no text comes to the carrier twice, whatever breaks', (t) =>
  runOracle(t, { kind: 'sqlite', servers: 1, unanswered: 'give-up' }));

interface Plan {
  readonly kind: DatabaseKind;
  readonly servers: 1 | 2;
  readonly unanswered: 'resend' | 'give-up';
}

interface Place {
  readonly worlds: readonly World[];
  readonly open: () => Promise<Database>;
  readonly proxy: CarrierProxy;
  /** Runs the carrier, again and again on one port. */
  readonly startCarrier: () => Promise<SimulatedSmsc>;
  carrier: SimulatedSmsc;
  /** Of all servers. */
  readonly lives: Life[];
  readonly cutAt: number[];
}

async function runOracle(t: TestContext, plan: Plan): Promise<void> {
  const fresh = plan.kind === 'postgres' ? await freshDatabase('postgres', { empty: true }) : undefined;
  const own = fresh?.options.kind === 'postgres' ? { WAXWING_DATABASE_URL: fresh.options.url } : {};
  const worlds: World[] = [];
  try {
    // The setting decides. A world of SQLite has no database to remove.
    const world = await makeWorld('sqlite', { ...settings, ...own });
    worlds.push(world);
    const key = { WAXWING_MASTER_KEY_FILE: world.path('data/master.key') };
    if (plan.servers === 2) worlds.push(await makeWorld('sqlite', { ...settings, ...own, ...key }));
    const file = world.path('data/waxwing.db');
    await underFaults(t, plan, worlds, () => openDatabase(fresh?.options ?? { kind: 'sqlite', file }));
  } catch (error) {
    for (const world of worlds) console.log(lastWords(world));
    throw error;
  } finally {
    for (const world of worlds) await world.end();
    await fresh?.close();
  }
}

async function underFaults(t: TestContext, { unanswered }: Plan, worlds: readonly World[], open: Place['open']) {
  const [world] = worlds;
  if (world === undefined) throw new Error('there is no server');
  const recorder = await startPushRecorder({ seed, hopeless: 2, troubled: 5, slow: 5 });
  await using _receiver = recorder;
  const carrierPort = await freePort();
  const startCarrier = () => startSimulatedSmsc('smpp', account, script, { port: carrierPort, seed });
  const proxy = await startCarrierProxy(carrierPort);
  await using _proxy = proxy;
  const place: Place = { worlds, open, proxy, startCarrier, carrier: await startCarrier(), lives: [], cutAt: [] };
  await using _carrier = { [Symbol.asyncDispose]: () => place.carrier[Symbol.asyncDispose]() };

  // One after the other: the first one makes the master key.
  for (const each of worlds) await startServer(place, each);
  await createCarrier(world, proxy.port, unanswered);
  const ledger = newLedger();
  const load: Load = {
    ...{ seed, ledger, recorder, mostOnTheirWay: 300, phone },
    senders: await makeSenders(world, senders, recorder.port),
  };
  const began = performance.now();
  for (let round = 0; round < rounds * faults.length; round += 1) await oneRound(place, load, round);
  const underLoad = (performance.now() - began) / 1000;
  await finishSending(load, world);
  const told = await tellOutcome(place, load, recorder, unanswered);
  const happened = faults.map((fault) => `${rounds} × ${fault}`).join(', ');
  t.diagnostic(`seed ${seed}, ${unanswered}: ${happened} in ${underLoad.toFixed(1)} s of load; ${told}; none lost`);
  assert.ok(ledger.answered.length >= rounds * faults.length * 5, 'too few requests were answered to show anything');
}

async function oneRound(place: Place, load: Load, round: number): Promise<void> {
  const { worlds } = place;
  const victim = worlds[round % worlds.length];
  if (victim === undefined) return;
  const stopped = new AbortController();
  const working = Promise.all(
    Array.from({ length: loops }, (_, loop) =>
      keepSending(load, worlds[loop % worlds.length] ?? victim, stopped.signal),
    ),
  );
  // Rethrown below, where the work is awaited.
  working.catch(() => {});
  // The only wait by the clock: the moment of the fault is the test's random input.
  await delay(200 + drawn(seed, 'round', round) * longestRoundMs);
  const fault = faults[round % faults.length] ?? 'server killed';
  await breakSomething(fault, place, victim, round);
  // Another server takes over within the lease.
  if (fault !== 'server killed' || worlds.length > 1) await delay(500);
  stopped.abort();
  await working;
  if (victim.serverPid === 0) await startServer(place, victim);
}

/** @returns what the verdict counted, in words */
async function tellOutcome(
  { worlds, open, proxy, lives, cutAt }: Place,
  { ledger }: Load,
  recorder: PushRecorder,
  unanswered: Plan['unanswered'],
): Promise<string> {
  const database = await open();
  try {
    const graceEndedAt = await endGrace(database, proxy);
    await untilQuiet(database);
    for (const world of worlds) assert.equal(await world.stop(), 0);
    const state = await readFinalState(database);
    checkRequests(ledger, state);
    checkEvents(state);
    const serverKilledAt = lives.flatMap(({ killedAt }) => killedAt ?? []);
    const pushes = checkPushes(
      state,
      recorder.arrivals,
      worlds.length === 1 ? lives : [{ from: 0, unrecorded: serverKilledAt.length }],
    );
    const { record } = proxy;
    const mostUnanswered = unanswered === 'give-up' ? 1 : 3;
    const traces = { ...state, ...(await readTraces(database)) };
    const counts = checkCarrier(record, traces, {
      ...{ serverKilledAt, cutAt, responseTimeoutMs, graceEndedAt, mostUnanswered },
    });
    const { delivered, failed, again } = counts;
    assert.ok(delivered > 0 && failed > 0);
    if (unanswered === 'give-up') assert.deepEqual([again.unanswered, again.unrecorded], [0, 0]);
    return (
      `${ledger.answered.length} requests answered 200, ${state.messages.length} messages: ${delivered} DELIVRD and ${failed} not, ` +
      `${counts.withoutReceipt} parts without a receipt; ${record.submits.length} submits, of parts that came before because they ` +
      `were refused for now ${again.refused}, not answered ${again.unanswered}, answered but not recorded before a kill ` +
      `${again.unrecorded}; ${counts.receipts} receipts acknowledged, ${counts.repeatedReceipts} repeated, ${counts.orphans} of ` +
      `unknown messages; ${state.replies.length} replies; ${pushes.delivered} pushes delivered`
    );
  } finally {
    await database.close();
  }
}

async function startServer({ lives }: Place, world: World): Promise<void> {
  // What the former life sent is at the latest in this process's buffers.
  await setImmediate();
  lives.push({ from: Date.now(), unrecorded: 0 });
  await world.start();
}

async function createCarrier(world: World, port: number, unanswered: Plan['unanswered']): Promise<void> {
  await world.control.call('createCarrier', {
    body: {
      ...{ name: 'Oracle', protocol: 'smpp', address: `127.0.0.1:${port}`, account: account.id },
      ...{
        password: account.password,
        connection_count: 2,
        response_timeout: `${responseTimeoutMs}ms`,
        keep_alive: '500ms',
        unanswered,
      },
    },
  });
}

async function breakSomething(fault: Fault, place: Place, victim: World, round: number): Promise<void> {
  const { proxy, lives, cutAt } = place;
  switch (fault) {
    case 'server killed': {
      const killedAt = Date.now();
      await victim.kill();
      lives.push({ from: lives.pop()?.from ?? 0, killedAt, unrecorded: 1 });
      return;
    }
    case 'connections cut':
      cutAt.push(Date.now());
      proxy.cut();
      return;
    case 'half-open':
      proxy.freeze('both');
      return;
    case 'half-open inwards':
      proxy.freeze('to-server');
      return;
    case 'carrier killed':
      await place.carrier[Symbol.asyncDispose]();
      await delay(drawn(seed, 'outage', round) * longestRoundMs);
      place.carrier = await place.startCarrier();
  }
}

/**
 * Waits until the carrier has everything and has told all it knows, then lets validity and grace end at once: they take
 * two minutes at the least. @returns the moment
 */
async function endGrace(database: Database, proxy: CarrierProxy): Promise<number> {
  for (;;) {
    const { parts } = await database.db
      .selectFrom('message_part')
      .select(({ fn }) => fn.countAll<number>().as('parts'))
      .executeTakeFirstOrThrow();
    if (Number(parts) === 0 && Date.now() - proxy.lastHeardAt >= silenceMs) break;
    await delay(100);
  }
  const now = Date.now();
  await database.db.updateTable('message').set({ ends_at: now }).where('status', 'is', null).execute();
  return now;
}

async function readTraces({ db }: Database) {
  return {
    carrierMessages: await db.selectFrom('carrier_message').selectAll().execute(),
    orphans: await db.selectFrom('orphan_receipt').selectAll().execute(),
  };
}
