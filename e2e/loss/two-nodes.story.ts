import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../packages/server/src/database/database.ts';
import { freshDatabase, reasonToSkip } from '../../packages/server/src/database/testing.ts';
import { readNodeId } from '../../packages/server/src/instance/node-identity.ts';
import { allShardLeases, leaseOf } from '../../packages/server/src/push/outbox/push-shard.ts';
import { never } from '../../packages/server/src/runtime/wait.ts';
import { freePort } from '../free-port.ts';
import { makeSenders, quickPushes } from '../guides/messaging-setup.ts';
import { makeWorld, type World } from '../world.ts';
import { type FinalState, readFinalState, untilQuiet } from './final-state.ts';
import { lastWords } from './last-words.ts';
import {
  countLeases,
  holderAt,
  type LeaseHistory,
  readLeaseHistory,
  recordLeases,
  wasHeldBy,
} from './lease-history.ts';
import { checkEvents, checkPushes, checkReplies, checkRequests } from './loss-verdict.ts';
import { keepReplying, keepSending, type Load, newLedger } from './message-load.ts';
import { type Arrival, type PushRecorder, startPushRecorder } from './push-recorder.ts';

const isFull = process.env.WAXWING_TEST_SCALE === 'full';
const seed = Number(process.env.WAXWING_TEST_SEED ?? 20_260_202);
/** The default is ten seconds. The short run waits for two ends of leases. */
const leaseSeconds = isFull ? 10 : 4;
/** A lease, and a moment to notice its end: 15 s by default. */
const takeOverLimitMs = (leaseSeconds + 5) * 1000;
const messages = isFull ? 20_000 : 1_000;
const senders = 12;
const loops = 4;
const simulatorWindow = 1_000;

const skip =
  process.platform === 'linux' ? reasonToSkip('postgres') : 'SKIPPED: needs all of 127.0.0.0/8, as Linux has it';
const preload = new URL('../source-address.ts', import.meta.url).href;

/** A server of two. */
interface Node {
  readonly world: World;
  readonly metricsPort: number;
  /** Its name in the leases. */
  readonly id: string;
  /** The source of its pushes. */
  readonly address: string;
}

interface Story {
  readonly t: TestContext;
  readonly database: Database;
  readonly recorder: PushRecorder;
  readonly load: Load;
}

test('two servers on one PostgreSQL share the pushes, and follow each other without a loss', { skip }, async (t) => {
  const fresh = await freshDatabase('postgres', { empty: true });
  const worlds: World[] = [];
  try {
    if (fresh.options.kind !== 'postgres') throw new Error('this is a story of PostgreSQL');
    const url = fresh.options.url;
    const node = async (address: string, settings: Readonly<Record<string, string>> = {}): Promise<Node> => {
      const metricsPort = await freePort();
      const world = await makeWorld('sqlite', {
        ...quickPushes,
        // The setting decides. A world of SQLite has no database to remove.
        WAXWING_DATABASE_URL: url,
        WAXWING_PUSH_LEASE: `${leaseSeconds}s`,
        NODE_OPTIONS: `--import=${preload}`,
        STORY_SOURCE_ADDRESS: address,
        WAXWING_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
        ...settings,
      });
      worlds.push(world);
      await world.start();
      return { world, metricsPort, id: readNodeId(world.path('data'), 'postgres'), address };
    };
    // One after the other: the first one makes the master key.
    const one = await node('127.0.0.2');
    const two = await node('127.0.0.3', { WAXWING_MASTER_KEY_FILE: one.world.path('data/master.key') });
    await recordLeases(fresh.database);
    await tell(t, fresh.database, one, two);
  } catch (error) {
    for (const world of worlds) console.log(lastWords(world));
    throw error;
  } finally {
    for (const world of worlds) await world.end();
    await fresh.close();
  }
});

async function tell(t: TestContext, database: Database, one: Node, two: Node): Promise<void> {
  const recorder = await startPushRecorder({ seed, hopeless: 0, troubled: 3, slow: 40 });
  await using _receiver = recorder;
  const load: Load = {
    seed,
    recorder,
    ledger: newLedger(),
    senders: await makeSenders(one.world, senders, recorder.port),
    mostOnTheirWay: 1_000,
  };
  const story: Story = { t, database, recorder, load };

  await untilShared(database, one, two);
  await bothPush(story, one, two);

  const carrier = (await countLeases(database, 'carrier')).has(one.id) ? one : two;
  const other = carrier === one ? two : one;
  await oneIsKilled(story, carrier, other);

  await carrier.world.start();
  await untilShared(database, one, two);
  await oneIsPaused(story, other, carrier);

  for (const { world } of [one, two]) assert.equal(await world.stop(), 0);
  const state = await readFinalState(database);
  checkRequests(load.ledger, state);
  checkReplies(load.ledger, state);
  checkEvents(state);
  // Two interruptions may each lose the outcome of one attempt of a push.
  const counts = checkPushes(state, recorder.arrivals, [{ from: 0, unrecorded: 2 }]);
  const late = checkPushers(state, recorder.arrivals, await readLeaseHistory(database), [one, two]);
  t.diagnostic(
    `${state.messages.length} messages, ${state.replies.length} replies, ${counts.delivered} pushes delivered and ` +
      `${counts.failed} failed; ${counts.arrivals} arrivals, ${counts.unrecorded} unrecorded, ${counts.duplicates} answered ` +
      `200 again, ${late} from the resumed server of attempts that it had begun before; none lost`,
  );
}

/** Half of the shards each, and the carrier at one of them. */
async function untilShared(database: Database, one: Node, two: Node): Promise<void> {
  await until('the shards are shared', async () => {
    const shards = await countLeases(database, 'push');
    const carriers = await countLeases(database, 'carrier');
    const half = allShardLeases.length / 2;
    return shards.get(one.id) === half && shards.get(two.id) === half && carriers.size === 1;
  });
}

async function untilAllAre(database: Database, heir: Node): Promise<void> {
  await until(`all is held by the server that is left`, async () => {
    const shards = await countLeases(database, 'push');
    return shards.get(heir.id) === allShardLeases.length && (await countLeases(database, 'carrier')).has(heir.id);
  });
}

async function bothPush(story: Story, one: Node, two: Node): Promise<void> {
  const { t, database, recorder, load } = story;
  const began = performance.now();
  await underLoad(load, [one.world, two.world], async () => {
    while (load.ledger.acknowledged < messages) await recorder.next(never);
  });
  await untilQuiet(database);
  const seconds = (performance.now() - began) / 1000;
  const by = ({ address }: Node) => recorder.arrivals.filter(({ sender }) => sender === address).length;
  const figures = [one, two].map((node) => `${by(node)} (${(by(node) / seconds).toFixed(0)}/s)`);
  t.diagnostic(`lease ${leaseSeconds} s, seed ${seed}: both push: ${figures.join(' and ')} in ${seconds.toFixed(1)} s`);
  assert.ok(by(one) > 0 && by(two) > 0, 'one of them pushed nothing');
  const submits = await Promise.all([one, two].map(acceptedSubmits));
  assert.equal(Math.min(...submits), 0, 'both submitted to the carrier');
  assert.equal(Math.max(...submits), await countParts(database), 'a text was not submitted once');
}

async function oneIsKilled({ t, database, load }: Story, victim: Node, heir: Node): Promise<void> {
  await underLoad(load, [heir.world], async () => {
    await underLoad(load, [victim.world], async () => {
      await delay(500);
      await victim.world.kill();
    });
    const killedAt = performance.now();
    await untilAllAre(database, heir);
    const tookMs = performance.now() - killedAt;
    t.diagnostic(`killed: the other one had its shards and its carrier after ${(tookMs / 1000).toFixed(1)} s`);
    assert.ok(tookMs <= takeOverLimitMs);
  });
  await untilQuiet(database);
}

async function oneIsPaused({ t, database, load }: Story, victim: Node, heir: Node): Promise<void> {
  const partsBefore = await countParts(database);
  const submitsBefore = (await acceptedSubmits(victim)) + (await acceptedSubmits(heir));
  const pid = victim.world.serverPid;
  await underLoad(load, [heir.world], async () => {
    await delay(500);
    process.kill(pid, 'SIGSTOP');
    try {
      await untilAllAre(database, heir);
      // Attempts tell the second of their beginning. The wait separates later from earlier ones.
      await delay(1_500);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await untilShared(database, victim, heir);
  });
  await untilQuiet(database);
  const submits = (await acceptedSubmits(victim)) + (await acceptedSubmits(heir)) - submitsBefore;
  const parts = (await countParts(database)) - partsBefore;
  t.diagnostic(`paused: ${parts} texts, ${submits - parts} of them submitted by both`);
  assert.ok(submits >= parts && submits - parts <= simulatorWindow);
}

/** Sends to these servers and makes phones reply while `work` runs. */
async function underLoad(load: Load, worlds: readonly World[], work: () => Promise<void>): Promise<void> {
  const ended = new AbortController();
  const loads = worlds.flatMap((world) => [
    ...Array.from({ length: loops }, () => keepSending(load, world, ended.signal)),
    keepReplying(load, world, ended.signal),
  ]);
  const all = Promise.all(loads);
  // Rethrown below.
  all.catch(() => {});
  try {
    await work();
  } finally {
    ended.abort();
    await all;
  }
}

/**
 * Each arrival came from the server that held its shard when the attempt began.
 * @returns how many came when another server held the shard already
 */
function checkPushers(
  state: FinalState,
  arrivals: readonly Arrival[],
  leases: LeaseHistory,
  nodes: readonly Node[],
): number {
  const settings = new Map(state.history.map(({ id, setting_id }) => [id, setting_id]));
  let late = 0;
  for (const { pushId, sender, at, beganAt } of arrivals) {
    const holder = nodes.find(({ address }) => address === sender)?.id;
    const lease = leaseOf(state.settings.get(settings.get(pushId) ?? '')?.shard ?? -1);
    const began = { from: beganAt * 1000, until: beganAt * 1000 + 999 };
    const seen = () => JSON.stringify({ sender, holder, at, beganAt, leases: leases.get(lease) });
    assert.ok(
      holder !== undefined && wasHeldBy(leases, lease, holder, began),
      `push ${pushId} came from a server that did not hold its shard: ${seen()}`,
    );
    if (holderAt(leases, lease, at) !== holder) late += 1;
  }
  return late;
}

/** Texts that the simulator accepted from this server since its start. */
async function acceptedSubmits({ metricsPort }: Node): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const line = text.split('\n').find((each) => /^waxwing_submits_total\{.*result="accepted"/.test(each));
  return Number(line?.split(' ').at(-1) ?? 0);
}

/** Texts accepted by carriers. No message is refused by the service here. */
async function countParts({ db }: Database): Promise<number> {
  const { parts } = await db
    .selectFrom('message')
    .select(({ fn }) => fn.sum<number | null>('segments').as('parts'))
    .where('carrier_id', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(parts ?? 0);
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await look())) {
    assert.ok(performance.now() < deadline, `it never came to be that ${what}`);
    await delay(100);
  }
}
