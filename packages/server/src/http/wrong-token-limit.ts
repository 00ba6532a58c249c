/**
 * Counts wrong tokens by client address, in fixed windows that begin with an address's first wrong token. Only wrong
 * tokens are ever refused by it: many servers share one address, and a valid token is always served.
 *
 * Memory is bounded: when all places are taken, the address whose window began first gives up its place. Whoever owns
 * so many addresses gains nothing by it: a token has 256 random bits, so the limit spares the service and the log, it does
 * not keep tokens from being guessed.
 */
export interface WrongTokenLimit {
  /**
   * Takes note of one wrong token.
   * @param now milliseconds that never run backwards
   * @returns undefined while within the limit, else the whole seconds (at least 1) after which to come again
   */
  count(address: string, now: number): number | undefined;
  /** Whether this address has presented so many that its next wrong token will be refused. */
  isReached(address: string, now: number): boolean;
  /** How many addresses are remembered at the moment. */
  readonly size: number;
}

export interface WrongTokenLimitOptions {
  readonly limit?: number;
  readonly windowMs?: number;
  readonly maxAddresses?: number;
}

interface Window {
  readonly endsAt: number;
  wrong: number;
}

export function createWrongTokenLimit(options: WrongTokenLimitOptions = {}): WrongTokenLimit {
  const { limit = 60, windowMs = 60_000, maxAddresses = 10_000 } = options;
  // Iterates in the order of insertion, in which windows of equal length also end: those that have ended stand first.
  const windows = new Map<string, Window>();

  function open(address: string, now: number): Window {
    for (const [oldest, window] of windows) {
      if (window.endsAt > now && windows.size < maxAddresses) break;
      windows.delete(oldest);
    }
    const window = { endsAt: now + windowMs, wrong: 0 };
    windows.set(address, window);
    return window;
  }

  return {
    count(address, now) {
      const known = windows.get(address);
      const window = known !== undefined && known.endsAt > now ? known : open(address, now);
      window.wrong++;
      if (window.wrong <= limit) return undefined;
      return Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    },
    isReached(address, now) {
      const window = windows.get(address);
      return window !== undefined && window.endsAt > now && window.wrong >= limit;
    },
    get size() {
      return windows.size;
    },
  };
}
