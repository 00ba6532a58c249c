import { storageFault } from '../database/sqlite/storage-fault.ts';
import { Problem } from '../runtime/problem.ts';

const fileCalls: readonly unknown[] = ['mkdir', 'open', 'write', 'fsync', 'link', 'rename'];

/**
 * A Problem `service_unavailable` why the instance's files cannot be used, or the error if it is not the file system's.
 */
export function openingProblem(dataFolder: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !fileCalls.includes(error.syscall)) return error;
  // Errors of a write have no path.
  const path = 'path' in error ? String(error.path) : dataFolder;
  const fault = storageFault(path, error);
  if (fault === undefined) return error;
  const detail = `${path} (WAXWING_DATA) cannot be used: ${fault.reason}. ${fault.remedy}`;
  return new Problem('service_unavailable', { field: 'WAXWING_DATA', detail, cause: error });
}
