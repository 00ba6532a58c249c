import type { AuditIndexRunRow } from '../database/audit-tables.ts';

/**
 * What is next to be done with the index's runs. Each stands for some links, none for the links of another, and those of a higher
 * level are larger and older.
 */
export type RunTask =
  /** Go on putting the sources together, in their order. */
  | { readonly kind: 'merge'; readonly run: AuditIndexRunRow; readonly sources: readonly AuditIndexRunRow[] }
  | { readonly kind: 'begin'; readonly sources: readonly AuditIndexRunRow[] }
  /** Nobody looks into the run from then on. */
  | { readonly kind: 'drop'; readonly run: AuditIndexRunRow }
  | { readonly kind: 'remove'; readonly run: AuditIndexRunRow };

/**
 * Small runs are put together first: there would be hundreds, while large ones are.
 * @param runs in any order
 * @param fanOut so many runs of a level become one of the next
 */
export function nextMerge(runs: readonly AuditIndexRunRow[], fanOut: number): RunTask | undefined {
  const orphan = runs.find((run) => run.state === 'building' && !runs.some((each) => isSource(each, run)));
  // Without a source it would never be done; what it was to be made of stands in another run, or is gone.
  if (orphan !== undefined) return { kind: 'drop', run: orphan };
  const levels = runs.filter(({ state }) => state === 'ready').map(({ level }) => level);
  for (const level of [...new Set(levels)].sort((one, other) => one - other)) {
    const ready = runs
      .filter((run) => run.state === 'ready' && run.level === level)
      .sort((one, other) => one.first_link - other.first_link);
    const building = runs.find((run) => run.state === 'building' && run.level === level + 1);
    if (building !== undefined) {
      return { kind: 'merge', run: building, sources: ready.filter((run) => isPartOf(run, building)) };
    }
    if (ready.length >= fanOut) return { kind: 'begin', sources: ready.slice(0, fanOut) };
  }
  return undefined;
}

/**
 * What is being put together is not taken apart meanwhile; it becomes one that is dropped as a whole.
 * @param pruned the last link that retention has removed
 */
export function nextRemoval(runs: readonly AuditIndexRunRow[], pruned: number): RunTask | undefined {
  const dropped = runs.find(({ state }) => state === 'dropped');
  if (dropped !== undefined) return { kind: 'remove', run: dropped };
  const building = runs.filter(({ state }) => state === 'building');
  const isOver = (run: AuditIndexRunRow) => run.state === 'ready' && run.last_link <= pruned;
  const run = runs.find((each) => isOver(each) && !building.some((whole) => isPartOf(each, whole)));
  return run && { kind: 'drop', run };
}

function isSource(run: AuditIndexRunRow, whole: AuditIndexRunRow): boolean {
  return run.state === 'ready' && run.level === whole.level - 1 && isPartOf(run, whole);
}

function isPartOf(run: AuditIndexRunRow, whole: AuditIndexRunRow): boolean {
  return whole.first_link <= run.first_link && run.last_link <= whole.last_link;
}
