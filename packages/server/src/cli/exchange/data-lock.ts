import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import type { ServeLock } from '../../database/sqlite/serve-lock.ts';
import { isDamage, storageFault } from '../../database/sqlite/storage-fault.ts';
import { Problem } from '../../runtime/problem.ts';
import { wait } from '../../runtime/wait.ts';
import { askStatus } from './socket-exchange.ts';
import { controlSocketPath } from './socket-path.ts';

/** How long a command that is running, or a server that is starting or stopping, is waited for. */
const usualPatienceMs = 3_000;
const lookEveryMs = 100;

/**
 * Takes the lock of the embedded database, which its one user holds: a server, or a command with no server running.
 * @param whileHeld asked again and again while another process holds it; true ends the waiting
 * @returns undefined when `whileHeld` ended it
 * @throws Problem `conflict` when the lock stays held or cannot be used at all
 */
export async function takeDataLock(
  settings: Settings,
  whileHeld: () => Promise<boolean>,
  patienceMs = usualPatienceMs,
): Promise<ServeLock | undefined> {
  const { takeServeLock } = await import('../../database/sqlite/serve-lock.ts');
  const file = join(settings.data, 'serve.lock');
  const givingUp = AbortSignal.timeout(patienceMs);
  for (;;) {
    const lock = await takeServeLock(file).catch((cause: unknown) => {
      const fault = storageFault(file, cause);
      if (fault === undefined) throw cause;
      const remedy = isDamage(cause)
        ? 'See that no server runs on this folder, and remove it: it holds no data.'
        : fault.remedy;
      throw refusal(`The lock ${file} (WAXWING_DATA) cannot be taken: ${fault.reason}. ${remedy}`, cause);
    });
    if (lock !== undefined) return lock;
    if (await whileHeld()) return undefined;
    if (givingUp.aborted) {
      throw refusal(`Another process is starting or using the database in ${settings.data}: it holds ${file}.`);
    }
    await wait(lookEveryMs, givingUp);
  }
}

/** The same for one who must have it. @throws Problem `conflict` also when a server runs there */
export async function takeDataLockOrRefuse(settings: Settings): Promise<ServeLock> {
  let status: string | undefined;
  const lock = await takeDataLock(settings, async () => {
    status = await askStatus(controlSocketPath(settings.data));
    return status !== undefined;
  });
  if (lock !== undefined) return lock;
  const { pid } = JSON.parse(status ?? '{}') as { readonly pid?: number };
  // In its own words: seen from another container it has another number.
  const who = pid === undefined ? '' : `, and says that it is process ${pid}`;
  throw refusal(`A server runs on ${settings.data} already: it holds serve.lock there${who}.`);
}

function refusal(detail: string, cause?: unknown): Problem {
  return new Problem('conflict', { field: 'WAXWING_DATA', detail, cause });
}
