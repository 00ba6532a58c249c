import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { Problem } from '../runtime/problem.ts';
import { countAnswers, createAnswerMetrics } from './answer-metrics.ts';
import { createHttpServer } from './server.ts';

test('answers are counted by the pattern of their route and the class of their status, whatever the path holds', async (context) => {
  const clock = { now: () => 0, monotonic: () => 0 };
  const log = { error: () => {}, warn: () => {} };
  const app = createHttpServer({ log, clock, limits: { headerBytes: 16_384, connections: 10 } });
  context.after(() => app.close());
  const registry = new Registry();
  countAnswers(app, createAnswerMetrics(registry));
  app.get('/api/v1/things/:id', (_request, reply) => reply.send({}));
  app.get('/api/busy', () => Promise.reject(new Problem('service_unavailable')));
  // As retrieval answers, past Fastify's reply.
  app.get('/api/raw', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(304).end();
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  for (const path of ['/api/v1/things/1', '/api/v1/things/2?key=wxd_secret', '/api/busy', '/api/raw', '/invented/1']) {
    await (await fetch(`${url}${path}`)).arrayBuffer();
  }
  await (await fetch(`${url}/api/busy`, { method: 'PUT' })).arrayBuffer();
  const expected = [
    'route="/api/v1/things/:id",status_class="2xx"} 2',
    'route="/api/busy",status_class="5xx"} 1',
    'route="/api/raw",status_class="3xx"} 1',
    'route="unknown",status_class="4xx"} 2',
  ].map((rest) => `waxwing_http_answers_total{${rest}`);
  const samples = async () =>
    (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual((await samples()).sort(), expected.sort());
  assert.deepEqual((await samples()).sort(), expected, 'reading counts nothing twice');
});
