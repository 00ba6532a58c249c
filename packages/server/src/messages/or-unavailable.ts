import { isUnavailable } from '../database/connect.ts';
import { BatcherFull } from '../runtime/batcher.ts';
import { Problem } from '../runtime/problem.ts';

/** What the database cannot do now is a 503: the client comes again. All else is thrown as it is. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof BatcherFull) throw new Problem('service_unavailable', { cause, retryAfterSeconds: 1 });
    if (isUnavailable(cause)) throw new Problem('service_unavailable', { cause, retryAfterSeconds: 2 });
    throw cause;
  }
}
