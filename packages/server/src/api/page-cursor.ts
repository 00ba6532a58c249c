import { Problem } from '../runtime/problem.ts';

/** The position where a list goes on. Opaque to clients. */
export function formatPageCursor(list: string, position: string): string {
  return Buffer.from(`${list} ${position}`).toString('base64url');
}

/** @param list the list that the cursor must belong to. @throws Problem `invalid_parameter` */
export function parsePageCursor(list: string, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  const isWhole = bytes.toString('base64url') === cursor && Buffer.from(text).equals(bytes) && !text.includes('\0');
  if (isWhole && text.startsWith(`${list} `)) return text.slice(list.length + 1);
  throw invalidCursor();
}

/** For a position that its list cannot read. */
export function invalidCursor(): Problem {
  return new Problem('invalid_parameter', {
    field: 'cursor',
    detail: 'cursor must be a next_cursor of this list, unchanged. Leave it out to begin at the start.',
  });
}

/** A page of a list, as requested. */
export interface Page {
  /** The most items to show. */
  readonly limit: number;
  /** Rows to read: one more than `limit`, to see whether another page follows. */
  readonly take: number;
  /** The last item of the page before; undefined at the start. */
  readonly after: string | undefined;
  /** A position of several parts. @throws Problem `invalid_parameter` for another count */
  afterParts(count: number): readonly string[] | undefined;
  /** A position of whole numbers from 0. */
  afterNumbers(count: number): readonly number[] | undefined;
  /** @param rows at most `take`, in order. @param reached the last row of a partial search, if more may follow */
  of<Row>(
    rows: readonly Row[],
    positionOf: (row: Row) => string | readonly (string | number)[],
    reached?: Row,
  ): { items: Row[]; next_cursor: string | null };
  /** The answer of a short list that was read whole, in the order of its keys. */
  ofFew<Row>(rows: readonly Row[], keyOf: (row: Row) => string): { items: Row[]; next_cursor: string | null };
}

export function pageAt(list: string, limit: number, cursor: string | undefined): Page {
  const after = cursor === undefined ? undefined : parsePageCursor(list, cursor);
  const page: Page = {
    limit,
    take: limit + 1,
    after,
    afterParts: (count) => (after === undefined ? undefined : partsOf(after, count)),
    afterNumbers: (count) => (after === undefined ? undefined : partsOf(after, count).map(toNumber)),
    of(rows, positionOf, reached) {
      const items = rows.slice(0, limit);
      const last = rows.length > limit ? items.at(-1) : reached;
      return {
        items,
        next_cursor: last === undefined ? null : formatPageCursor(list, toPosition(positionOf(last))),
      };
    },
    ofFew(rows, keyOf) {
      const sorted = rows.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
      const rest = sorted.filter((row) => after === undefined || keyOf(row) > after);
      return page.of(rest, keyOf);
    },
  };
  return page;
}

/** A cursor of the page behind a place that is known, for the command line: of its own server it knows what a cursor holds. */
export function cursorBehind(list: string, position: string | readonly (string | number)[]): string {
  return formatPageCursor(list, toPosition(position));
}

function toPosition(parts: string | readonly (string | number)[]): string {
  return typeof parts === 'string' ? parts : JSON.stringify(parts.map(String));
}

function partsOf(position: string, count: number): readonly string[] {
  const parts = readJson(position);
  const isWhole = Array.isArray(parts) && parts.length === count && parts.every((part) => typeof part === 'string');
  if (!isWhole) throw invalidCursor();
  return parts as string[];
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toNumber(part: string): number {
  if (/^\d{1,15}$/.test(part)) return Number(part);
  throw invalidCursor();
}
