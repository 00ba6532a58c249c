import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { askStatus } from '../packages/server/src/cli/exchange/socket-exchange.ts';
import { controlSocketPath } from '../packages/server/src/cli/exchange/socket-path.ts';
import { findNode, isNewEnough } from './find-node.mjs';
import { packagesAreInstalled } from './installed-packages.mjs';
import { runInForeground } from './run-in-foreground.mjs';

const cases: readonly [version: string, enough: boolean][] = [
  ['20.20.2', false],
  ['24.6.9', false],
  ['24.7.0', true],
  ['25.0.0', true],
  ['26.10.0', true],
];

for (const [version, enough] of cases) {
  test(`Node ${version} ${enough ? 'runs' : 'does not run'} our sources`, () => {
    assert.equal(isNewEnough(version), enough);
  });
}

test('a Node that runs our sources is found', async () => {
  assert.equal(await runInForeground(findNode() ?? '', ['-e', 'process.exitCode = 42']), 42);
});

test('a child that a signal ended gives 128 and the number of the signal', async () => {
  assert.equal(await runInForeground(process.execPath, ['-e', 'process.kill(process.pid, "SIGKILL")']), 137);
});

test('a signal is passed on once, and the exit waits for the child', async () => {
  const module = JSON.stringify(new URL('./run-in-foreground.mjs', import.meta.url).href);
  const child =
    'let n = 0; process.on("SIGTERM", () => { n += 1; setTimeout(() => process.exit(n), 50); });' +
    'setInterval(() => {}, 1000); console.log("ready");';
  const parent =
    `import { runInForeground } from ${module};` +
    `process.exitCode = await runInForeground(process.execPath, ["-e", ${JSON.stringify(child)}]);`;
  const running = spawn(process.execPath, ['--input-type=module', '-e', parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(running.stdout, 'data');
  running.kill('SIGTERM');
  const [code] = await once(running, 'exit');
  assert.equal(code, 1);
});

test('a server whose launcher is killed stops by itself, and cleanly', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-launched-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const launcher =
    `import { nodeArguments, runInForeground } from ${url('./run-in-foreground.mjs')};` +
    "import { fileURLToPath } from 'node:url';" +
    `const main = fileURLToPath(${url('../packages/server/src/main.ts')});` +
    "process.exitCode = await runInForeground(process.execPath, nodeArguments(main, ['serve']));";
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:WAXWING_|NODE_)/.test(name));
  const running = spawn(process.execPath, ['--input-type=module', '-e', launcher], {
    cwd: folder,
    env: { ...Object.fromEntries(kept), WAXWING_LISTEN: '127.0.0.1:0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = running.stderr.toArray();
  await once(running.stdout, 'data');
  const status = await askStatus(controlSocketPath(join(folder, 'data')));
  const { pid } = JSON.parse(status ?? '{}') as { pid: number };
  assert.notEqual(pid, running.pid);
  running.kill('SIGKILL');
  await Promise.race([log, once(context.signal, 'abort').then(() => process.kill(pid, 'SIGKILL'))]);
  assert.match(Buffer.concat(await log).toString(), /"launcher gone".*"msg":"stopping".*"msg":"stopped"/s);
});

/** A folder with a lock file and npm's record of the installation. */
function clone(context: TestContext, wanted: object, installed: object | undefined): string {
  const root = mkdtempSync(join(tmpdir(), 'waxwing-clone-'));
  context.after(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } }));
  mkdirSync(join(root, 'node_modules'));
  if (installed) {
    writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify({ packages: installed }));
  }
  return root;
}

const one = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-x' } };

test('packages are installed when npm recorded what the lock file asks for', (context) => {
  const optional = { 'node_modules/other-platform': { version: '1.0.0', optional: true } };
  assert.ok(packagesAreInstalled(clone(context, { ...one, ...optional }, one)));
});

test('packages are not installed when one is missing or another version, or npm was interrupted', (context) => {
  assert.ok(!packagesAreInstalled(clone(context, one, {})));
  assert.ok(!packagesAreInstalled(clone(context, one, { 'node_modules/a': { version: '1.0.1' } })));
  assert.ok(!packagesAreInstalled(clone(context, one, undefined)));
});

test('this clone has its packages', () => {
  assert.ok(packagesAreInstalled(fileURLToPath(new URL('..', import.meta.url))));
});

test('what Node compiles of our sources is kept; where it cannot be, commands work as well', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-compiled-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const command = fileURLToPath(new URL('../packages/server/bin/waxwing.mjs', import.meta.url));
  const version = async (cache: string) => {
    const child = spawn(process.execPath, [command, '--version'], {
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [[text], [code]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')]);
    assert.equal(code, 0);
    return String(text);
  };
  const printed = await version(folder);
  assert.match(printed, /\d+\.\d+\.\d+/);
  const kept = readdirSync(folder, { recursive: true });
  assert.ok(kept.length > 20, `${kept.length} files are kept`);
  assert.equal(await version(folder), printed);
  assert.equal(await version('/dev/null/nowhere'), printed);
});
