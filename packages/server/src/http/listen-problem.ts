import { Problem } from '../runtime/problem.ts';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  EACCES: 'this account may not (ports below 1024 need the right to)',
  ENOTFOUND: 'the name is not known',
};

/**
 * Explains to the operator why an address cannot be listened on.
 * @param setting that names the address
 * @returns a Problem `conflict`, or the error itself when it has another cause
 */
export function listenProblem(setting: string, address: { host: string; port: number }, error: unknown): unknown {
  const reason = error instanceof Error ? reasons[(error as NodeJS.ErrnoException).code ?? ''] : undefined;
  if (reason === undefined) return error;
  return new Problem('conflict', {
    field: setting,
    detail: `${address.host} port ${address.port} (${setting}) cannot be listened on: ${reason}.`,
    cause: error,
  });
}
