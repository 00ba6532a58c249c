import {
  createPageWriter,
  findRecord,
  hashAt,
  isBefore,
  keyAt,
  type PackedPages,
  type RecordKey,
  recordBytes,
  recordsPerPage,
  viewOf,
} from './index-records.ts';

/** Merges runs page by page. Of equal hashes those of the earlier run come first: its links are older. */
export interface RunMerge {
  /** The runs, by their number, that have less than a page left here and more behind it. */
  hungry(): number[];
  /**
   * The next pages of a run.
   * @param isEnd whether they are its last ones
   */
  feed(run: number, pages: readonly Uint8Array[], isEnd: boolean): void;
  /** Goes on until a run has nothing left here, or so many pages are full, or all is merged. */
  merge(pages: number): void;
  /** Whether all is merged. */
  readonly isOver: boolean;
  /** How many pages can be taken. */
  readonly full: number;
  take(): PackedPages;
}

interface Source {
  readonly pages: DataView[];
  at: number;
  isEnd: boolean;
}

/** Above all hashes. */
const none = Number.POSITIVE_INFINITY;

/**
 * @param runs how many
 * @param after the last record that was merged before, which is passed over with all that come before it
 * @param expected about how many records are taken at once
 */
export function createRunMerge(
  runs: number,
  after?: RecordKey,
  perPage = recordsPerPage,
  expected = perPage,
): RunMerge {
  const sources = Array.from({ length: runs }, (): Source => ({ pages: [], at: 0, isEnd: false }));
  /** The hash of each run's next record; `none` where there is none here. */
  const heads = new Float64Array(runs).fill(none);
  const writer = createPageWriter(perPage, expected);
  /** Whether a run has nothing left here and more behind it, so that nobody knows which record is next. */
  let isStarving = true;
  let isOver = false;

  function settle(index: number): void {
    const source = sources[index] as Source;
    if (source.at === source.pages[0]?.byteLength) {
      source.pages.shift();
      source.at = 0;
    }
    const [next] = source.pages;
    heads[index] = next === undefined ? none : hashAt(next, source.at);
    if (next === undefined && !source.isEnd) isStarving = true;
  }

  /** Copies what comes before all others' next record. */
  function advance(index: number, end: number, isEarlier: boolean): void {
    const source = sources[index] as Source;
    const page = source.pages[0] as DataView;
    const from = source.at;
    let to = from + recordBytes;
    while (to < page.byteLength && isDue(hashAt(page, to), end, isEarlier)) to += recordBytes;
    writer.copy(page, from, to);
    source.at = to;
    settle(index);
  }

  /** One pass over the next records: they are so few that a heap of them would gain nothing. */
  function mergeNext(): void {
    let least = 0;
    let second = 0;
    let leastHash = none;
    let secondHash = none;
    for (let index = 0; index < runs; index += 1) {
      const hash = heads[index] as number;
      if (hash >= secondHash) continue;
      const isLeast = hash < leastHash;
      second = isLeast ? least : index;
      secondHash = isLeast ? leastHash : hash;
      least = isLeast ? index : least;
      leastHash = isLeast ? hash : leastHash;
    }
    if (leastHash < none) advance(least, secondHash, least < second);
    else {
      writer.end();
      isOver = true;
    }
  }

  return {
    get isOver() {
      return isOver;
    },
    get full() {
      return writer.full;
    },
    hungry: () => sources.flatMap(({ isEnd, pages }, index) => (isEnd || pages.length > 1 ? [] : [index])),
    feed(run, pages, isEnd) {
      const source = sources[run] as Source;
      for (const records of pages) {
        const view = viewOf(records);
        const start = after === undefined ? 0 : startAfter(view, after);
        if (start < view.byteLength)
          source.pages.push(new DataView(view.buffer, view.byteOffset + start, view.byteLength - start));
      }
      source.isEnd = isEnd;
      settle(run);
      isStarving = sources.some((each, index) => heads[index] === none && !each.isEnd);
    },
    merge(pages) {
      while (!isStarving && !isOver && writer.full < pages) mergeNext();
    },
    take: () => writer.take(),
  };
}

function isDue(hash: number, end: number, isEarlier: boolean): boolean {
  return hash < end || (isEarlier && hash === end);
}

function startAfter(view: DataView, after: RecordKey): number {
  const at = findRecord(view, after);
  return at < view.byteLength && !isBefore(after, keyAt(view, at)) ? at + recordBytes : at;
}
