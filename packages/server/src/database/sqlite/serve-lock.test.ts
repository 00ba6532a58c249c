import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test, { type TestContext } from 'node:test';
import { takeServeLock } from './serve-lock.ts';

async function lockFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'waxwing-lock-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'serve.lock');
}

/** Another process that takes the lock, says whether it got it, and stays. */
async function startHolder(t: TestContext, file: string) {
  const script = `
    import { takeServeLock } from ${JSON.stringify(new URL('./serve-lock.ts', import.meta.url).href)};
    console.log((await takeServeLock(${JSON.stringify(file)})) === undefined ? 'refused' : 'held');
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [said] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, said };
}

test('one holder at a time, also within one process', async (t) => {
  const file = await lockFile(t);
  const lock = await takeServeLock(file);
  assert.ok(lock !== undefined);
  assert.equal(await takeServeLock(file), undefined);
  assert.equal((await startHolder(t, file)).said, 'refused');
  lock.release();
  lock.release();
  const next = await takeServeLock(file);
  assert.ok(next !== undefined, 'free again, although the first holder released twice');
  next.release();
});

test('kill -9 of the holder frees the lock', async (t) => {
  const file = await lockFile(t);
  const { child, said } = await startHolder(t, file);
  assert.equal(said, 'held');
  assert.equal(await takeServeLock(file), undefined);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  const lock = await takeServeLock(file);
  assert.ok(lock !== undefined);
  lock.release();
});
