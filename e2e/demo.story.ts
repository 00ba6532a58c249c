import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { withoutPebble } from '../packages/server/src/certificates/acme/protocol/pebble.testing.ts';
import { runProgram } from './world.ts';

const demo = fileURLToPath(new URL('demo.ts', import.meta.url));
const prepare = fileURLToPath(new URL('../scripts/prepare.mjs', import.meta.url));

test('npm run demo shows both halves on one screen and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await runProgram(process.execPath, [prepare, 'demo'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    // It starts some thirty programs, one after the other.
    timeout: 180_000,
  });
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
  assert.ok(lines.length <= 40 && lines.every((line) => line.length <= 120), stdout);

  const [, folder = ''] = /its data in (\S+)/.exec(stdout) ?? [];
  assert.deepEqual([folder === '', existsSync(folder)], [false, false]);
  assert.match(stdout, /GET \/api\/certificate → 200/);
  assert.match(stdout, /401 无效的API密钥/);
  assert.match(stdout, withoutPebble === false ? /renewed with a new key/ : /left out: pebble is missing/);

  const pushes = lines.flatMap((line) => {
    const [, answer, kind, mobile, said, detail] =
      /^ {2}(\d{3}) (status|uplink) +(\S+) (\S+) +(.*)$/.exec(`${line} `) ?? [];
    return answer === undefined ? [] : [{ answer, kind, mobile, said, detail }];
  });
  const delivered = pushes.filter(({ answer, kind }) => answer === '200' && kind === 'status');
  assert.equal(new Set(delivered.map(({ mobile }) => mobile)).size, 10);
  assert.deepEqual([...new Set(delivered.map(({ said }) => said))].sort(), ['DELIVRD', 'REJECTED', 'UNDELIV']);
  assert.match(stdout, /carrier test: connect \d+ ms, bind \d+ ms, enquire \d+ ms/);
  assert.match(stdout, /10 of 10 have their final status, 10 went to demo/);
  const refused = pushes.filter(({ answer }) => answer === '500');
  assert.equal(refused.length, 1);
  const [, push = 'none'] = /push (\S+),/.exec(refused[0]?.detail ?? '') ?? [];
  assert.ok(
    delivered.some(({ detail }) => detail?.includes(`attempt 2 of push ${push}`)),
    stdout,
  );
  assert.deepEqual(
    pushes.filter(({ kind }) => kind === 'uplink').map(({ answer, said }) => [answer, said]),
    [['200', '"收到，谢谢!"']],
  );
});

/** Runs the demo until it prints a line, and interrupts it. @returns its exit and its folder */
async function interruptedAt(line: RegExp, interrupt: (pid: number) => void) {
  // In its own process group, which a terminal's Ctrl-C reaches as a whole.
  const child = spawn(process.execPath, [demo], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  const closed = once(child, 'close');
  let folder = '';
  let isInterrupted = false;
  createInterface({ input: child.stdout }).on('line', (printed) => {
    folder ||= /its data in (\S+)/.exec(printed)?.[1] ?? '';
    if (isInterrupted || !line.test(printed) || child.pid === undefined) return;
    isInterrupted = true;
    interrupt(child.pid);
  });
  const [code, signal] = await closed;
  return { ended: code ?? signal, folder };
}

const interruptions: readonly [how: string, line: RegExp, interrupt: (pid: number) => void][] = [
  ['Ctrl-C', /imported from a trial CA/, (pid) => process.kill(-pid, 'SIGINT')],
  ['an interrupt of the demo alone', /A certificate is handed out/, (pid) => process.kill(pid, 'SIGINT')],
  [
    'Ctrl-C that npm passes on as well',
    /its data in/,
    (pid) => {
      process.kill(-pid, 'SIGINT');
      setTimeout(() => process.kill(pid, 'SIGINT'), 5);
    },
  ],
  ['an npm that was asked to end', /Ten messages/, (pid) => process.kill(pid, 'SIGTERM')],
];
for (const [how, line, interrupt] of interruptions) {
  test(`the demo leaves nothing behind after ${how}`, async () => {
    const { ended, folder } = await interruptedAt(line, interrupt);
    assert.deepEqual([ended, folder === '', existsSync(folder)], [1, false, false]);
  });
}
