import { createHash, createHmac } from 'node:crypto';
import type { Ground } from '../audit/ground.ts';
import { type Database, type Db, isUniqueViolation } from '../database/database.ts';
import { idempotencyHeader } from '../http/request/idempotency-key.ts';
import type { Clock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { SecretText } from '../runtime/secret-text.ts';
import type { Worker } from '../runtime/supervisor.ts';
import { never } from '../runtime/wait.ts';
import { keyOfCredential, openText, sealText } from '../secrets/credential-seal.ts';

/** A request that is to take effect once, however often it is sent. */
export interface OnceRequest {
  /** Who asks: keys of different actors have nothing to do with each other. */
  readonly actor: string;
  /** The credential of the request: with it the answer is sealed, and only with it opened again. */
  readonly credential: SecretText;
  /** What the client wrote into `Idempotency-Key`. */
  readonly key: string;
  /** What makes two requests the same. */
  readonly request: string;
}

export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Answers of creations, remembered for a day. An answer may hold a token that is shown once, so it is sealed under a
 * key made of the client's own credential, of which the database has only a hash: a reader of the database reads no
 * answer, and no rotation of master keys concerns it.
 */
export interface IdempotentAnswers {
  /**
   * Does `work` unless the same request was done before; then gives its answer. A twin that is under way, on whichever
   * node, is waited for.
   * @throws Problem `idempotency_conflict` when the key belongs to another request, or when a request with it was cut
   *   off, so that nobody knows whether it took effect; `service_unavailable` when the twin takes too long
   */
  once(request: OnceRequest, work: () => Promise<StoredAnswer>): Promise<StoredAnswer>;
  /** Removes what is older than a day. */
  readonly worker: Worker;
}

interface Needs extends Pick<Ground, 'database' | 'clock' | 'wait'> {
  /** What is old enough to be removed goes by this one. */
  readonly retentionClock: Pick<Clock, 'now'>;
}

export const rememberMs = 24 * 3_600_000;
/**
 * What is under way for longer was cut off. The longest request is an import that completes its chain: it waits twice for
 * its turn, up to 30 s each time, and asks up to 16 servers, up to 10 s each.
 */
const longestMs = 5 * 60_000;
const twinLimitMs = 20_000;
const twinPollMs = 100;
const roundMs = 10 * 60_000;
const rowsPerRound = 1_000;

export function createIdempotentAnswers({ database, clock, retentionClock, wait }: Needs): IdempotentAnswers {
  const { db } = database;

  /** @returns undefined when the key is ours now, else the former answer. */
  async function claim(row: KeyRow, key: Buffer, signal: AbortSignal): Promise<StoredAnswer | undefined> {
    const endsAt = clock.monotonic() + twinLimitMs;
    for (;;) {
      await forget(db, row, clock.now() - rememberMs);
      try {
        await db
          .insertInto('api_answer')
          .values({ ...row, begun_at: clock.now(), sealed: null })
          .execute();
        return undefined;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
      const found = await find(db, row);
      // Given up meanwhile: the next round may claim it.
      if (found === undefined) continue;
      if (found.fingerprint !== row.fingerprint)
        throw new Problem('idempotency_conflict', { field: idempotencyHeader });
      if (found.sealed !== null) return JSON.parse(openText(key, found.sealed)) as StoredAnswer;
      if (clock.now() - found.begun_at > longestMs) throw cutOff();
      if (clock.monotonic() >= endsAt) throw new Problem('service_unavailable', { retryAfterSeconds: 5 });
      await wait(twinPollMs, signal);
    }
  }

  return {
    async once(request, work) {
      const key = keyOfCredential(request.credential, request.key, 'waxwing idempotent answer');
      const row: KeyRow = {
        actor: request.actor,
        key_hash: createHash('sha256').update(request.key).digest('hex'),
        fingerprint: createHmac('sha256', key).update(request.request).digest('hex'),
      };
      const former = await claim(row, key, never);
      if (former !== undefined) return former;
      let answer: StoredAnswer;
      try {
        answer = await work();
      } catch (error) {
        // A Problem says that nothing was done. After anything else nobody knows, and the key stays taken.
        if (error instanceof Problem) await release(db, row).catch(() => {});
        throw error;
      }
      await keep(db, row, sealText(key, JSON.stringify(answer)));
      return answer;
    },
    worker: {
      name: 'idempotency-retention',
      async run(signal) {
        while (!signal.aborted) {
          await wait(roundMs, signal);
          while (!signal.aborted && (await forgetSome(database, retentionClock.now() - rememberMs)));
        }
      },
    },
  };
}

function cutOff(): Problem {
  return new Problem('idempotency_conflict', {
    field: idempotencyHeader,
    detail:
      'A request with this Idempotency-Key was cut off, and whether it took effect is not known. Look, then use another key.',
  });
}

interface KeyRow {
  readonly actor: string;
  readonly key_hash: string;
  readonly fingerprint: string;
}

function find(db: Db, row: KeyRow) {
  return db
    .selectFrom('api_answer')
    .select(['fingerprint', 'begun_at', 'sealed'])
    .where('actor', '=', row.actor)
    .where('key_hash', '=', row.key_hash)
    .executeTakeFirst();
}

async function keep(db: Db, row: KeyRow, sealed: Buffer): Promise<void> {
  await db
    .updateTable('api_answer')
    .set({ sealed })
    .where('actor', '=', row.actor)
    .where('key_hash', '=', row.key_hash)
    .execute();
}

async function release(db: Db, row: KeyRow): Promise<void> {
  await db.deleteFrom('api_answer').where('actor', '=', row.actor).where('key_hash', '=', row.key_hash).execute();
}

async function forget(db: Db, row: KeyRow, before: number): Promise<void> {
  await db
    .deleteFrom('api_answer')
    .where('actor', '=', row.actor)
    .where('key_hash', '=', row.key_hash)
    .where('begun_at', '<', before)
    .execute();
}

/** @returns whether there may be more. */
async function forgetSome(database: Database, before: number): Promise<boolean> {
  const { db } = database;
  const old = await db
    .selectFrom('api_answer')
    .select(['actor', 'key_hash'])
    .where('begun_at', '<', before)
    .orderBy('begun_at')
    .limit(rowsPerRound)
    .execute();
  await database.transaction(async (trx) => {
    for (const { actor, key_hash } of old) {
      await trx.deleteFrom('api_answer').where('actor', '=', actor).where('key_hash', '=', key_hash).execute();
    }
  });
  return old.length === rowsPerRound;
}
