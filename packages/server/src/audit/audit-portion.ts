import type { Db } from '../database/connect.ts';

/**
 * So many entries are indexed or removed in one transaction: hand-outs wait for it, and a link of a busy second has
 * hundreds of entries. Measured on SQLite: portions of 200 links kept the writer for 15 to 30 ms, portions of 250 entries
 * for 1 to 2 ms.
 */
const entriesPerPortion = 250;

/**
 * The last link of the next portion behind `after`, up to `upTo`; undefined when nothing is there. A link is not cut, so
 * that one with more entries is a portion of its own.
 */
export async function nextPortion(db: Db, after: number, upTo: number): Promise<number | undefined> {
  const links = await db
    .selectFrom('audit_link')
    .select(['link', 'entries'])
    .where('link', '>', after)
    .where('link', '<=', upTo)
    .orderBy('link')
    .limit(entriesPerPortion)
    .execute();
  return portionEnd(links, entriesPerPortion);
}

/** @param links in their order */
export function portionEnd(
  links: readonly { readonly link: number; readonly entries: number }[],
  most: number,
): number | undefined {
  let last: number | undefined;
  let sum = 0;
  for (const { link, entries } of links) {
    sum += entries;
    if (last !== undefined && sum > most) break;
    last = link;
  }
  return last;
}
