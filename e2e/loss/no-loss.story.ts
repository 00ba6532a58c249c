import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import type { Database } from '../../packages/server/src/database/database.ts';
import { openDatabase } from '../../packages/server/src/database/open-database.ts';
import { startPostgres, type TestPostgres } from '../../packages/server/src/database/postgres/postgres.testing.ts';
import { reasonToSkip } from '../../packages/server/src/database/testing.ts';
import { drawn } from '../drawn.ts';
import { makeSenders, quickPushes } from '../guides/messaging-setup.ts';
import { makeWorld, type World } from '../world.ts';
import { readFinalState, untilQuiet } from './final-state.ts';
import { lastWords } from './last-words.ts';
import { checkEvents, checkPushes, checkReplies, checkRequests, type Life } from './loss-verdict.ts';
import { finishSending, keepReplying, keepSending, type Load, newLedger, replyOnce } from './message-load.ts';
import { startPushRecorder } from './push-recorder.ts';

const isFull = process.env.WAXWING_TEST_SCALE === 'full';
/** Runs for this long at any scale: `WAXWING_ORACLE_MINUTES=60 npm test -- no-loss` */
const minutes = Number(process.env.WAXWING_ORACLE_MINUTES ?? 0);
const serverKills = isFull ? 50 : 5;
const databaseKills = isFull ? 10 : 2;
const seed = Number(process.env.WAXWING_TEST_SEED ?? 20_260_201);
const senders = 3;
const loops = 6;
const longestLifeMs = 1_500;

test(`a server killed ${serverKills} times under load loses nothing (SQLite)`, async (t) => {
  const world = await makeWorld('sqlite', quickPushes);
  try {
    const open = () => openDatabase({ kind: 'sqlite', file: world.path('data/waxwing.db') });
    await runOracle(t, world, { open, kills: endless(Array(serverKills).fill('server')) });
  } catch (error) {
    console.log(lastWords(world));
    throw error;
  } finally {
    await world.end();
  }
});

test(`a server and its database killed ${serverKills} and ${databaseKills} times under load lose nothing (PostgreSQL)`, {
  skip: reasonToSkip('postgres'),
}, async (t) => {
  // A cluster of its own, because the test kills it.
  const postgres = await startPostgres();
  // The setting decides. A world of SQLite has no database to remove.
  const world = await makeWorld('sqlite', { ...quickPushes, WAXWING_DATABASE_URL: postgres.url });
  try {
    const open = () => openDatabase({ kind: 'postgres', url: postgres.url });
    const kills = spread(Array(serverKills).fill('server'), Array(databaseKills).fill('database'));
    await runOracle(t, world, { open, kills: endless(kills), postgres });
  } catch (error) {
    console.log(lastWords(world));
    throw error;
  } finally {
    await world.end();
    await postgres.stop();
  }
});

type Kill = 'server' | 'database';

interface Plan {
  readonly open: () => Promise<Database>;
  readonly kills: Iterable<Kill>;
  readonly postgres?: TestPostgres;
}

async function runOracle(t: TestContext, world: World, { open, kills, postgres }: Plan): Promise<void> {
  const recorder = await startPushRecorder({ seed, hopeless: 8, troubled: 25, slow: 5 });
  await using _receiver = recorder;
  const ledger = newLedger();
  const lives: Life[] = [];
  const died = { server: 0, database: 0 };

  async function startServer(): Promise<void> {
    // What the former life sent is at the latest in this process's buffers.
    await setImmediate();
    lives.push({ from: Date.now(), unrecorded: 0 });
    await world.start();
  }

  await startServer();
  const load: Load = {
    seed,
    ledger,
    recorder,
    senders: await makeSenders(world, senders, recorder.port),
    mostOnTheirWay: 400,
  };
  const began = performance.now();
  let stopped = new AbortController();
  let working: Promise<unknown> | undefined;
  const work = (signal: AbortSignal) =>
    Promise.all([
      ...Array.from({ length: loops }, () => keepSending(load, world, signal)),
      keepReplying(load, world, signal),
    ]);

  for (const kill of kills) {
    if (working === undefined) {
      stopped = new AbortController();
      working = work(stopped.signal);
      // Rethrown below, where the work is awaited.
      working.catch(() => {});
    }
    // The only wait by the clock: the moment of the kill is the test's random input.
    await delay(50 + drawn(seed, 'life', died.server, died.database) * longestLifeMs);
    died[kill] += 1;
    if (kill === 'database') {
      await postgres?.kill9();
      await delay(drawn(seed, 'outage', died.database) * longestLifeMs);
      await postgres?.restart();
      continue;
    }
    const killedAt = Date.now();
    await world.kill();
    lives.push({ from: lives.pop()?.from ?? 0, killedAt, unrecorded: 1 });
    stopped.abort();
    await working;
    working = undefined;
    await startServer();
  }
  stopped.abort();
  await working;

  const underLoad = (performance.now() - began) / 1000;
  await finishSending(load, world);
  await replyOnce(load, world);
  const database = await open();
  try {
    await untilQuiet(database);
    assert.equal(await world.stop(), 0);
    const state = await readFinalState(database);
    checkRequests(ledger, state);
    checkReplies(ledger, state);
    checkEvents(state);
    assert.equal(recorder.followed, 0, 'a redirect was followed');
    const counts = checkPushes(state, recorder.arrivals, lives);
    const answered = ledger.answered.length;
    const unanswered = ledger.requests.length - answered;
    t.diagnostic(
      `seed ${seed}: server killed ${died.server} times, database ${died.database} times in ${underLoad.toFixed(1)} s of load; ` +
        `${answered} requests answered 200 (${ledger.repeated} repeated) and ${unanswered} not, ` +
        `${state.messages.length} messages, ${state.replies.length} replies`,
    );
    t.diagnostic(
      `${state.history.length} pushes: ${counts.delivered} delivered, ${counts.failed} failed; ${counts.arrivals} arrivals, ` +
        `${counts.recorded} recorded outcomes, ${counts.sentAgain} sent again on a new connection, ${counts.unrecorded} unrecorded (answered at most ${counts.oldestLostMs} ms before the kill), ${counts.duplicates} answered 200 again; none lost`,
    );
    assert.ok(answered >= (died.server + died.database) * 5, 'too few requests were answered to show anything');
    assert.ok(counts.failed > 0 && counts.delivered > counts.failed);
  } finally {
    await database.close();
  }
}

/** All of them once, and repeatedly for the requested time. */
function* endless(kills: readonly Kill[]): Iterable<Kill> {
  const until = performance.now() + minutes * 60_000;
  do {
    yield* kills;
  } while (performance.now() < until);
}

/** Spreads the few evenly among the many. */
function spread(many: readonly Kill[], few: readonly Kill[]): Kill[] {
  const each = Math.ceil(many.length / (few.length + 1));
  return many.flatMap((kill, index) => {
    const next = few[Math.floor(index / each)];
    return index % each === each - 1 && next !== undefined ? [next, kill] : [kill];
  });
}
