import { Problem } from '../../runtime/problem.ts';

/** What customers hand back as `after`: the number of the last event that they have seen. Opaque to them. */
export function formatCursor(number: number): string {
  return `e${number.toString(36)}`;
}

const form = /^e(0|[1-9a-z][0-9a-z]{0,9})$/;

/** @throws Problem `invalid_parameter` for what `formatCursor` never made */
export function parseCursor(text: string): number {
  const number = Number.parseInt(form.exec(text)?.[1] ?? '', 36);
  if (Number.isSafeInteger(number)) return number;
  throw invalidCursor();
}

export interface CursorFacts {
  /** The number of the organization's latest event; 0: there was none. */
  readonly latest: number;
  /** Of the latest event that retention has removed; 0: none. */
  readonly forgotten: number;
}

/**
 * After which event a page begins.
 *
 * @param after undefined: from the oldest one kept
 * @throws Problem `cursor_expired` when events behind the cursor have been removed; `invalid_parameter` when it lies in the
 *   future: it is another organization's, or the database was restored from before it
 */
export function startOfPage(after: number | undefined, { latest, forgotten }: CursorFacts): number {
  if (after === undefined) return forgotten;
  if (after > latest) throw invalidCursor();
  if (after < forgotten) throw new Problem('cursor_expired', { field: 'after' });
  return after;
}

function invalidCursor(): Problem {
  return new Problem('invalid_parameter', {
    field: 'after',
    detail: 'after must be a cursor that this interface has given to this organization.',
  });
}
