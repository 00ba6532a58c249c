import { createRecordBatch, type RecordBatch } from './index-records.ts';
import { hashTerm, type TermHash, type TermKind } from './term-hash.ts';

/**
 * Stands between the terms of entries in one text, which the main thread takes apart at a fifth of what rows of them
 * would cost it. Terms are taken without it, on both sides: those that differ in nothing else share a hash, which does no harm.
 */
export const separator = '\u001f';

/** Before a certificate, so that entries without one have an empty text. */
export const certificateMark = ':';

/**
 * The records of entries from their terms, one of each term for each link: of each entry link, position, subject, organization, and the mark and the
 * certificate; all with a separator behind it.
 * @param text in the order of links and positions
 * @param entries about how many
 */
export function readTerms(text: string, entries: number, hash: TermHash = hashTerm): RecordBatch {
  const batch = createRecordBatch(3 * entries);
  const formerLinks: Record<TermKind, number> = { s: 0, o: 0, c: 0 };
  const formerHashes: Record<TermKind, number> = { s: 0, o: 0, c: 0 };
  let at = 0;

  function add(kind: TermKind, from: number, to: number, link: number, position: number): void {
    const found = hash(kind, text, from, to);
    // The batch leaves out what the link has had already; what was the last of its kind is not even sorted.
    if (link === formerLinks[kind] && found === formerHashes[kind]) return;
    formerLinks[kind] = link;
    formerHashes[kind] = found;
    batch.add(found, link, position);
  }

  while (at < text.length) {
    const linkEnd = text.indexOf(separator, at);
    const positionEnd = text.indexOf(separator, linkEnd + 1);
    const subjectEnd = text.indexOf(separator, positionEnd + 1);
    const organizationEnd = text.indexOf(separator, subjectEnd + 1);
    const end = text.indexOf(separator, organizationEnd + 1);
    const link = numberOf(text, at, linkEnd);
    const position = numberOf(text, linkEnd + 1, positionEnd);
    add('s', positionEnd + 1, subjectEnd, link, position);
    add('o', subjectEnd + 1, organizationEnd, link, position);
    const certificate = organizationEnd + 1 + certificateMark.length;
    if (certificate <= end) add('c', certificate, end, link, position);
    at = end + 1;
  }
  return batch;
}

/** The hash under which the entries of a term are found. */
export function hashOf(kind: TermKind, value: string, hash: TermHash = hashTerm): number {
  // As the database holds it.
  const text = value.toWellFormed().replaceAll(separator, '');
  return hash(kind, text, 0, text.length);
}

function numberOf(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 10 + text.charCodeAt(at) - 48;
  return value;
}
