import { Problem } from '../runtime/problem.ts';

/** Answers for a foreign thing as for one that does not exist. */
export async function hideOwner<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Problem && error.code === 'not_found' ? new Problem('not_found') : error;
  }
}
