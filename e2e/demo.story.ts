import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { runProgram } from './world.ts';

const prepare = fileURLToPath(new URL('../scripts/prepare.mjs', import.meta.url));

test('npm run demo shows both halves on one screen and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await runProgram(process.execPath, [prepare, 'demo'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  assert.deepEqual([code, stderr], [0, '']);
  const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
  assert.ok(lines.length <= 40 && lines.every((line) => line.length <= 120), stdout);

  const [, folder = ''] = /its data in (\S+)/.exec(stdout) ?? [];
  assert.deepEqual([folder === '', existsSync(folder)], [false, false]);
  assert.match(stdout, /GET \/api\/certificate → 200/);
  assert.match(stdout, /401 无效的API密钥/);

  const pushes = lines.flatMap((line) => {
    const [, answer, kind, mobile, said, detail] =
      /^ {2}(\d{3}) (status|uplink) +(\S+) (\S+) +(.*)$/.exec(`${line} `) ?? [];
    return answer === undefined ? [] : [{ answer, kind, mobile, said, detail }];
  });
  const delivered = pushes.filter(({ answer, kind }) => answer === '200' && kind === 'status');
  assert.equal(new Set(delivered.map(({ mobile }) => mobile)).size, 10);
  assert.deepEqual([...new Set(delivered.map(({ said }) => said))].sort(), ['DELIVRD', 'REJECTED', 'UNDELIV']);
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
