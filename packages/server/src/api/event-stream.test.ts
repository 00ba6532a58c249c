import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { type EventSink, mostWaitingBytes, openEventStream } from './event-stream.ts';

test('a reader that does not read is cut before it holds much memory', async (t) => {
  const server = createServer();
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.pause();
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const sink: EventSink = openEventStream(response, {});
  let sent = 0;
  while (!sink.closed.aborted && sent < 200_000) {
    sink.send({ name: 'change', data: 'x'.repeat(1_000) });
    sent += 1;
    assert.ok(response.writableLength <= mostWaitingBytes + 2_000);
    if (sent % 100 === 0) await new Promise(setImmediate);
  }
  assert.ok(sink.closed.aborted);
  client.destroy();
});

test('a reader that leaves is gone at once, also where who closes one side only is answered', async (t) => {
  const server = Object.assign(createServer(), { httpAllowHalfOpen: true });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const { closed } = openEventStream(response, {});
  assert.equal(closed.aborted, false);
  const gone = once(closed, 'abort');
  client.end();
  await gone;
  client.destroy();
});

test('streams that the server ended leave nothing on the connection that goes on', async (t) => {
  const server = createServer();
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const counts: number[] = [];
  for (let stream = 0; stream < 3; stream += 1) {
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
    counts.push(request.socket.listenerCount('end'));
    const sink = openEventStream(response, {});
    const closed = once(response, 'close');
    sink.end();
    await closed;
  }
  assert.deepEqual(counts, [counts[0], counts[0], counts[0]]);
  client.destroy();
});

test('an event has its id, its name and one line of data, whatever the data holds', async (t) => {
  const server = createServer((_request, response) => {
    const sink = openEventStream(response, { 'x-own': 'yes' });
    sink.send({ id: '1.2', name: 'change', data: { text: 'a\nb\r\n\ndata: c' } });
    sink.beat();
    sink.end();
    sink.send({ name: 'change', data: 'after the end' });
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  assert.deepEqual([answer.headers.get('content-type'), answer.headers.get('x-own')], ['text/event-stream', 'yes']);
  assert.equal(
    await answer.text(),
    'retry: 2000\n\nid: 1.2\nevent: change\ndata: {"text":"a\\nb\\r\\n\\ndata: c"}\n\n:\n\n',
  );
});
