import { createHash } from 'node:crypto';

/** Repeatable randomness: the same seed and things give the same number, in any order. @returns from [0, 1) */
export function drawn(seed: number, ...things: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...things]))
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32;
}

/** One of several, evenly. */
export function drawnOf<T>(all: readonly [T, ...T[]], seed: number, ...things: readonly (string | number)[]): T {
  return all[Math.floor(drawn(seed, ...things) * all.length)] ?? all[0];
}
