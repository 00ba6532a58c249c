import { Problem } from '../runtime/problem.ts';
import { createWorkQueue, type WorkQueue } from '../runtime/work-queue.ts';

/** One organization may fill only this part of the queue. */
const organizationShare = 1 / 4;

/** The costliest import takes three seconds, and organizations take turns. */
const retryAfterSeconds = 5;

/** Less than the time limits of proxies and of silent connections. */
const patienceMs = 30_000;

/**
 * The queue of costly work: imports, and exports as PKCS#12. One at a time, organizations in turn. A file states its
 * own cost, up to seconds on the event loop in slices; many at once would delay every hand-out. Work off the loop takes
 * one of the four threads that passwords, name look-ups and file access share.
 * @param waiting the most that wait
 */
export function createImportQueue(waiting: number): WorkQueue<string> {
  return createWorkQueue({
    concurrency: 1,
    waiting: Math.ceil(waiting * organizationShare),
    waitingInAll: waiting,
    patienceMs,
    refusal: () =>
      new Problem('service_unavailable', {
        detail: 'Too many certificates are being imported or exported. Try again in a few seconds.',
        retryAfterSeconds,
      }),
  });
}

/** The slowest completion takes three minutes: sixteen servers that do not answer. */
const completionsAtOnce = 8;
/** The limit of one organization: others need not wait for the servers that it asks. */
const completionsOfOne = 2;
const completionsWaiting = 32;

/** The queue of chains that are completed. Each waits for the servers that certificates name, which may never answer. */
export function createCompletionQueue(): WorkQueue<string> {
  return createWorkQueue({
    concurrency: completionsAtOnce,
    concurrencyOfLine: completionsOfOne,
    waiting: completionsWaiting * organizationShare,
    waitingInAll: completionsWaiting,
    patienceMs,
    refusal: () =>
      new Problem('service_unavailable', {
        detail: 'Too many chains are being completed. Try again in a few seconds.',
        retryAfterSeconds,
      }),
  });
}
