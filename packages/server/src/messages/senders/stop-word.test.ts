import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStopWords } from './stop-word.ts';

const words = ['STOP', 'STOP ALL', 'UNSUBSCRIBE', 'END', 'OPT OUT', '退订', '退訂', '取消订阅', '拒收', 'T', 'TD', 'R'];

test('each word stops, in any case and with anything around it that is no word', () => {
  const { isStop } = createStopWords(words);
  for (const word of words) {
    for (const reply of [word, word.toLowerCase(), ` ${word}\r\n`, `"${word}!"`, `「${word}」。`, `\u200b${word}`]) {
      assert.ok(isStop(reply), JSON.stringify(reply));
    }
  }
  for (const reply of ['ＳＴＯＰ', 'ｔｄ', 'Opt  out', 'STOP 🙏', '退\u200b订']) assert.ok(isStop(reply), reply);
});

test('a word among others does not stop', () => {
  const { isStop } = createStopWords(words);
  const replies = ["Don't stop", 'stopping', 'the end', '我不想退订', 'T恤', 'RT', 'S T O P', '', '...', 'OK'];
  for (const reply of replies) assert.equal(isStop(reply), false, reply);
});

test('the words are those configured, and no others', () => {
  const { isStop } = createStopWords(['Basta', ' ', '']);
  assert.ok(isStop('basta.'));
  assert.equal(isStop('STOP'), false);
  assert.equal(isStop(''), false);
  assert.equal(createStopWords([]).isStop('STOP'), false);
});

test('a stop word with letters that change with their case stops in each of them', () => {
  const { isStop } = createStopWords(['iptal', 'τέλος', 'schluß']);
  for (const reply of ['İPTAL', 'IPTAL', 'ΤΈΛΟΣ', 'τέλοσ.', 'SCHLUSS']) {
    assert.ok(isStop(reply), reply);
  }
});

test('a long reply is not searched', () => {
  assert.equal(createStopWords(['STOP']).isStop(`STOP${'!'.repeat(1_000_000)}`), false);
});
