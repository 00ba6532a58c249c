import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

const commits = 20;

const reason =
  process.env.CI === 'true' || spawnSync('strace', ['-V']).error === undefined
    ? false
    : 'SKIPPED: no strace here (Debian: apt-get install strace)';

/** Commits one after the other in each way there is, saying so after each acknowledgement. */
const script = (file: string) => `
  import { writeSync } from 'node:fs';
  import { openDatabase } from ${JSON.stringify(new URL('../open-database.ts', import.meta.url).href)};
  import { migrate } from ${JSON.stringify(new URL('../migrate.ts', import.meta.url).href)};
  const database = await openDatabase({ kind: 'sqlite', file: ${JSON.stringify(file)} });
  await migrate(database);
  const row = (n) => ({ id: String(n), name: n + '@example.com', created_at: n });
  const ways = [
    (n) => database.db.insertInto('organization').values(row(n)).execute(),
    (n) => database.transaction((trx) => trx.insertInto('organization').values(row(n)).execute()),
    (n) => database.runBatch([database.db.insertInto('organization').values(row(n)).compile()]),
  ];
  writeSync(1, 'acknowledged 0\\n');
  for (let n = 1; n <= ${commits}; n += 1) {
    await ways[n % ways.length](n);
    writeSync(1, 'acknowledged ' + n + '\\n');
  }
  await database.close();`;

test('between two acknowledged commits on SQLite there is a sync of the disk', { skip: reason }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'waxwing-durability-'));
  t.after(() => rm(folder, { recursive: true }));
  const trace = join(folder, 'trace');
  const program = [process.execPath, '--input-type=module', '-e', script(join(folder, 'waxwing.db'))];
  const flags = ['-f', '-s', '64', '-e', 'trace=fdatasync,fsync,write', '-o', trace];
  const child = spawn('strace', [...flags, ...program], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  const syncs = syncsBeforeEach(await readFile(trace, 'utf8'));
  assert.equal(syncs.length, commits);
  assert.ok(
    syncs.every((count) => count >= 1),
    `syncs that ended before each acknowledgement: ${syncs.join(' ')}`,
  );
});

/**
 * For each acknowledgement after the first the number of syncs that *ended* since the one before. strace splits a call
 * that another thread interrupts in two lines; the one with the result counts.
 */
function syncsBeforeEach(trace: string): number[] {
  const counts: number[] = [];
  let current: number | undefined;
  for (const line of trace.split('\n')) {
    if (/(fdatasync|fsync)(\(| resumed).*= 0$/.test(line)) current = (current ?? 0) + 1;
    if (!/write\(1, "acknowledged /.test(line)) continue;
    if (counts.length > 0 || current !== undefined) counts.push(current ?? 0);
    current = 0;
  }
  return counts.slice(1);
}
