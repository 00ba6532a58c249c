import assert from 'node:assert/strict';
import { type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

/** Whatever is written there fails as on a full disk. */
const full = '/dev/full';
const skip = existsSync(full) ? false : `there is no ${full}`;
const main = join(import.meta.dirname, '../main.ts');

test('a command whose output is lost on a full disk has failed', { skip }, () => {
  using disk = openFull();
  const run = (stdout: number | 'pipe') =>
    spawnSync(process.execPath, [main, 'help'], { stdio: ['ignore', stdout, 'pipe'], timeout: 30_000 }).status;
  assert.deepEqual([run('pipe'), run(disk.fd)], [0, 1]);
});

test('a server whose log is on a full disk goes on, and stops cleanly', { skip, timeout: 60_000 }, async () => {
  using disk = openFull();
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-full-'));
  const stdio: StdioOptions = ['ignore', 'pipe', disk.fd];
  const environment = { ...process.env, WAXWING_DATA: join(folder, 'data'), WAXWING_LISTEN: '127.0.0.1:0' };
  const server = spawn(process.execPath, [main, 'serve'], { stdio, env: environment });
  const ended = once(server, 'exit');
  try {
    assert.ok(server.stdout);
    const [told] = await Promise.race([once(createInterface(server.stdout), 'line'), ended]);
    const url = /http:\S+/.exec(String(told))?.[0];
    assert.ok(url, `it said ${told}`);
    for (let round = 0; round < 3; round += 1) assert.equal((await fetch(`${url}/api/certificate`)).status, 401);
  } finally {
    server.kill('SIGTERM');
    const [code] = await ended;
    rmSync(folder, { recursive: true });
    assert.equal(code, 0);
  }
});

function openFull(): { readonly fd: number } & Disposable {
  const fd = openSync(full, 'w');
  return { fd, [Symbol.dispose]: () => closeSync(fd) };
}
