import { hash, randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { DatabaseKind } from '../database/database.ts';

/**
 * This server's name, made once for each data folder: a killed server starts again under its name and keeps its leases.
 *
 * A folder may be copied, by hand or with its machine. Two servers of one name would share leases and do everything
 * twice. So where servers share a database, the name ends with the place of the folder.
 */
export function readNodeId(dataFolder: string, database: DatabaseKind): string {
  const kept = readKeptName(join(dataFolder, 'node-id'));
  return database === 'sqlite' ? kept : `${kept}.${placeOf(dataFolder)}`;
}

/** A server by its kept name, which stays over starts of the machine, and the name of the machine in it. */
export function serverOf(nodeId: string): { readonly server: string; readonly host: string } {
  const server = nodeId.replace(/(-[0-9a-f]{8})\.[0-9a-f]{8}$/, '$1');
  return { server, host: server.replace(/-[0-9a-f]{8}$/, '') };
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
 * Identifies the lock file (its inode) on this start of the machine
 * (https://man7.org/linux/man-pages/man5/proc_sys_kernel.5.html). A running server holds the file open, so no other
 * file gets its number, and a cloned machine has another boot id. Without either, each run is a place of its own, and
 * waits after a kill for its former leases to end.
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
