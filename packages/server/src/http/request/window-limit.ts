/**
 * Counts wrong tokens or requests by name (mostly a client address), in windows of a minute that begin with a name's
 * first event. The caller refuses events over the limit. A valid token is never refused for wrong ones from its address,
 * because many servers share one.
 *
 * Memory is bounded: when all places are taken, the name whose window began first gives up its place. An attacker with
 * so many addresses gains nothing: a token has 256 random bits, so the limit spares the service and the log, and is no
 * protection against guessing.
 */
export interface WindowLimit {
  /**
   * Takes note of one event.
   * @param now milliseconds that never run backwards
   * @param most the name's own limit, if it has one
   * @returns undefined while within the limit, else the whole seconds (at least 1) after which to come again
   */
  count(name: string, now: number, most?: number): number | undefined;
  /** Whether this name has so many that its next one will be beyond the limit. */
  isReached(name: string, now: number): boolean;
  /** How many names are remembered at the moment. */
  readonly size: number;
}

export interface WindowLimitOptions {
  readonly limit?: number;
  readonly maxNames?: number;
}

interface Window {
  readonly endsAt: number;
  count: number;
}

const windowMs = 60_000;

export function createWindowLimit(options: WindowLimitOptions = {}): WindowLimit {
  const { limit = 60, maxNames = 10_000 } = options;
  // Iterates in the order of insertion, in which windows of equal length also end: those that have ended stand first.
  const windows = new Map<string, Window>();

  function open(name: string, now: number): Window {
    for (const [oldest, window] of windows) {
      if (window.endsAt > now && windows.size < maxNames) break;
      windows.delete(oldest);
    }
    const window = { endsAt: now + windowMs, count: 0 };
    windows.set(name, window);
    return window;
  }

  return {
    count(name, now, most = limit) {
      const known = windows.get(name);
      const window = known !== undefined && known.endsAt > now ? known : open(name, now);
      if (window.count >= most) return Math.max(1, Math.ceil((window.endsAt - now) / 1000));
      window.count++;
      return undefined;
    },
    isReached(name, now) {
      const window = windows.get(name);
      return window !== undefined && window.endsAt > now && window.count >= limit;
    },
    get size() {
      return windows.size;
    },
  };
}
