import type { RecordedEvent } from '../../audit/audit-trail.ts';
import type { Ground } from '../../audit/ground.ts';
import { isUnavailable, unlessUnavailable } from '../../database/database.ts';
import type { DeploymentRefusalRow } from '../../database/schema/certificate-tables.ts';
import { forgetExpiredTokens } from '../../organizations/token-registry.ts';
import { createBatcher } from '../../runtime/batcher.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Worker } from '../../runtime/supervisor.ts';
import { TooSlow, within } from '../../runtime/wait.ts';
import { minuteMs } from '../deployment.ts';
import { addActivity, addRefusals, forgetRefusals } from '../deployment-store.ts';
import type { RefusalCode } from './access.ts';
import { createAddressSample, manyAddresses } from './address-sample.ts';
import { createLastSeen } from './last-seen.ts';

/** Who fetched what. */
export interface Retrieval {
  readonly organizationId: string;
  readonly deploymentId: string;
  readonly certificateId: string;
  readonly versionId: string;
  readonly as: 'info' | 'certificate' | 'key';
  readonly address: string;
  readonly userAgent: string;
}

/** What is remembered of retrievals (contract §1, "Records"). */
export interface RetrievalRecords {
  /**
   * Resolves once the record of a private key's hand-out is on disk. @throws when it cannot be, or not in time: then
   * nothing may leave. A late record may still be written: one too many, never one too few.
   */
  handOut(retrieval: Retrieval): Promise<void>;
  /** A successful answer; written within seconds. */
  success(retrieval: Retrieval, notModified: boolean): void;
  /** A refused request with a known token; counted by reason, address and minute, written within seconds. */
  refusal(
    organizationId: string,
    deploymentId: string,
    reason: RefusalCode | 'too_many_requests',
    address: string,
  ): void;
  /** Has event streams tell that a deployment was asked for, once its figures are written. */
  news(organizationId: string, deploymentId: string): void;
  /**
   * Whether hand-outs can be recorded, as far as is known: no after a record that failed or was late, until one succeeds
   * or some seconds have passed; then the next request tries.
   */
  canRecord(): boolean;
  /** Writes what waits; on the way down. */
  flush(): Promise<void>;
  readonly worker: Worker;
}

export interface RetrievalRecordsNeeds extends Pick<Ground, 'database' | 'feed' | 'audit' | 'clock' | 'wait'> {
  /** What is old enough to be removed goes by this one. */
  readonly retentionClock: Pick<Clock, 'now'>;
  readonly maxWaiting: number;
  readonly flushMs: number;
  /** Hears of refused requests that found no place to be counted in. */
  readonly onUncounted?: (requests: number) => void;
}

/** So many deployments that were seen are written at once, and not after a wait: each takes some 150 bytes. */
const seenAtMost = 100_000;
const handOutsPerCommit = 1_000;
const userAgentLimit = 200;
/** Few enough that a hand-out, which waits for the same writer, waits for milliseconds. */
const figuresPerCommit = 100;
/**
 * So many are brought in order at once, which takes 4 ms. In the order of their keys two nodes never wait for each other's
 * rows, and those of a commit lie near each other (measured on SQLite, ten thousand of a hundred thousand deployments at
 * a time: 21 µs a row in any order, 11 µs so).
 */
const figuresInOrder = 5_000;
/** Between commits, so that the writer has more time for others than for what a large fleet does every second. */
const figuresPauseMs = 10;
/** Deployments that are told of after one flush: a note is a row that every server reads. Pages look at the others later. */
const newsPerFlush = 100;
/** How long refusals, and tokens that have ended, are kept. */
const keepMs = 30 * 86_400_000;
const cleanUpEveryMs = 3_600_000;
const deploymentsPerCleanUp = 100;
const tokensPerCleanUp = 500;
/** Long for a commit, short for a client: what a stalled database holds up (10 to 15 s) is answered before. */
const handOutLimitMs = 2_500;
const failedForMs = 10_000;
/** Counts of refusals that wait to be written. The minute is a part of them, so while nothing can be written they grow. */
const refusalsWaiting = 20_000;

export function createRetrievalRecords(needs: RetrievalRecordsNeeds): RetrievalRecords {
  const { database, feed, audit, clock, flushMs, wait } = needs;
  const seen = createLastSeen();
  let refusals = new Map<string, DeploymentRefusalRow>();
  /** Organizations by their deployments. */
  let news = new Map<string, string>();
  const addresses = createAddressSample();
  let failedAt = Number.NEGATIVE_INFINITY;
  let cleanedAt = Number.NEGATIVE_INFINITY;
  let enough = new AbortController();

  const noteFailure = () => {
    failedAt = clock.monotonic();
  };

  const handOuts = createBatcher<RecordedEvent, void>({
    maxGroup: handOutsPerCommit,
    maxWaiting: needs.maxWaiting,
    isOutage: isUnavailable,
    underWay: database.batchesAtOnce,
    async commit(events) {
      try {
        // Of each answer: whoever waits for one of them has been refused by then.
        await audit.append(events, handOutLimitMs);
      } catch (error) {
        if (isUnavailable(error)) noteFailure();
        throw error;
      }
      failedAt = Number.NEGATIVE_INFINITY;
      return new Array<void>(events.length);
    },
  });

  async function handOut(retrieval: Retrieval): Promise<void> {
    const recorded = handOuts.offer(toEvent(retrieval, clock.now()));
    try {
      await within(handOutLimitMs, 'the record of a hand-out was not on disk', recorded);
    } catch (error) {
      if (error instanceof TooSlow) noteFailure();
      throw error;
    }
  }

  async function writeSeen(pause: () => Promise<void>): Promise<void> {
    let isFirst = true;
    for (const some of portions(seen.deploymentIds(), figuresInOrder)) {
      for (const ids of portions(some.sort(), figuresPerCommit)) {
        if (!isFirst) await pause();
        isFirst = false;
        const rows = seen.take(ids);
        try {
          await addActivity(database, rows);
        } catch (error) {
          for (const row of rows) seen.add(row);
          throw error;
        }
      }
    }
  }

  async function writeRefused(): Promise<void> {
    const refused = refusals;
    refusals = new Map();
    try {
      for (const keys of portions([...refused.keys()].sort(), figuresPerCommit)) {
        await addRefusals(
          database,
          keys.map((key) => refused.get(key) as DeploymentRefusalRow),
        );
        for (const key of keys) refused.delete(key);
      }
    } finally {
      // These rows were not written: they are kept for the next flush, and later figures are added to them.
      if (refused.size > 0) {
        for (const row of refusals.values()) countRefused(refused, row);
        refusals = refused;
      }
    }
  }

  async function tellNews(told: ReadonlyMap<string, string>): Promise<void> {
    if (told.size === 0) return;
    await feed.write(async (_trx, note) => {
      for (const [deploymentId, organizationId] of told) note('retrieval', deploymentId, organizationId);
    });
  }

  async function flush(pause = async () => {}): Promise<void> {
    const told = news;
    news = new Map();
    try {
      // First what there are few of: the others may take their time.
      await writeRefused();
      await writeSeen(pause);
      await tellNews(told);
    } catch (error) {
      for (const [deploymentId, organizationId] of told) addNews(organizationId, deploymentId);
      throw error;
    }
  }

  function addNews(organizationId: string, deploymentId: string): void {
    if (news.size < newsPerFlush) news.set(deploymentId, organizationId);
  }

  async function cleanUp(): Promise<void> {
    if (clock.monotonic() - cleanedAt < cleanUpEveryMs) return;
    cleanedAt = clock.monotonic();
    const before = needs.retentionClock.now() - keepMs;
    while (await forgetRefusals(database.db, Math.floor(before / minuteMs), deploymentsPerCleanUp));
    // Kept so long after their end, because a server that still comes with one shows as a refusal of its deployment.
    while (await forgetExpiredTokens(database.db, before, tokensPerCleanUp));
  }

  /** Once the places are taken, a deployment's new addresses are counted as one; without a place even for that, lost. */
  function countRefused(rows: Map<string, DeploymentRefusalRow>, row: DeploymentRefusalRow): void {
    if (addRefused(rows, row) || addRefused(rows, { ...row, address: manyAddresses })) return;
    needs.onUncounted?.(row.count);
  }

  return {
    handOut,
    canRecord: () => clock.monotonic() - failedAt >= failedForMs,

    success(retrieval, notModified) {
      const before = seen.size;
      const at = clock.now();
      seen.add({
        organization_id: retrieval.organizationId,
        deployment_id: retrieval.deploymentId,
        last_seen_at: at,
        last_address: retrieval.address,
        last_user_agent: bounded(retrieval.userAgent),
        last_version: retrieval.versionId,
        version_since: at,
        successes: 1,
        not_modified: notModified ? 1 : 0,
      });
      // Just then, and no more while they cannot be written: trying is left to the next round.
      if (before < seenAtMost && seen.size === seenAtMost) enough.abort();
    },

    refusal(organizationId, deploymentId, reason, address) {
      const minute = Math.floor(clock.now() / minuteMs);
      countRefused(refusals, {
        organization_id: organizationId,
        deployment_id: deploymentId,
        minute,
        reason,
        address: addresses.name(minute, deploymentId, address),
        count: 1,
      });
    },

    news: addNews,

    async flush() {
      await handOuts.drain();
      await flush();
    },

    worker: {
      name: 'retrieval-records',
      async run(signal) {
        while (!signal.aborted) {
          await wait(flushMs, AbortSignal.any([signal, enough.signal]));
          enough = new AbortController();
          // Figures that were not written wait for the next round.
          await unlessUnavailable(flush(() => wait(figuresPauseMs, signal)).then(cleanUp));
        }
      },
    },
  };
}

function toEvent(retrieval: Retrieval, at: number): RecordedEvent {
  return {
    organizationId: retrieval.organizationId,
    actor: `deployment:${retrieval.deploymentId}`,
    action: 'private-key.hand-out',
    subject: retrieval.deploymentId,
    at,
    detail: JSON.stringify({
      certificate: retrieval.certificateId,
      version: retrieval.versionId,
      as: retrieval.as,
      address: retrieval.address,
      user_agent: bounded(retrieval.userAgent),
    }),
  };
}

/** U+0000 is no text to PostgreSQL, and lone surrogates are none anywhere. Header values are bytes read as Latin-1. */
function bounded(userAgent: string): string {
  return userAgent.length > userAgentLimit ? userAgent.slice(0, userAgentLimit) : userAgent;
}

/** @returns whether it was counted: there are only so many places */
function addRefused(rows: Map<string, DeploymentRefusalRow>, row: DeploymentRefusalRow): boolean {
  const key = `${row.deployment_id} ${row.minute} ${row.reason} ${row.address}`;
  const known = rows.get(key);
  if (known !== undefined) known.count += row.count;
  else if (rows.size < refusalsWaiting) rows.set(key, row);
  else return false;
  return true;
}

function* portions<Item>(items: Iterable<Item>, most: number): Iterable<Item[]> {
  let portion: Item[] = [];
  for (const item of items) {
    if (portion.push(item) < most) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
