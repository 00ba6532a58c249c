import type { Db } from '../database/database.ts';

/**
 * So many entries are indexed or removed in one transaction: hand-outs wait for it, and a link of a busy second has
 * hundreds of entries. Measured on SQLite: portions of 200 links kept the writer for 15 to 30 ms, portions of 250 entries
 * for 1 to 2 ms.
 */
const entriesPerPortion = 250;

/** So many links are read at once; each has an entry at least. */
export const linksPerLook = entriesPerPortion;

export interface LinkSize {
  readonly link: number;
  readonly entries: number;
}

/** The next links behind `after`, in their order: at least one portion of them, where there is as much. */
export async function nextLinks(db: Db, after: number, upTo = Number.MAX_SAFE_INTEGER): Promise<LinkSize[]> {
  return db
    .selectFrom('audit_link')
    .select(['link', 'entries'])
    .where('link', '>', after)
    .where('link', '<=', upTo)
    .orderBy('link')
    .limit(linksPerLook)
    .execute();
}

/**
 * The last link of each portion, in their order. A link is not cut, so that one with more entries is a portion of its own.
 * @param links in their order
 */
export function portionEnds(links: readonly LinkSize[], most = entriesPerPortion): number[] {
  const ends: number[] = [];
  let sum = 0;
  for (const [index, { entries }] of links.entries()) {
    const former = links[index - 1];
    if (former !== undefined && sum + entries > most) {
      ends.push(former.link);
      sum = 0;
    }
    sum += entries;
  }
  const last = links.at(-1);
  return last === undefined ? ends : [...ends, last.link];
}
