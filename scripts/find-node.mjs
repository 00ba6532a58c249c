// Plain JavaScript: any Node of the machine reads this file (20 or newer).
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The oldest Node that runs our sources: type stripping, node:sqlite and argon2 without flags. */
const oldest = { major: 24, minor: 7 };

/** @param {string} version as in `process.versions.node` */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor);
}

/** The bundled Node, if it runs here. @returns {string | undefined} path of the executable */
function findBundledNode() {
  // The bundled Linux builds need glibc: on musl (Alpine) they exist but do not run.
  if (process.platform === 'linux' && !runsOnGlibc()) return undefined;
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const executable = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(executable) ? executable : undefined;
  } catch {
    return undefined;
  }
}

/** The bundled Node, else the running one if new enough. @returns {string | undefined} path of the executable */
export function findNode() {
  return findBundledNode() ?? (isNewEnough(process.versions.node) ? process.execPath : undefined);
}

/** The message when {@link findNode} found nothing. */
export function explainMissingNode() {
  return [
    `Waxwing needs Node ${oldest.major}.${oldest.minor} or newer; this is Node ${process.versions.node}.`,
    `No Node comes with the packages for ${process.platform}-${process.arch} (or optional packages were left out).`,
    'Run "npm ci --include=optional", or install a newer Node from https://nodejs.org/.',
  ].join('\n');
}

function runsOnGlibc() {
  // Otherwise the report resolves the host's network interfaces, which takes milliseconds.
  Object.assign(process.report, { excludeNetwork: true });
  const report = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return report.header.glibcVersionRuntime !== undefined;
}
