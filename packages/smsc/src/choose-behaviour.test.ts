import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseBehaviour } from './choose-behaviour.ts';
import { scriptOf } from './trial-smsc.testing.ts';

const script = scriptOf('smpp', {
  rules: [
    { prefix: '+8613', share: 0.25, answer: 'none' },
    { prefix: '86', answer: 'lost' },
    { share: 0, answer: 'disconnect' },
  ],
});

const rows: readonly [destination: string, drawn: number, answer: string][] = [
  ['8613800138000', 0.24, 'none'],
  ['+8613800138000', 0, 'none'],
  ['8613800138000', 0.25, 'lost'],
  ['+8615', 0, 'lost'],
  ['85212345678', 0, 'accept'],
  ['', 0, 'accept'],
];

for (const [destination, drawn, answer] of rows) {
  test(`to "${destination}", with ${drawn} drawn, the answer is: ${answer}`, () => {
    assert.equal(chooseBehaviour(script, destination, () => drawn).answer.kind, answer);
  });
}

test('only rules that could apply draw', () => {
  let draws = 0;
  const random = () => {
    draws += 1;
    return 0.9;
  };
  chooseBehaviour({ rules: script.rules.slice(0, 2), otherwise: script.otherwise }, '49', random);
  assert.equal(draws, 0);
  chooseBehaviour(script, '8613', random);
  assert.equal(draws, 1);
});
