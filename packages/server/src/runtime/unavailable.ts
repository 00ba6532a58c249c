import { Problem } from './problem.ts';

/** It cannot be done now and may succeed later: the database is away, too much waits, an answer takes too long. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';

  /** When a client should try again. */
  get retryAfterSeconds(): number {
    return 2;
  }
}

/** The 503 that a client gets. Its cause goes to the log alone. @param retryAfterSeconds by the cause, unless given */
export function unavailable(
  cause: unknown,
  retryAfterSeconds = cause instanceof Unavailable ? cause.retryAfterSeconds : 2,
): Problem {
  return new Problem('service_unavailable', { cause, retryAfterSeconds });
}

/** Turns what is unavailable into a 503. Every other error is thrown as it is. */
export async function orUnavailable<T>(work: Promise<T>, retryAfterSeconds?: number): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof Unavailable ? unavailable(cause, retryAfterSeconds) : cause;
  }
}
