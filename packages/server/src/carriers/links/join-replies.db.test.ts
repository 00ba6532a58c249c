import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { manualTime } from '../../messages/manual-time.testing.ts';
import type { Inbound } from '../carrier.ts';
import type { InboundReply } from './carrier-dialect.ts';
import { createReplyJoiner, gap, segmentPatienceMs } from './join-replies.ts';

onBothDatabases('replies of several segments', (open) => {
  async function setUp(t: TestContext) {
    const database = await open(t);
    const time = manualTime();
    const taken: string[] = [];
    const state = { isAway: false };
    const take = async (inbound: Inbound) => {
      if (state.isAway) throw new Error('no database');
      taken.push(inbound.kind === 'reply' ? inbound.text : '');
    };
    const newJoiner = () => createReplyJoiner({ database, take, ...time });
    return { ...time, database, taken, state, newJoiner, joiner: newJoiner() };
  }

  const segment = (text: string, sequence: number, total = 3, reference = 'udh8 9'): InboundReply => ({
    kind: 'reply',
    from: '+8613800138000',
    to: '10690',
    text,
    segment: { reference, total, sequence },
  });

  test('they are handed in whole, in whatever order they come, also after a restart in between', async (t) => {
    const { joiner, newJoiner, taken } = await setUp(t);
    await joiner.takeSegment('c', segment('three', 3));
    await joiner.takeSegment('c', segment('one ', 1));
    assert.deepEqual(taken, []);
    await newJoiner().takeSegment('c', segment('two ', 2));
    assert.deepEqual(taken, ['one two three']);
  });

  test('the last ones that come side by side make one reply', async (t) => {
    const { joiner, taken } = await setUp(t);
    await Promise.all([3, 2, 1].map((sequence) => joiner.takeSegment('c', segment(String(sequence), sequence))));
    assert.deepEqual(taken, ['123']);
  });

  test('texts of other phones, references and carriers stay apart', async (t) => {
    const { joiner, taken } = await setUp(t);
    await joiner.takeSegment('c', segment('a', 1, 2));
    await joiner.takeSegment('c', segment('b', 2, 2, 'sar 9'));
    await joiner.takeSegment('d', segment('b', 2, 2));
    await joiner.takeSegment('c', { ...segment('b', 2, 2), from: '+8613800138001' });
    assert.deepEqual(taken, []);
  });

  test('a character that is cut in the middle comes out whole', async (t) => {
    const { joiner, taken } = await setUp(t);
    const halves = ['😀'.charAt(0), '😀'.charAt(1)];
    await joiner.takeSegment('c', segment(`x${halves[0]}`, 1, 2));
    await joiner.takeSegment('c', segment(`${halves[1]}y`, 2, 2));
    assert.deepEqual(taken, ['x😀y']);
  });

  test('a segment that is repeated after the reply was handed in changes nothing', async (t) => {
    const { joiner, taken } = await setUp(t);
    for (const sequence of [1, 2, 2, 1]) await joiner.takeSegment('c', segment(String(sequence), sequence, 2));
    assert.deepEqual(taken, ['12']);
  });

  test('a phone may use a reference again for another text', async (t) => {
    const { joiner, taken } = await setUp(t);
    for (const text of ['a', 'b']) {
      for (const sequence of [1, 2]) await joiner.takeSegment('c', segment(`${text}${sequence}`, sequence, 2));
    }
    assert.deepEqual(taken, ['a1a2', 'b1b2']);
  });

  test('a segment counts as taken only when the whole reply is', async (t) => {
    const { joiner, taken, state } = await setUp(t);
    await joiner.takeSegment('c', segment('a', 1, 2));
    state.isAway = true;
    await assert.rejects(joiner.takeSegment('c', segment('b', 2, 2)));
    state.isAway = false;
    await joiner.takeSegment('c', segment('b', 2, 2));
    assert.deepEqual(taken, ['ab']);
  });

  test('what lacks segments for too long is handed in with its gaps, once, and is then forgotten', async (t) => {
    const { joiner, taken, advance, until, database } = await setUp(t);
    const stopping = new AbortController();
    await joiner.takeSegment('c', segment('b', 2, 4));
    await joiner.takeSegment('c', segment('d', 4, 4));
    await joiner.takeSegment('c', segment('x', 1, 2, 'udh8 1'));
    const running = joiner.worker.run(stopping.signal);
    await advance(segmentPatienceMs - 60_000);
    assert.deepEqual(taken, []);
    await until(() => taken.length === 2 || undefined, 1_000);
    assert.deepEqual(taken.toSorted(), [`${gap}b${gap}d`, `x${gap}`]);
    const rows = () => database.db.selectFrom('reply_segment').select('sequence').execute();
    await until(async () => (await rows()).length === 0 || undefined, 1_000);
    assert.equal(taken.length, 2);
    stopping.abort();
    await running;
  });
});
