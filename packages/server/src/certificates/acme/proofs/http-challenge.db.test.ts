import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { createHttpServer } from '../../../http/server.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { putChallenge } from '../orders/proof-store.ts';
import { listenForHttpChallenges, registerHttpChallenges } from './http-challenge.ts';

const row = {
  ...{ token: 'to-ken_1', organization_id: 'org', order_id: 'order', type: 'http-01' as const, domain: 'example.com' },
  ...{
    authorization_url: 'https://ca.test/1',
    challenge_url: 'https://ca.test/2',
    key_authorization: 'to-ken_1.print',
  },
  ...{
    dns_provider_id: null,
    record_name: null,
    record_value: null,
    presented: 0 as const,
    offered: 0 as const,
    created_at: 1,
  },
} as const;

onBothDatabases('HTTP-01', (open) => {
  test('is answered on the main listener', async (t) => {
    const database = await open(t);
    await database.transaction((trx) => putChallenge(trx, row));
    const log = { info() {}, warn() {}, error() {} };
    const limits = { headerBytes: 16_384, connections: 100 };
    const app = createHttpServer({ log, clock: systemClock, limits, problemHeaders: {} });
    t.after(() => app.close());
    registerHttpChallenges(app, database);
    const get = (token: string) => app.inject({ url: `/.well-known/acme-challenge/${token}` });
    const { statusCode, body } = await get('to-ken_1');
    assert.deepEqual([statusCode, body], [200, 'to-ken_1.print']);
    assert.equal((await get('other')).statusCode, 404);
    assert.equal((await get('..%2Fx')).statusCode, 404);
  });

  for (const [baseUrl, status, location] of [
    ['https://hub.example.com', 308, 'https://hub.example.com/console/?a=1'],
    ['http://hub.example.com', 404, null],
  ] as const) {
    test(`is answered on its own listener, beside ${baseUrl}`, async (t) => {
      const database = await open(t);
      await database.transaction((trx) => putChallenge(trx, row));
      const onError = (error: unknown) => assert.fail(String(error));
      const server = await listenForHttpChallenges({ database, baseUrl, onError }, { host: '127.0.0.1', port: 0 });
      t.after(() => server.close());
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const get = (path: string, method = 'GET') => fetch(url + path, { method, redirect: 'manual' });
      const answer = await get('/.well-known/acme-challenge/to-ken_1');
      assert.deepEqual([answer.status, await answer.text()], [200, 'to-ken_1.print']);
      assert.equal((await get('/.well-known/acme-challenge/to-ken_2')).status, 404);
      const other = await get('/console/?a=1');
      assert.deepEqual([other.status, other.headers.get('location')], [status, location]);
      assert.equal((await get('//evil.example.com/')).status, 404);
      assert.equal((await get('/api/certificate', 'POST')).status, 404);
    });
  }
});
