import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why to skip tests that need OpenSSL's command line, or false. Under CI they run, and fail without it. */
export const withoutOpenssl = ((): string | false => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'pipe' });
    return false;
  } catch {
    return process.env.CI === 'true' ? false : 'openssl is not installed';
  }
})();

interface OpensslFolder {
  path(name: string): string;
  /** Runs `openssl` in the folder. Throws with its standard error when it fails. */
  run(...args: readonly string[]): Buffer;
}

/** Runs the work in a temporary folder and removes that afterwards. */
export async function inOpensslFolder(work: (folder: OpensslFolder) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-openssl-'));
  try {
    await work({
      path: (name) => join(folder, name),
      run: (...args) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' }),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
