import { createHash, timingSafeEqual } from 'node:crypto';

/** Takes the same time whatever differs, the length included. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret, 'latin1').digest();
}
