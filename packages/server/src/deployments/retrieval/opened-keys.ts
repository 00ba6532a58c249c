import type { Representation } from './entity-tag.ts';
import { chainOf, type RetrievableVersion } from './prepared-version.ts';
import { envelopeTail } from './retrieval-envelope.ts';

export interface RetrievalBody {
  /** May hold a private key in clear. */
  readonly text: string;
  /** Its length in UTF-8. */
  readonly bytes: number;
}

/** The body of an answer. @throws what `open` throws */
export type RetrievalBodies = (version: RetrievableVersion, representation: Representation) => RetrievalBody;

export const emptyBody: RetrievalBody = { text: '', bytes: 0 };

/** No key stays in memory in clear for longer than this. */
export const keptForMs = 5_000;
/** Of either form, the key alone and the end of the JSON answer. A kept key holds its version in memory as well. */
const keptAtMost = { keys: 12_000, bytes: 24 * 2 ** 20 };

/**
 * Makes bodies. Many servers ask for one certificate at the same time, each after its own record, and opening a key is a
 * third of what an answer costs. So an opened key serves the next few seconds; the master key is in memory all the time.
 * @param open gives a version's private key in clear
 */
export function createRetrievalBodies(
  open: (version: RetrievableVersion) => string,
  most = keptAtMost,
): RetrievalBodies {
  const keys = keepForSeconds(open, most);
  const tails = keepForSeconds((version) => envelopeTail(open(version), version.expiresAt), most);
  /** Requests whose records came to disk in one commit are answered in one turn of the loop: they share the text. */
  let last: { version: RetrievableVersion; representation: Representation; body: RetrievalBody } | undefined;

  function textOf(version: RetrievableVersion, representation: Representation): string {
    if (representation === 'certificate') return chainOf(version);
    if (representation === 'key') return keys(version);
    return version.head.toString(version.headEncoding) + tails(version);
  }

  return (version, representation) => {
    if (last?.version === version && last.representation === representation) return last.body;
    const text = textOf(version, representation);
    const body = { text, bytes: Buffer.byteLength(text) };
    if (last === undefined) {
      setImmediate(() => {
        last = undefined;
      });
    }
    last = { version, representation, body };
    return body;
  };
}

/** Keeps what `make` returns. A version that has changed is another object, so nothing of the former one is found. */
function keepForSeconds(make: (version: RetrievableVersion) => string, most: typeof keptAtMost): typeof make {
  let kept = new Map<RetrievableVersion, string>();
  let bytes = 0;
  let isTimed = false;

  function forget(): void {
    kept = new Map();
    bytes = 0;
  }

  return (version) => {
    const known = kept.get(version);
    if (known !== undefined) return known;
    const text = make(version);
    if (kept.size >= most.keys || bytes + text.length > most.bytes) forget();
    if (text.length > most.bytes) return text;
    kept.set(version, text);
    bytes += text.length;
    if (!isTimed) {
      isTimed = true;
      setTimeout(() => {
        isTimed = false;
        forget();
      }, keptForMs).unref();
    }
    return text;
  };
}
