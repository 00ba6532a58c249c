// Plain JavaScript: any Node of the machine reads this file (20 or newer).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether node_modules holds what package-lock.json names. npm writes its record (node_modules/.package-lock.json)
 * last, so an interrupted installation has none. Optional packages of other platforms may be missing.
 *
 * @param {string} root folder of the clone
 */
export function packagesAreInstalled(root) {
  const wanted = readLock(join(root, 'package-lock.json'));
  const installed = readLock(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined) throw new Error('package-lock.json is missing; restore it from the repository.');
  if (installed === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    // For our own packages npm keeps only links: to the folder, and to its programs at that time.
    if (!path.includes('node_modules/')) {
      return Object.keys(entry.bin ?? {}).every((name) => existsSync(join(root, 'node_modules', '.bin', name)));
    }
    const found = installed[path];
    if (found === undefined) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity && found.link === entry.link;
  });
}

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean,
 *   devOptional?: boolean, bin?: Record<string, string> }} LockEntry
 * @param {string} file
 * @returns {Record<string, LockEntry> | undefined} by path in the tree
 */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
