import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../packages/server/src/database/database.ts';
import type {
  MessageBatchRow,
  MessageEventRow,
  MessageRow,
  ReplyRow,
} from '../../packages/server/src/database/schema/message-tables.ts';
import type {
  PushAttemptRow,
  PushHistoryRow,
  PushSettingRow,
} from '../../packages/server/src/database/schema/push-tables.ts';

/** Everything the database holds about messages and pushes at the end. */
export interface FinalState {
  readonly batches: readonly MessageBatchRow[];
  readonly messages: readonly MessageRow[];
  readonly replies: readonly ReplyRow[];
  readonly events: readonly MessageEventRow[];
  /** The number of each organization's latest event. */
  readonly counters: ReadonlyMap<string, number>;
  readonly settings: ReadonlyMap<string, PushSettingRow>;
  readonly history: readonly PushHistoryRow[];
  /** Those before the last one of each push, from its history. */
  readonly attempts: readonly PushAttemptRow[];
}

/** What is still open. */
interface Rest {
  readonly messages: number;
  readonly parts: number;
  readonly pushes: number;
}

const quietLimitMs = 120_000;

/** Waits until every message is settled and every push has ended. */
export async function untilQuiet(database: Database): Promise<void> {
  const deadline = performance.now() + quietLimitMs;
  for (;;) {
    const rest = await readRest(database);
    if (rest.messages + rest.parts + rest.pushes === 0) return;
    assert.ok(performance.now() < deadline, `it never became quiet: ${JSON.stringify(rest)} left`);
    await delay(100);
  }
}

async function readRest({ db }: Database): Promise<Rest> {
  const count = (name: 'message' | 'message_part' | 'push') =>
    db.selectFrom(name).select(({ fn }) => fn.countAll<number>().as('rows'));
  const [messages, parts, pushes] = await Promise.all([
    count('message').where('status', 'is', null).executeTakeFirstOrThrow(),
    count('message_part').executeTakeFirstOrThrow(),
    count('push').executeTakeFirstOrThrow(),
  ]);
  return { messages: Number(messages.rows), parts: Number(parts.rows), pushes: Number(pushes.rows) };
}

export async function readFinalState({ db }: Database): Promise<FinalState> {
  const counters = await db.selectFrom('message_counter').selectAll().execute();
  const settings = await db.selectFrom('push_setting').selectAll().execute();
  return {
    batches: await db.selectFrom('message_batch').selectAll().execute(),
    messages: await db.selectFrom('message').selectAll().orderBy('position').execute(),
    replies: await db.selectFrom('reply').selectAll().execute(),
    events: await db.selectFrom('message_event').selectAll().orderBy('number').execute(),
    counters: new Map(counters.map(({ organization_id, value }) => [organization_id, value])),
    settings: new Map(settings.map((row) => [row.id, row])),
    history: await db.selectFrom('push_history').selectAll().execute(),
    attempts: await db.selectFrom('push_attempt').selectAll().orderBy('number').execute(),
  };
}
