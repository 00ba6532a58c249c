import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { Usage } from './command.ts';
import { readPassword, readSecret } from './read-password.ts';
import { fakeTerminal } from './terminal.testing.ts';

const lines: readonly [stdin: string, password: string][] = [
  ['sesame\n', 'sesame'],
  ['sesame', 'sesame'],
  ['sesame\r\n', 'sesame'],
  [' pass word \nand more\n', ' pass word '],
  ['\n', ''],
  ['пароль密码\n', 'пароль密码'],
];
for (const [stdin, password] of lines) {
  test(`the first line of ${JSON.stringify(stdin)} is the password, to the letter`, async () => {
    const terminal = fakeTerminal('/', stdin);
    assert.equal(await readPassword(terminal), password);
    assert.deepEqual(terminal.written, { out: '', err: '' });
  });
}

test('a line that comes in pieces is put together, also within a character', async () => {
  const stdin = new PassThrough();
  const reading = readPassword({ ...fakeTerminal('/'), stdin });
  const bytes = Buffer.from('sés\nrest');
  stdin.write(bytes.subarray(0, 2));
  stdin.write(bytes.subarray(2));
  assert.equal(await reading, 'sés');
});

test('nothing, too much, or what is no text is refused without repeating it', async () => {
  await assert.rejects(readPassword(fakeTerminal('/', '')), Usage);
  await assert.rejects(readPassword(fakeTerminal('/', `${'x'.repeat(5000)}\n`)), (error: Error) => {
    return error instanceof Usage && !error.message.includes('xxx');
  });
  const stdin = new PassThrough();
  stdin.end(Buffer.from([0xff, 0xfe, 0x0a]));
  await assert.rejects(readPassword({ ...fakeTerminal('/'), stdin }), /not UTF-8/);
});

test('on a terminal the password is asked for, and what is typed is not shown', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const terminal = { ...fakeTerminal('/'), stdin };
  const reading = readPassword(terminal);
  stdin.write('sesamx\u007fe\r');
  assert.equal(await reading, 'sesame');
  assert.deepEqual(terminal.written, { out: '', err: 'Password: \n' });
});

test('Ctrl-C at the question ends it', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const reading = readPassword({ ...fakeTerminal('/'), stdin });
  stdin.write('ses\u0003');
  await assert.rejects(reading, /No password was given/);
});

test('a secret is read and asked for in the same way, by its own name', async () => {
  assert.equal(await readSecret(fakeTerminal('/', 'whsec_x\nrest'), 'secret'), 'whsec_x');
  await assert.rejects(readSecret(fakeTerminal('/', ''), 'secret'), /--secret - was given, but stdin is empty/);
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  const terminal = { ...fakeTerminal('/'), stdin };
  const reading = readSecret(terminal, 'secret');
  stdin.write('whsec_x\r');
  assert.deepEqual([await reading, terminal.written.err], ['whsec_x', 'Secret: \n']);
});
