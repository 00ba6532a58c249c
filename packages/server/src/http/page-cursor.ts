import { Problem } from '../runtime/problem.ts';

/** Where a list goes on. Opaque to clients: what it holds may change from release to release. */
export function formatPageCursor(list: string, position: string): string {
  return Buffer.from(`${list} ${position}`).toString('base64url');
}

/**
 * @param list the list it must belong to: a position of another one means nothing here
 * @throws Problem `invalid_parameter`
 */
export function parsePageCursor(list: string, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.toString();
  const isWhole = bytes.toString('base64url') === cursor && Buffer.from(text).equals(bytes) && !text.includes('\0');
  if (isWhole && text.startsWith(`${list} `)) return text.slice(list.length + 1);
  throw invalidCursor();
}

/** For a position that its list cannot read, because somebody has made it up. */
export function invalidCursor(): Problem {
  return new Problem('invalid_parameter', {
    field: 'cursor',
    detail: 'cursor must be a next_cursor of this list, unchanged. Leave it out to begin at the start.',
  });
}

/** One page of a list that is being asked for. */
export interface Page {
  /** How many items it shows at most. */
  readonly limit: number;
  /** How many to read: one more tells whether another page follows. */
  readonly take: number;
  /** The position of the last item of the page before; undefined: from the start. */
  readonly after: string | undefined;
  /** The same of a list whose position has several parts. @throws Problem `invalid_parameter` unless there are so many */
  afterParts(count: number): readonly string[] | undefined;
  /** The same of parts that are whole numbers from 0. */
  afterNumbers(count: number): readonly number[] | undefined;
  /**
   * The answer.
   * @param rows at most `take` of them, in the order of the list
   * @param reached of a list that was looked at in part: the last row looked at, where more may follow
   */
  of<Row>(
    rows: readonly Row[],
    positionOf: (row: Row) => string | readonly (string | number)[],
    reached?: Row,
  ): { items: Row[]; next_cursor: string | null };
  /** The answer of a list so short that all of it was read; in the order of its keys. */
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
