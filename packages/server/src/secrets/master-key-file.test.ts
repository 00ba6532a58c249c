import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Problem, type ProblemCode } from '../runtime/problem.ts';
import { addKey, createKeyRing, loadKeyRing, retireKeys } from './master-key-file.ts';

const kills = process.env.WAXWING_TEST_SCALE === 'full' ? 50 : 5;

async function withPath(run: (path: string) => void | Promise<void>): Promise<void> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'waxwing-keys-'));
  try {
    await run(join(folder, 'keys', 'master.key'));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function refused(code: ProblemCode, detail: RegExp, field = 'WAXWING_MASTER_KEY_FILE'): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.code, code);
    assert.equal(error.field, field);
    assert.match(error.message, detail);
    return true;
  };
}

function modeOf(path: string): number {
  return fs.statSync(path).mode & 0o777;
}

function idsOf(ring: { readonly keys: readonly { readonly id: string }[] }): string[] {
  return ring.keys.map((key) => key.id);
}

test('a ring created is on disk for its owner alone, in a folder for its owner alone', () =>
  withPath((path) => {
    const ring = createKeyRing(path, 5);
    assert.equal(modeOf(path), 0o600);
    assert.equal(modeOf(dirname(path)), 0o700);
    assert.deepEqual(fs.readdirSync(dirname(path)), ['master.key']);
    const loaded = loadKeyRing(path);
    assert.deepEqual(idsOf(loaded), idsOf(ring));
    assert.deepEqual(loaded.current.key.reveal(), ring.current.key.reveal());
    assert.equal(loaded.current.createdAt, 5);
  }));

test('creating refuses an existing file, whatever it holds, and leaves it as it is', () =>
  withPath((path) => {
    fs.mkdirSync(dirname(path));
    fs.writeFileSync(path, 'something of value', { mode: 0o600 });
    assert.throws(() => createKeyRing(path, 0), refused('conflict', /exists already/));
    assert.equal(fs.readFileSync(path, 'utf8'), 'something of value');
    assert.deepEqual(fs.readdirSync(dirname(path)), ['master.key']);
  }));

test('a missing file is told apart from a bad one', () =>
  withPath((path) => {
    assert.throws(() => loadKeyRing(path), refused('not_found', /no master key file/));
    assert.throws(() => loadKeyRing(tmpdir()), refused('invalid_parameter', /is not a file/));
  }));

for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601]) {
  test(`a key file of mode ${mode.toString(8)} is refused, and chmod 600 is the remedy`, () =>
    withPath((path) => {
      const ring = createKeyRing(path, 0);
      fs.chmodSync(path, mode);
      assert.throws(
        () => loadKeyRing(path),
        refused('invalid_parameter', new RegExp(`0${mode.toString(8)}.*chmod 600`)),
      );
      assert.throws(() => addKey(path, ring, 0), refused('invalid_parameter', /chmod 600/));
      fs.chmodSync(path, 0o400);
      assert.equal(loadKeyRing(path).current.id, ring.current.id);
    }));
}

test('a malformed file is refused and nothing is overwritten', () =>
  withPath((path) => {
    const ring = createKeyRing(path, 0);
    const damaged = fs.readFileSync(path, 'utf8').replace(/"key": "../, '"key": "');
    fs.writeFileSync(path, damaged);
    const fault = refused('invalid_parameter', /key is not 64 lower-case hex characters; restore it from your copy/);
    assert.throws(() => loadKeyRing(path), fault);
    assert.throws(() => addKey(path, ring, 0), fault);
    assert.throws(() => retireKeys(path, ring, [ring.current.id]), fault);
    assert.equal(fs.readFileSync(path, 'utf8'), damaged);
    fs.writeFileSync(path, 'x'.repeat(70_000));
    assert.throws(() => loadKeyRing(path), refused('invalid_parameter', /too large/));
  }));

test('a key added is current, on disk for its owner alone, beside the former ones', () =>
  withPath((path) => {
    const first = createKeyRing(path, 1);
    const second = addKey(path, first, 2);
    assert.equal(modeOf(path), 0o600);
    assert.deepEqual(idsOf(second), [first.current.id, second.current.id]);
    assert.equal(loadKeyRing(path).current.id, second.current.id);
    assert.deepEqual(idsOf(loadKeyRing(path)), idsOf(second));
  }));

test('a retired key is gone from the file, and the current one cannot be retired', () =>
  withPath((path) => {
    const first = createKeyRing(path, 1);
    const second = addKey(path, first, 2);
    assert.throws(
      () => retireKeys(path, second, [first.current.id]),
      refused('invalid_parameter', /cannot be retired/, 'keepIds'),
    );
    const kept = retireKeys(path, second, [second.current.id]);
    assert.deepEqual(idsOf(kept), [second.current.id]);
    assert.deepEqual(idsOf(loadKeyRing(path)), [second.current.id]);
    assert.ok(!fs.readFileSync(path, 'utf8').includes(first.current.id));
  }));

test('a ring that is no longer what the file holds changes nothing: no key is lost to a race', () =>
  withPath((path) => {
    const first = createKeyRing(path, 1);
    const second = addKey(path, first, 2);
    assert.throws(() => addKey(path, first, 3), refused('conflict', /changed by another process/));
    assert.throws(() => retireKeys(path, first, [first.current.id]), refused('conflict', /changed by another process/));
    assert.deepEqual(idsOf(loadKeyRing(path)), idsOf(second));
  }));

test('what killed processes left beside the file disturbs nothing and goes with the next change', () =>
  withPath((path) => {
    const leftover = `${path}.0123456789abcdef.tmp`;
    fs.mkdirSync(dirname(path));
    fs.writeFileSync(leftover, '{"about":"half a fi', { mode: 0o600 });
    const bystander = `${path}.old`;
    fs.writeFileSync(bystander, 'not ours');
    const ring = createKeyRing(path, 0);
    assert.ok(!fs.existsSync(leftover));
    fs.writeFileSync(leftover, '', { mode: 0o600 });
    assert.equal(loadKeyRing(path).current.id, ring.current.id);
    addKey(path, ring, 0);
    assert.ok(!fs.existsSync(leftover));
    assert.ok(fs.existsSync(bystander));
  }));

test('a symbolic link to the key file stays one, and the file it leads to is replaced', () =>
  withPath((path) => {
    const ring = createKeyRing(path, 0);
    const link = join(dirname(dirname(path)), 'link.key');
    fs.symlinkSync(path, link);
    const next = addKey(link, loadKeyRing(link), 1);
    assert.ok(fs.lstatSync(link).isSymbolicLink());
    assert.deepEqual(idsOf(loadKeyRing(path)), [ring.current.id, next.current.id]);
  }));

test('a change made by root leaves the file to its owner', { skip: process.getuid?.() !== 0 && 'needs root' }, () =>
  withPath((path) => {
    const ring = createKeyRing(path, 0);
    fs.chownSync(path, 65_534, 65_534);
    addKey(path, ring, 1);
    assert.equal(fs.statSync(path).uid, 65_534);
    assert.equal(modeOf(path), 0o600);
  }),
);

/** Adds keys endlessly, printing each id, and retires the oldest to keep the file small. */
const rotateForEver = `
  const { writeSync } = await import('node:fs');
  const [module, path] = process.argv.slice(1);
  const { addKey, loadKeyRing, retireKeys } = await import(module);
  for (let ring = loadKeyRing(path); ; ) {
    ring = addKey(path, ring, Date.now());
    writeSync(1, ring.current.id + '\\n');
    if (ring.keys.length > 3) ring = retireKeys(path, ring, ring.keys.slice(-2).map((key) => key.id));
  }`;

test(`a file under change is whole at every look, and still is when its writer is killed, ${kills} times`, (t) =>
  withPath(async (path) => {
    createKeyRing(path, 0);
    const module = new URL('./master-key-file.ts', import.meta.url).href;
    for (let kill = 1; kill <= kills; kill++) {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', rotateForEver, module, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      const closed = once(child, 'close');
      const told: string[] = [];
      createInterface({ input: child.stdout }).on('line', (id) => told.push(id));
      // Another process's view at any moment equals the state after a kill.
      for (let looks = 0; looks < 200 || told.length < 5; looks++) {
        assert.equal(child.exitCode, null);
        loadKeyRing(path);
        await setImmediate();
      }
      child.kill('SIGKILL');
      assert.deepEqual(await closed, [null, 'SIGKILL']);
      assert.ok(idsOf(loadKeyRing(path)).includes(told.at(-1) ?? 'none'));
    }
    const ring = addKey(path, loadKeyRing(path), 0);
    assert.deepEqual(fs.readdirSync(dirname(path)), ['master.key']);
    assert.equal(loadKeyRing(path).current.id, ring.current.id);
  }));

test('every change is on disk, file first and folder last, before the ring is handed back', (t) =>
  withPath((path) => {
    const steps: string[] = [];
    const watch = (name: 'linkSync' | 'renameSync' | 'fsyncSync', describe: (target: unknown) => string): void => {
      const original: (...args: never[]) => void = fs[name];
      t.mock.method(fs, name, (...args: never[]) => {
        steps.push(describe(args[0]));
        original(...args);
      });
    };
    watch('fsyncSync', (file) => (fs.fstatSync(Number(file)).isDirectory() ? 'sync folder' : 'sync file'));
    watch('linkSync', () => 'link');
    watch('renameSync', () => 'rename');
    syncBuiltinESMExports();
    try {
      fs.mkdirSync(dirname(path));
      const ring = createKeyRing(path, 0);
      assert.deepEqual(steps.splice(0), ['sync file', 'link', 'sync folder']);
      const next = addKey(path, ring, 1);
      assert.deepEqual(steps.splice(0), ['sync file', 'rename', 'sync folder']);
      retireKeys(path, next, [next.current.id]);
      assert.deepEqual(steps.splice(0), ['sync file', 'rename', 'sync folder']);
      createKeyRing(join(dirname(path), 'new', 'deep', 'master.key'), 0);
      assert.deepEqual(steps, ['sync folder', 'sync folder', 'sync file', 'link', 'sync folder']);
    } finally {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    }
  }));
