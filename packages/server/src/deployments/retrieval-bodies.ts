import { createErasableTexts, type ErasableTexts, type KeptText } from '../secrets/erasable-texts.ts';
import type { Representation } from './entity-tag.ts';
import { envelopeTail } from './retrieval-envelope.ts';
import { answerUpToKey, chainOf, type RetrievableVersion } from './retrieval-version.ts';

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
  /** Where keys are kept meanwhile. */
  readonly texts?: ErasableTexts;
  /** So many answers' keys are kept. */
  readonly mostKept?: number;
  /** Calls `run` once the turn of the loop is over. */
  readonly atEndOfTurn?: (run: () => void) => void;
}

/** What holds a key is kept no longer than this after it was opened. */
export const bodiesKeptMs = 5_000;

/** Keys of more than ten thousand certificates. */
const keptAtMostBytes = 24 * 2 ** 20;
/**
 * What is kept also holds its version in memory, whatever the cache of certificates has let go: with the small keys of elliptic curves
 * the bytes alone would hold 80,000 versions, 230 MiB that nobody counts.
 */
const keptAtMost = 14_000;

/** Larger than any answer but those of very many domains. */
const largestWhole = 2 ** 16;

/**
 * Answers of a few seconds that carry the same key share what was opened: many servers ask for one certificate at the same time,
 * and what one of them was given may be given to the next (after its own record). To open a key takes
 * 17 of the 52 µs that an answer costs the main thread where each answer is of another certificate (10,000 of them, 13,000
 * answers a second): each opening is several objects of Node's with finalizers. Kept is what stands in the answer from the key on.
 * (Whole answers, most of which is the chain once more, would be some 27 MiB more with 10,000 certificates.)
 *
 * A key in clear is what this process's memory gives away with or without it: the master key lies there too, and the text of an
 * answer stays where it was until its memory is used again. So its time is short rather than none, and then it is erased.
 */
export function createRetrievalBodies(options: RetrievalBodiesOptions): RetrievalBodies {
  const {
    open,
    schedule = afterTime,
    texts = createErasableTexts(keptAtMostBytes),
    mostKept = keptAtMost,
    atEndOfTurn = setImmediate,
  } = options;
  let kept = noBodies();
  const whole = Buffer.alloc(largestWhole);
  let isToBeForgotten = false;
  /**
   * The last one, for the next of the same turn: those whose records came to disk in one commit are answered in one turn, and
   * a text that each of them copies costs 1.7 of the 26 µs of an answer where all ask for one certificate.
   */
  let last: LastBody | undefined;

  function forget(): void {
    // Not cleared: a map that is keeps pointing, inside V8, from its former table to its next one, so that a former one which
    // has grown old keeps all later ones until the next full collection.
    kept = noBodies();
    texts.eraseAll();
  }

  function keep(version: RetrievableVersion, representation: 'info' | 'key', secret: string): void {
    const isFull = kept.info.size + kept.key.size >= mostKept;
    let place = isFull ? undefined : texts.keep(secret);
    if (place === undefined) {
      forget();
      place = texts.keep(secret);
    }
    // Larger than all the room there is: made anew each time.
    if (place === undefined) return;
    kept[representation].set(version, place);
    if (isToBeForgotten) return;
    isToBeForgotten = true;
    schedule(bodiesKeptMs, () => {
      isToBeForgotten = false;
      forget();
    });
  }

  /** The answer, from the key on. */
  function secretOf(version: RetrievableVersion, representation: 'info' | 'key'): string {
    // A version that has changed is another object, so nothing of a former one is found.
    const place = kept[representation].get(version);
    if (place !== undefined) return texts.read(place);
    const privateKey = open(version);
    const secret = representation === 'key' ? privateKey : envelopeTail(privateKey, version.expiresAt);
    keep(version, representation, secret);
    return secret;
  }

  function keyBody(version: RetrievableVersion): RetrievalBody {
    return bodyOf(secretOf(version, 'key'));
  }

  /**
   * Put together as bytes, in memory that is erased at once, and then made one text: a text of three is made a second time when it
   * is sent, and new memory is what the processor waits for.
   */
  function infoBody(version: RetrievableVersion): RetrievalBody {
    const { head, headEncoding, issuers } = version;
    const place = kept.info.get(version);
    const start = head.byteLength + issuers.json.byteLength;
    const end = start + (place?.bytes ?? 0);
    if (place === undefined || end > whole.byteLength) {
      return bodyOf(answerUpToKey(version) + secretOf(version, 'info'));
    }
    head.copy(whole);
    issuers.json.copy(whole, head.byteLength);
    texts.copy(place, whole, start);
    const isAscii = headEncoding === 'latin1' && issuers.encoding === 'latin1' && place.encoding === 'latin1';
    const text = whole.toString(isAscii ? 'latin1' : 'utf8', 0, end);
    whole.fill(0, start, end);
    return { text, bytes: end };
  }

  return (version, representation) => {
    // No secret.
    if (representation === 'certificate') return bodyOf(chainOf(version));
    if (last?.version === version && last.representation === representation) return last.body;
    const body = representation === 'key' ? keyBody(version) : infoBody(version);
    if (last === undefined) {
      atEndOfTurn(() => {
        last = undefined;
      });
    }
    last = { version, representation, body };
    return body;
  };
}

interface LastBody {
  readonly version: RetrievableVersion;
  readonly representation: Representation;
  readonly body: RetrievalBody;
}

function noBodies(): Readonly<Record<'info' | 'key', Map<RetrievableVersion, KeptText>>> {
  return { info: new Map(), key: new Map() };
}

function bodyOf(text: string): RetrievalBody {
  return { text, bytes: Buffer.byteLength(text) };
}

function afterTime(ms: number, run: () => void): void {
  setTimeout(run, ms).unref();
}
