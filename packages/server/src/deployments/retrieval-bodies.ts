import type { Representation } from './entity-tag.ts';
import { successBody } from './retrieval-envelope.ts';
import { chainOf, type RetrievableVersion } from './retrieval-version.ts';

export interface RetrievalBody {
  /** May hold a private key in clear. */
  readonly text: string;
  /** Its length in UTF-8. */
  readonly bytes: number;
}

/** The body of an answer. @throws what `open` throws */
export type RetrievalBodies = (version: RetrievableVersion, representation: Representation) => RetrievalBody;

export const emptyBody: RetrievalBody = { text: '', bytes: 0 };

export interface RetrievalBodiesOptions {
  /** Gives a version's private key in clear. */
  readonly open: (version: RetrievableVersion) => string;
  /** Calls `run` after so many milliseconds. */
  readonly schedule?: (ms: number, run: () => void) => void;
  /** So many bytes of bodies are kept at most. */
  readonly maxBytes?: number;
}

/** What holds a key is kept no longer than this after it was opened. */
export const bodiesKeptMs = 5_000;

/** Bodies of some ten thousand certificates. */
const defaultMaxBytes = 48 * 2 ** 20;

/**
 * Answers of a few seconds that carry the same key share one body: many servers ask for one certificate at the same time,
 * and what one of them was given may be given to the next (after its own record). To open a key and to make the body takes
 * 17 of the 52 µs that an answer costs the main thread where each answer is of another certificate, a third of it before
 * anything was computed: each opening is an object of Node's with a finalizer (10,000 certificates, 13,000 answers a second).
 *
 * A key in clear is what this process's memory gives away with or without it: the master key lies there too, and the text of an
 * answer stays where it was until its memory is used again. So the time is short rather than none.
 *
 * A version that changes is another object: nothing of the former one is found.
 */
export function createRetrievalBodies(options: RetrievalBodiesOptions): RetrievalBodies {
  const { open, schedule = afterTime, maxBytes = defaultMaxBytes } = options;
  let bodies = noBodies();
  let keptBytes = 0;
  let isToBeForgotten = false;

  function forget(): void {
    // Not cleared: a map that is keeps pointing, inside V8, from its former table to its next one, so that a former one which
    // has grown old kept all later ones, with the bodies in them, until the next full collection. (Measured with 25,000
    // certificates a second: 65 MB a second grew old.)
    bodies = noBodies();
    keptBytes = 0;
  }

  function keep(version: RetrievableVersion, representation: 'info' | 'key', body: RetrievalBody): void {
    if (keptBytes + body.bytes > maxBytes) forget();
    bodies[representation].set(version, body);
    keptBytes += body.bytes;
    if (isToBeForgotten) return;
    isToBeForgotten = true;
    schedule(bodiesKeptMs, () => {
      isToBeForgotten = false;
      forget();
    });
  }

  return (version, representation) => {
    // It is there as bytes, and no secret.
    if (representation === 'certificate') return bodyOf(chainOf(version));
    const known = bodies[representation].get(version);
    if (known !== undefined) return known;
    const privateKey = open(version);
    const body = bodyOf(
      representation === 'key' ? privateKey : successBody(version.info, chainOf(version), privateKey),
    );
    keep(version, representation, body);
    return body;
  };
}

function noBodies(): Readonly<Record<'info' | 'key', Map<RetrievableVersion, RetrievalBody>>> {
  return { info: new Map(), key: new Map() };
}

function bodyOf(text: string): RetrievalBody {
  return { text, bytes: Buffer.byteLength(text) };
}

function afterTime(ms: number, run: () => void): void {
  setTimeout(run, ms).unref();
}
