import { createHash } from 'node:crypto';

/** Joins the pieces that a carrier's settings make of one part: the same at every submit of it, 0 to 255. */
export function ownReference(partId: string): number {
  return createHash('sha256').update(partId).digest()[0] ?? 0;
}
