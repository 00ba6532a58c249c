import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createAnswerRound } from './answer-round.ts';

test('answers of one turn leave in their order when its work is done, each whole', async (t) => {
  const sendInRound = createAnswerRound();
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    waiting.push(response);
    if (waiting.length === 3) server.emit('complete');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const asked = ['one', 'two', 'three'].map(() => fetch(url));
  await once(server, 'complete');

  for (const [index, response] of waiting.entries())
    sendInRound(response, 200 + index, { tag: `t${index}` }, `é${index}`);
  assert.deepEqual(
    waiting.map((response) => response.headersSent),
    [false, false, false],
  );
  const answers = await Promise.all(
    asked.map(async (answer) => {
      const { status, headers } = await answer;
      return [status, headers.get('tag'), await (await answer).text()];
    }),
  );
  assert.deepEqual(answers.sort(), [
    [200, 't0', 'é0'],
    [201, 't1', 'é1'],
    [202, 't2', 'é2'],
  ]);
});

test('an answer whose client has gone does not keep the others from theirs', async (t) => {
  const sendInRound = createAnswerRound();
  const server = createServer((request, response) => {
    if (request.url === '/gone') response.destroy();
    sendInRound(response, 200, {}, 'here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [gone, here] = await Promise.allSettled([fetch(`${url}/gone`), fetch(`${url}/here`)]);
  assert.equal(gone.status, 'rejected');
  assert.ok(here.status === 'fulfilled' && (await here.value.text()) === 'here');
});
