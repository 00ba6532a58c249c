import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { sendCommands } from './send-commands.ts';

test('a shell hands curl the body as it is, whatever the text', () => {
  for (const text of ['Your parcel is on its way.', "It's 'here'", '您的包裹已发出。', '"$HOME" `id` \\']) {
    const { send } = sendCommands('wxm_x', 'https://sms.example.com', text);
    // In place of curl: a function that prints what it is given, an argument a line.
    const script = `curl() { printf '%s\\0' "$@"; }\n${send}`;
    const given = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0');
    const body = JSON.parse(given[given.indexOf('-d') + 1] ?? '') as unknown;
    assert.deepEqual(body, { mobiles: ['+8613800138000'], content: text });
    assert.equal(given.at(-2), 'https://sms.example.com/api/messages');
  }
});

test('the token goes into a file, never into the list of processes', () => {
  const { keepToken, send, report } = sendCommands('wxm_secret', 'https://sms.example.com', 'x');
  assert.match(keepToken, /umask 077\nprintf '.*' 'wxm_secret' > messaging\.header/);
  for (const command of [send, report]) assert.doesNotMatch(command, /wxm_secret/);
});
