import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiverWords, urlSecrets } from './receiver-words.ts';

test('words are one line without control characters, and cut', () => {
  assert.equal(receiverWords(' not\u001b[31m\r\n\0 here\u2028\u202e ', []), 'not [31m here');
  const long = receiverWords('界'.repeat(1000), []);
  assert.equal([...long].length, 300);
  assert.ok(long.endsWith('界…'));
});

test('what a receiver repeats of a URL or a secret becomes stars, also where the text is cut', () => {
  const url = 'https://robots.example/hook/5e3d587e-d78e-4a07-bd07/send?access_token=hunter2hunter2&a=b%2Fc%2Fdefgh';
  const secrets = [...urlSecrets(url), 'SECsecret'];
  for (const said of [
    url,
    'no such path /hook/5e3d587e-d78e-4a07-bd07/send?access_token=hunter2hunter2&a=b%2Fc%2Fdefgh',
    'wrong access_token hunter2hunter2',
    'b/c/defgh and 5e3d587e-d78e-4a07-bd07 and SECsecret',
    `${'x'.repeat(290)}hunter2hunter2`,
  ]) {
    assert.doesNotMatch(receiverWords(said, secrets), /hunter2|5e3d|defgh|SECs/, said);
  }
  assert.equal(receiverWords('invalid webhook /hook/send', secrets), 'invalid webhook /hook/send');
});

test('a path that a receiver repeats becomes stars, written or decoded', () => {
  const secrets = urlSecrets('https://example.com/in/s%C3%A9cret');
  assert.equal(receiverWords('Cannot POST /in/s%C3%A9cret', secrets), 'Cannot POST ***');
  assert.equal(receiverWords('no /in/sécret here', secrets), 'no *** here');
  assert.equal(receiverWords('a/b', urlSecrets('https://example.com/')), 'a/b');
});
