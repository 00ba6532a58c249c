import { Problem } from '../runtime/problem.ts';

/** What belongs to somebody else is not there, in the very words for what does not exist. */
export async function plainlyAbsent<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Problem && error.code === 'not_found' ? new Problem('not_found') : error;
  }
}
