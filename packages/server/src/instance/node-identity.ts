import { hash, randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { DatabaseKind } from '../database/connect.ts';

/**
 * The name of the server on this data folder, made once: a server that was killed and started again is the same one to
 * the others, not a second that still seems to live, and goes on with its leases at once.
 *
 * A folder is copied with its name, be it by hand or with the machine, and two servers of one name would take each other's
 * leases for their own and do everything twice. So where servers share a database, the name ends with the place.
 */
export function readNodeId(dataFolder: string, database: DatabaseKind): string {
  const kept = readKeptName(join(dataFolder, 'node-id'));
  return database === 'sqlite' ? kept : `${kept}.${placeOf(dataFolder)}`;
}

function readKeptName(file: string): string {
  const made = `${hostname()}-${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(file, `${made}\n`, { flag: 'wx', mode: 0o600 });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const kept = readFileSync(file, 'utf8').trim();
  if (kept !== '') return kept;
  // Killed between making the file and writing it.
  writeFileSync(file, `${made}\n`);
  return made;
}

/**
 * The very file of the lock, since this machine was started: whoever runs holds it open, so that no other file has its number
 * meanwhile, and no two can hold it. Each start of a machine has an id of its own
 * (https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html): a clone's is another. Where either is not to be had, each
 * run is a place of its own: after a kill it waits for its former leases to end, as it does after a restart of the machine.
 */
function placeOf(dataFolder: string): string {
  try {
    const start = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const { dev, ino } = statSync(join(dataFolder, 'serve.lock'), { bigint: true });
    return hash('sha256', `${start} ${dev} ${ino}`, 'hex').slice(0, 8);
  } catch {
    return randomBytes(4).toString('hex');
  }
}
