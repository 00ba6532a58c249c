import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFreshProof } from './asked-proof.ts';

test('two who ask at once are one question, and hear the same answer', async () => {
  const proof = createFreshProof();
  const heard: (((isGiven: boolean) => void) | undefined)[] = [];
  proof.onAsked((answer) => heard.push(answer));
  const both = Promise.all([proof.ask(), proof.ask()]);
  assert.equal(heard.length, 1);
  heard[0]?.(true);
  assert.deepEqual(await both, [true, true]);
  assert.equal(heard[1], undefined, 'the question goes');
  const later = proof.ask();
  assert.equal(heard.length, 3, 'a later one is asked anew');
  heard[2]?.(false);
  assert.equal(await later, false);
});

test('a question that is withdrawn goes, unanswered', async () => {
  const proof = createFreshProof();
  const heard: unknown[] = [];
  proof.onAsked((answer) => heard.push(answer));
  proof.withdraw();
  assert.deepEqual(heard, [], 'there is none');
  const asked = proof.ask();
  proof.withdraw();
  assert.equal(await asked, false);
  assert.equal(heard.length, 2);
  assert.equal(heard[1], undefined);
});

test('where nobody shows the question it is not given', async () => {
  assert.equal(await createFreshProof().ask(), false);
});
