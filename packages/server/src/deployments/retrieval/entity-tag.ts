import { createHash } from 'node:crypto';
import type { DownloadType } from '@waxwing/contract/retrieval-api.ts';

/** What an answer represents: the JSON of /api/certificate or one of the two files of /api/download. */
export type Representation = 'info' | DownloadType;

/** Changes whenever the bytes made from the same version change, so that no client keeps the former ones. */
const FORM = 1;

/**
 * A strong entity tag (RFC 9110 §8.8.3), quotes included. It is made of names alone, never of content: a version does
 * not change, so its id stands for its bytes, and nothing about the key can be learned from it.
 */
export function entityTag(versionId: string, representation: Representation, timeZone: string): string {
  // Only the JSON holds a time.
  const parts = [FORM, versionId, representation, representation === 'info' ? timeZone : ''];
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)}"`;
}

/**
 * Whether the client already holds the representation: If-None-Match is `*` or lists its tag, compared weakly
 * (RFC 9110 §13.1.2). What does not parse matches nothing: the answer is then sent whole.
 * @param ifNoneMatch the header as Node joins it, undefined when absent
 */
export function isNotModified(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag || ifNoneMatch === '*') return true;
  // Blanks behind a tag belong to the tag: two runs of them side by side would be tried in every division.
  const list = /[ \t]*(?:(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
  while (list.lastIndex < ifNoneMatch.length) {
    const entry = list.exec(ifNoneMatch);
    if (entry === null) return false;
    if (entry[1] === tag) return true;
  }
  return false;
}
