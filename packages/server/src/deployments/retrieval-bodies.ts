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

/**
 * Answers of one turn of the loop that carry the same thing share one body: many servers ask for one certificate in the
 * same second, and those whose records came to disk in one commit are answered in one turn. It is made when the first of
 * them may leave and forgotten with the turn, so a key is in clear no longer than it is for a single answer (measured
 * with 64 connections: opening it anew each time and making the body took 5 of the 37 µs of an answer).
 *
 * @param open gives a version's private key in clear
 * @param atEndOfTurn calls what it is given once the turn is over
 */
export function createRetrievalBodies(
  open: (version: RetrievableVersion) => string,
  atEndOfTurn: (forget: () => void) => void = setImmediate,
): RetrievalBodies {
  let bodies = noBodies();
  let isToBeForgotten = false;

  function forget(): void {
    isToBeForgotten = false;
    // Not cleared: a map that is keeps pointing, inside V8, from its former table to its next one, so that a former one which
    // has grown old kept all later ones, with the bodies in them, until the next full collection. (Measured with 25,000
    // certificates a second: 65 MB a second grew old.)
    bodies = noBodies();
  }

  return (version, representation) => {
    const known = bodies[representation].get(version);
    if (known !== undefined) return known;
    const text = textOf(version, representation, open);
    const body = { text, bytes: Buffer.byteLength(text) };
    bodies[representation].set(version, body);
    if (!isToBeForgotten) atEndOfTurn(forget);
    isToBeForgotten = true;
    return body;
  };
}

function noBodies(): Readonly<Record<Representation, Map<RetrievableVersion, RetrievalBody>>> {
  return { info: new Map(), certificate: new Map(), key: new Map() };
}

function textOf(
  version: RetrievableVersion,
  representation: Representation,
  open: (version: RetrievableVersion) => string,
): string {
  if (representation === 'certificate') return chainOf(version);
  const privateKey = open(version);
  return representation === 'key' ? privateKey : successBody(version.info, chainOf(version), privateKey);
}
