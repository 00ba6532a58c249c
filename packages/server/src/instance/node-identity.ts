import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/**
 * The name of the server on this data folder, made once: a server that was killed and started again is the same one to
 * the others, not a second that still seems to live.
 */
export function readNodeId(dataFolder: string): string {
  const file = join(dataFolder, 'node-id');
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
