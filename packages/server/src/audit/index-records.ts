/**
 * The index's records as bytes: 5 of a term's hash, 5 of a link, 2 of a position, so that their order is that of the
 * bytes. 2^40 links are a thousand commits a second for 34 years. A term has one record for each link, which says that entries
 * of it stand from that position on: hand-outs of one deployment share a commit by the dozen.
 */

/** Where an entry stands in the chain. */
export interface Place {
  readonly link: number;
  readonly position: number;
}

/** The order of records is that of hash, link and position. */
export interface RecordKey extends Place {
  readonly hash: number;
}

/** Some records in their order, and the first of them. */
export interface RecordPage extends RecordKey {
  readonly records: Uint8Array;
}

/** Pages that are written together: of each its first record, and where it lies in the bytes. */
export interface PackedPages {
  readonly bytes: Uint8Array;
  readonly pages: readonly PackedPage[];
}

export interface PackedPage extends RecordKey {
  readonly start: number;
  readonly length: number;
}

export const recordBytes = 12;

/** With its key and SQLite's own a row fills one page of 4,096 bytes; two fill one of PostgreSQL's. */
export const recordsPerPage = 333;

/** A term that begins behind it is looked for from here on. */
export const lastPosition = 0xff_ff;

const half = 0x1_00_00;
const byte = 0x1_00;
/** Of the 64 bits by which records are sorted, those below the hash. */
const indexBits = 24;

export function viewOf(records: Uint8Array): DataView {
  return new DataView(records.buffer, records.byteOffset, records.byteLength);
}

export function hashAt(view: DataView, at: number): number {
  return view.getUint32(at) * byte + view.getUint8(at + 4);
}

export function keyAt(view: DataView, at: number): RecordKey {
  const link = (view.getUint32(at + 4) & 0xff_ff_ff) * half + view.getUint16(at + 8);
  return { hash: hashAt(view, at), link, position: view.getUint16(at + 10) };
}

function writeRecord(view: DataView, at: number, hash: number, link: number, position: number): void {
  view.setUint32(at, hash / byte);
  view.setUint32(at + 4, (hash % byte) * 0x1_00_00_00 + Math.floor(link / half));
  view.setUint32(at + 8, (link % half) * half + position);
}

/** Whether a record comes before another. */
export function isBefore(one: RecordKey, other: RecordKey): boolean {
  if (one.hash !== other.hash) return one.hash < other.hash;
  return one.link !== other.link ? one.link < other.link : one.position < other.position;
}

/** Where the first record stands that does not come before `key`; the length where all do. */
export function findRecord(view: DataView, key: RecordKey): number {
  let low = 0;
  let high = view.byteLength / recordBytes;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(keyAt(view, middle * recordBytes), key)) low = middle + 1;
    else high = middle;
  }
  return low * recordBytes;
}

/** The places of `end.hash` before `end`, the last one first, and whether the page before this one may have more. */
export function placesBefore(records: Uint8Array, end: RecordKey): { places: Place[]; goesOn: boolean } {
  const view = viewOf(records);
  const places: Place[] = [];
  let at = findRecord(view, end) - recordBytes;
  for (; at >= 0 && hashAt(view, at) === end.hash; at -= recordBytes) {
    const { link, position } = keyAt(view, at);
    places.push({ link, position });
  }
  return { places, goesOn: at < 0 };
}

/** Records of entries that are added in the order of their places. */
export interface RecordBatch {
  readonly size: number;
  add(hash: number, link: number, position: number): void;
  /** All of them in their order, of each hash and link the first. */
  toPages(perPage?: number): PackedPages;
}

const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/**
 * Sorts by one number of 64 bits, which is the hash and, below it, when the record was added: the engine sorts such
 * numbers by itself. There is room for 16 million records, and one text of terms cannot be that long.
 */
export function createRecordBatch(expected: number): RecordBatch {
  let keys = new BigUint64Array(Math.max(expected, 16));
  let words = new Uint32Array(keys.buffer);
  let links = new Float64Array(keys.length);
  let positions = new Uint16Array(keys.length);
  const [low, high] = isLittleEndian ? [0, 1] : [1, 0];
  let size = 0;

  function grow(): void {
    const [former, formerLinks, formerPositions] = [keys, links, positions];
    keys = new BigUint64Array(former.length * 2);
    keys.set(former);
    words = new Uint32Array(keys.buffer);
    links = new Float64Array(keys.length);
    links.set(formerLinks);
    positions = new Uint16Array(keys.length);
    positions.set(formerPositions);
  }

  function write(pages: PageWriter): void {
    keys.subarray(0, size).sort();
    for (let at = 0; at < 2 * size; at += 2) {
      const bottom = words[at + low] as number;
      const hash = (words[at + high] as number) * byte + (bottom >>> indexBits);
      const index = bottom & ((1 << indexBits) - 1);
      pages.add(hash, links[index] as number, positions[index] as number);
    }
  }

  return {
    get size() {
      return size;
    },
    add(hash, link, position) {
      if (size === keys.length) grow();
      words[2 * size + high] = hash / byte;
      words[2 * size + low] = (hash % byte) * (1 << indexBits) + size;
      links[size] = link;
      positions[size] = Math.min(position, lastPosition);
      size += 1;
    },
    toPages(perPage = recordsPerPage) {
      const pages = createPageWriter(perPage, size);
      write(pages);
      pages.end();
      return pages.take();
    },
  };
}

/** Fills pages with records that come in their order. */
export interface PageWriter {
  /** How many pages are full. */
  readonly full: number;
  /** Passes over one of the hash and the link that were written last. */
  add(hash: number, link: number, position: number): void;
  /** Adds records of another page as they are. */
  copy(view: DataView, from: number, to: number): void;
  /** No more will come. */
  end(): void;
  /** What is full, or all at the end; it is forgotten here. */
  take(): PackedPages;
}

/**
 * Pages lie side by side and go to the database's thread as one piece: each by itself took 18 µs of the main thread.
 * @param expected about how many records are taken at once
 */
export function createPageWriter(perPage: number, expected: number): PageWriter {
  const pageBytes = perPage * recordBytes;
  let pages: PackedPage[] = [];
  let bytes = new Uint8Array(Math.max(expected, perPage) * recordBytes);
  let view = viewOf(bytes);
  let start = 0;
  let at = 0;
  let [lastHash, lastLink] = [-1, -1];

  function grow(): void {
    const larger = new Uint8Array(2 * bytes.length);
    larger.set(bytes);
    bytes = larger;
    view = viewOf(bytes);
  }

  function finish(): void {
    pages.push({ ...keyAt(view, start), start, length: at - start });
    start = at;
  }

  return {
    get full() {
      return pages.length;
    },
    add(hash, link, position) {
      if (hash === lastHash && link === lastLink) return;
      [lastHash, lastLink] = [hash, link];
      if (at === bytes.length) grow();
      writeRecord(view, at, hash, link, position);
      at += recordBytes;
      if (at - start === pageBytes) finish();
    },
    copy(source, from, to) {
      for (let next = from; next < to; next += recordBytes) {
        if (at === bytes.length) grow();
        view.setUint32(at, source.getUint32(next));
        view.setUint32(at + 4, source.getUint32(next + 4));
        view.setUint32(at + 8, source.getUint32(next + 8));
        at += recordBytes;
        if (at - start === pageBytes) finish();
      }
    },
    end() {
      if (at > start) finish();
    },
    take() {
      const taken = { bytes: bytes.slice(0, start), pages };
      bytes.copyWithin(0, start, at);
      [pages, at, start] = [[], at - start, 0];
      return taken;
    },
  };
}
