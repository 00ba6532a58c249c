// Plain JavaScript on purpose: this file is read by whatever Node the machine has (20 or newer).
//
//   node -- scripts/prepare.mjs serve [arguments of waxwing serve]
//   node -- scripts/prepare.mjs test [--full] [words of file names]
//   node -- scripts/prepare.mjs peers [words of file names]
//   node -- scripts/prepare.mjs check
//   node -- scripts/prepare.mjs bench NAME
//   node -- scripts/prepare.mjs fuzz-carriers [--count N] [--seed N]
//   node -- scripts/prepare.mjs demo
//
// Installs and builds what is missing, then hands over to the Node that runs our sources.
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consoleIsCurrent } from './console-build.mjs';
import { explainMissingNode, findNode } from './find-node.mjs';
import { packagesAreInstalled } from './installed-packages.mjs';
import { nodeArguments, runInForeground } from './run-in-foreground.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * What must be built before the server can serve it, in order: `isCurrent` is cheap (it runs at every start), `script`
 * runs on the Node that was found.
 *
 * @type {readonly { name: string, isCurrent: () => boolean, script: string }[]}
 */
const buildSteps = [
  { name: 'the web console', isCurrent: () => consoleIsCurrent(root), script: 'scripts/build-console.ts' },
];

/**
 * The arguments of Node for a verb.
 *
 * @param {string | undefined} verb
 * @param {readonly string[]} rest
 * @returns {readonly string[] | undefined}
 */
function commandOf(verb, rest) {
  if (verb === 'serve') return nodeArguments(join(root, 'packages/server/src/main.ts'), ['serve', ...rest]);
  if (verb === 'test') return nodeArguments(join(root, 'scripts/test.ts'), rest);
  if (verb === 'peers') return nodeArguments(join(root, 'scripts/test.ts'), ['--peers', ...rest]);
  if (verb === 'check') return nodeArguments(join(root, 'scripts/test.ts'), ['--checks', ...rest]);
  if (verb === 'fuzz-carriers') return nodeArguments(join(root, 'scripts/fuzz-carriers.ts'), rest);
  if (verb === 'demo') return nodeArguments(join(root, 'e2e/demo.ts'), rest);
  if (verb === 'bench' && benches().includes(rest[0] ?? '')) {
    return nodeArguments(join(root, 'bench', `${rest[0]}.ts`), rest.slice(1));
  }
  return undefined;
}

function benches() {
  const files = readdirSync(join(root, 'bench')).filter((name) => name.endsWith('.ts'));
  return files.map((name) => basename(name, '.ts'));
}

/** `npm ci`, by the calling npm if any. Its output goes to stderr: stdout belongs to the command. */
async function installPackages() {
  console.error('Installing packages (npm ci) …');
  const npm = process.env.npm_execpath;
  const stdio = /** @type {const} */ (['ignore', 2, 2]);
  // Hides warnings of packages that ask for a newer Node: ours is bundled.
  const options = ['--prefix', root, '--loglevel', 'error'];
  const exitCode = npm?.endsWith('.js')
    ? await runInForeground(process.execPath, [npm, 'ci', ...options], [...stdio])
    : await runInForeground('npm', ['ci', ...options], [...stdio]);
  if (exitCode !== 0) fail(`npm ci failed with exit code ${exitCode}; its output is above.`);
}

/** @param {string} node */
async function buildMissing(node) {
  for (const step of buildSteps) {
    if (step.isCurrent()) continue;
    console.error(`Building ${step.name} …`);
    const exitCode = await runInForeground(node, [join(root, step.script)], ['ignore', 2, 2]);
    if (exitCode !== 0) fail(`Building ${step.name} failed with exit code ${exitCode}; its output is above.`);
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}

const [verb, ...rest] = process.argv.slice(2);
const command = commandOf(verb, rest);
if (command === undefined) {
  console.error('Usage: node -- scripts/prepare.mjs serve|test|peers|check|demo|fuzz-carriers|bench NAME [arguments]');
  console.error(`Benches: ${benches().join(', ') || 'none yet'}`);
  process.exit(2);
}
if (!packagesAreInstalled(root)) await installPackages();
const node = findNode() ?? fail(explainMissingNode());
await buildMissing(node);
process.exitCode = await runInForeground(node, [...command]);
