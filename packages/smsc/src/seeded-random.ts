import { createHash } from 'node:crypto';
import type { Span } from './smsc-script.ts';

/** Numbers from 0 to 1, always the same ones for the same seed (the generator mulberry32). */
export function seededRandom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32BE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws only where there is something to draw, so that a script without chance costs nothing. */
export function drawnMs({ least, most }: Span, random: () => number): number {
  return least === most ? least : least + Math.floor(random() * (most - least + 1));
}
