export const firstReconnectWaitMs = 1000;
export const longestReconnectWaitMs = 30_000;
/** A bind that held for so long was no failure: the next attempt waits as after the first one. */
export const heldLongEnoughMs = longestReconnectWaitMs;

/** Many links to one carrier must not come back at the same moment. */
const jitter = 0.2;

/**
 * Milliseconds until a link tries again: 1 s, doubling to 30 s, ±10 %.
 * @param failures attempts in a row that failed, from 1
 * @param random from 0 to 1
 */
export function reconnectWaitMs(failures: number, random: number): number {
  const wait = Math.min(longestReconnectWaitMs, firstReconnectWaitMs * 2 ** Math.min(failures - 1, 10));
  return wait * (1 + jitter * (random - 0.5));
}
