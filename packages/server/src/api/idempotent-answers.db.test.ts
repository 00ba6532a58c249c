import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, DatabaseUnavailable } from '../database/database.ts';
import { onBothDatabases } from '../database/testing.ts';
import { Problem } from '../runtime/problem.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { createIdempotentAnswers, type OnceRequest, rememberMs } from './idempotent-answers.ts';

const credential = new SecretText('wxa_credential');
const asked: OnceRequest = { actor: 'key:k', credential, key: 'order-1', request: '{"name":"a"}' };
const secret = { status: 201, body: '{"token":"wxd_once"}' };

/** Waiting moves the time. */
function answersOn(database: Database, start = Date.UTC(2026, 0, 1)) {
  let now = start;
  let atWait = async () => {};
  const answers = createIdempotentAnswers({
    database,
    clock: { now: () => now, monotonic: () => now },
    retentionClock: { now: () => now },
    async wait(ms) {
      now += ms;
      await atWait();
    },
  });
  return {
    ...answers,
    pass: (ms: number) => {
      now += ms;
    },
    whileWaiting: (work: () => Promise<void>) => {
      atWait = work;
    },
  };
}

const never = () => Promise.reject(new Error('done twice'));
const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

onBothDatabases('an Idempotency-Key', (open) => {
  test('gives the same answer to the same request, also from another node, and does nothing twice', async (t) => {
    const database = await open(t);
    assert.deepEqual(await answersOn(database).once(asked, async () => secret), secret);
    assert.deepEqual(await answersOn(database).once(asked, never), secret);
  });

  test('belongs to one actor and one request', async (t) => {
    const database = await open(t);
    const answers = answersOn(database);
    await answers.once(asked, async () => secret);
    await assert.rejects(answers.once({ ...asked, request: '{"name":"b"}' }, never), refused('idempotency_conflict'));
    const other = { status: 201, body: '{}' };
    assert.deepEqual(await answers.once({ ...asked, actor: 'key:l' }, async () => other), other);
    assert.deepEqual(await answers.once({ ...asked, key: 'order-2' }, async () => other), other);
  });

  test('keeps an answer from everybody who has not the credential it was given to', async (t) => {
    const database = await open(t);
    const answers = answersOn(database);
    await answers.once(asked, async () => secret);
    const rows = await database.db.selectFrom('api_answer').selectAll().execute();
    const stored = rows
      .map((row) => `${JSON.stringify(row)}${Buffer.from(row.sealed ?? []).toString('latin1')}`)
      .join();
    for (const text of ['wxd_once', 'order-1', 'wxa_credential', '"name"']) assert.ok(!stored.includes(text), text);
    const renewed = { ...asked, credential: new SecretText('another') };
    await assert.rejects(answers.once(renewed, never), refused('idempotency_conflict'));
  });

  test('lets a twin wait for the first', async (t) => {
    const database = await open(t);
    const [first, twin] = [answersOn(database), answersOn(database)];
    let finish = (_answer: typeof secret) => {};
    let begun = () => {};
    const underWay = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const one = first.once(asked, () => {
      begun();
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
    await underWay;
    twin.whileWaiting(async () => {
      finish(secret);
      await one;
    });
    assert.deepEqual(await twin.once(asked, never), secret);
    assert.deepEqual(await one, secret);
  });

  test('is free again after a refusal, and taken for good after an outage: nobody knows what was done', async (t) => {
    const database = await open(t);
    const answers = answersOn(database);
    await assert.rejects(
      answers.once(asked, () => Promise.reject(new Problem('conflict'))),
      refused('conflict'),
    );
    await assert.rejects(
      answers.once(asked, () => Promise.reject(new DatabaseUnavailable('lost'))),
      DatabaseUnavailable,
    );
    await assert.rejects(answers.once(asked, never), refused('service_unavailable'));
    // An import that waits for its turn twice, and for sixteen servers that do not answer, may still be under way.
    answers.pass((30 + 30 + 16 * 10) * 1000);
    await assert.rejects(answers.once(asked, never), refused('service_unavailable'));
    answers.pass(60_000);
    await assert.rejects(answers.once(asked, never), refused('idempotency_conflict'));
  });

  test('is forgotten after a day', async (t) => {
    const database = await open(t);
    const answers = answersOn(database);
    await answers.once(asked, async () => secret);
    answers.pass(rememberMs + 1);
    const later = { status: 201, body: '{}' };
    assert.deepEqual(await answers.once(asked, async () => later), later);
    await answers.once({ ...asked, key: 'old' }, async () => later);
    answers.pass(rememberMs + 1);
    const ended = new AbortController();
    answers.whileWaiting(async () => {
      if ((await database.db.selectFrom('api_answer').select('actor').execute()).length === 0) ended.abort();
    });
    await answers.worker.run(ended.signal);
    assert.deepEqual(await database.db.selectFrom('api_answer').selectAll().execute(), []);
  });
});
