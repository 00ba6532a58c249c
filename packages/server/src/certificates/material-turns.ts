import { Problem } from '../runtime/problem.ts';
import { createTurns, type Turns } from '../runtime/turns.ts';

/** An organization takes no more of the room than this part of it, so that no one of them takes all. */
const organizationShare = 1 / 4;

/** The costliest import takes three seconds, and organizations take turns. */
const retryAfterSeconds = 5;

/** Less than proxies wait for an answer, and than a connection may be silent. */
const patienceMs = 30_000;

/**
 * The turns of whatever stretches passwords or verifies signatures: imports, and exports as PKCS#12. One at a time. A file
 * says itself what it costs, up to seconds of the event loop's own thread in slices of milliseconds: a hundred at once made
 * each turn of the loop a hundred slices long, and hand-outs took nine seconds. What runs off that thread takes one of the
 * four that passwords (two at once), name look-ups and file access need as well.
 * @param waiting how many wait at most
 */
export function createMaterialTurns(waiting: number): Turns<string> {
  return createTurns({
    concurrency: 1,
    waiting: Math.ceil(waiting * organizationShare),
    waitingInAll: waiting,
    patienceMs,
    refusal: () =>
      new Problem('service_unavailable', {
        detail: 'Too many certificates are imported or exported at this moment. Try again in a few seconds.',
        retryAfterSeconds,
      }),
  });
}
