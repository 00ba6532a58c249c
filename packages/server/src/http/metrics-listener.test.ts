import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Counter, Registry } from 'prom-client';
import { listenForMetrics } from './metrics-listener.ts';

const anywhere = { host: '127.0.0.1', port: 0 };

async function start(context: TestContext, metrics: Parameters<typeof listenForMetrics>[0]): Promise<string> {
  const server = await listenForMetrics(metrics, anywhere);
  context.after(() => closed(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

test('the metrics of the process are served as text for Prometheus, and not kept by anybody', async (context) => {
  const metrics = new Registry();
  const things = new Counter({ name: 'things_total', help: 'Things.', registers: [metrics] });
  const url = await start(context, metrics);
  things.inc(3);
  const answer = await fetch(`${url}/metrics`);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.match(await answer.text(), /^things_total 3$/m);
});

test('there is nothing else on that listener but a word where they are', async (context) => {
  const url = await start(context, new Registry());
  assert.equal((await fetch(`${url}/api/certificate`)).status, 404);
  assert.match(await (await fetch(`${url}/`)).text(), /\/metrics;/);
  assert.equal((await fetch(`${url}/metrics`, { method: 'POST', body: 'x' })).status, 404);
});

test('a figure that cannot be read is a 500, and the next answer is sound', async (context) => {
  let sound = false;
  const metrics = {
    contentType: 'text/plain',
    metrics: async () => (sound ? 'a 1\n' : Promise.reject(new Error('?'))),
  };
  const url = await start(context, metrics as unknown as Registry);
  assert.equal((await fetch(`${url}/metrics`)).status, 500);
  sound = true;
  assert.equal(await (await fetch(`${url}/metrics`)).text(), 'a 1\n');
});

test('a port that is taken is refused by the name of its setting', async (context) => {
  const other = createServer().listen(anywhere);
  context.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await assert.rejects(listenForMetrics(new Registry(), { host: '127.0.0.1', port }), {
    code: 'conflict',
    field: 'WAXWING_METRICS_LISTEN',
    message: `127.0.0.1 port ${port} (WAXWING_METRICS_LISTEN) cannot be listened on: another program listens there.`,
  });
});
