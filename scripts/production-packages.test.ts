import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);

/** The folders that `npm prune --omit=dev` removes. */
function developmentPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return Object.entries(packages).flatMap(([path, { dev }]) => (dev ? [new URL(`${path}/`, root).href] : []));
}

/** A module that makes Node find nothing in these folders. */
function hiding(folders: readonly string[]): string {
  const source = `
    import { registerHooks } from 'node:module';
    const hidden = ${JSON.stringify(folders)};
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        if (hidden.some((folder) => found.url.startsWith(folder))) throw new Error(specifier + ' is pruned');
        return found;
      },
    });`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

function run(context: TestContext, args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-pruned-'));
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('WAXWING_'));
  const child = spawn(process.execPath, ['--import', hiding(developmentPackages()), '--', ...args], {
    cwd: folder,
    env: { ...Object.fromEntries(kept), WAXWING_LISTEN: '127.0.0.1:0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors = child.stderr.toArray();
  const exited = once(child, 'exit');
  context.after(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  return { child, exited, errors: async () => Buffer.concat(await errors).toString() };
}

const script = (path: string) => fileURLToPath(new URL(path, root));

test('a server starts without the packages that only building and testing need', async (context) => {
  const { child, exited, errors } = run(context, [script('packages/server/src/main.ts'), 'serve']);
  await Promise.race([once(child.stdout, 'data'), exited]);
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null], await errors());
});

test('the console is built with packages that a server does without', async (context) => {
  const { exited, errors } = run(context, [script('scripts/build-console.ts')]);
  assert.deepEqual(await exited, [1, null]);
  assert.match(await errors(), /vite is pruned/);
});
