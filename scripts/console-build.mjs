// Plain JavaScript: any Node of the machine reads this file (20 or newer).
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the console is built from, below the root of the clone. */
const sources = [
  'package-lock.json',
  'scripts/build-console.ts',
  'packages/contract/src',
  'packages/console/build',
  'packages/console/index.html',
  'packages/console/public',
  'packages/console/src',
  'packages/console/vite.config.ts',
];

/** Whether the web console is built and no source is newer. @param {string} root folder of the clone */
export function consoleIsCurrent(root) {
  const built = statSync(join(root, 'packages/console/dist/index.html'), { throwIfNoEntry: false });
  return built !== undefined && sources.every((source) => newestTime(join(root, source)) <= built.mtimeMs);
}

/**
 * @param {string} path of a file or folder
 * @returns {number} epoch milliseconds; 0 if absent
 */
function newestTime(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  const inside = found.isDirectory() ? readdirSync(path).map((name) => newestTime(join(path, name))) : [];
  return Math.max(found.mtimeMs, ...inside);
}
