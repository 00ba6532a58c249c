/** How long sessions last. All spans are milliseconds. */
export interface SessionLimits {
  /** Without a request. */
  readonly idleMs: number;
  /** From sign-in, whatever happens. */
  readonly absoluteMs: number;
  /** Sessions of one account: a further one ends the oldest. */
  readonly perAccount: number;
}

/** Between two records that a session was used: what idle limits may be off by. */
export const touchMs = 60_000;

export interface SessionTimes {
  readonly seenAt: number;
  readonly expiresAt: number;
}

/** Whether a session has ended by itself. */
export function hasEnded(
  { seenAt, expiresAt }: SessionTimes,
  limits: Pick<SessionLimits, 'idleMs'>,
  now: number,
): boolean {
  return now >= expiresAt || now - seenAt >= limits.idleMs;
}

/** Whether its use is to be recorded. */
export function isTouchDue({ seenAt }: SessionTimes, now: number): boolean {
  return now - seenAt >= touchMs;
}
