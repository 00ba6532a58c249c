import { DatabaseSync } from 'node:sqlite';

export interface ServeLock {
  release(): void;
}

/** Keeps the handles alive: a collected one would close its file and give the lock away. */
const held = new Set<DatabaseSync>();

const busy = 5;

/**
 * Takes the lock that says "one server for this data folder", an open write transaction on `file`, which is made when
 * missing. The kernel frees it the moment the process ends, kill -9 included.
 * @returns undefined when another holder, in this process or another, has it.
 */
export async function takeServeLock(file: string): Promise<ServeLock | undefined> {
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec('begin immediate');
  } catch (error) {
    connection.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  held.add(connection);
  return {
    release() {
      if (held.delete(connection)) connection.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === busy;
}
