import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { onBothDatabases } from '../database/testing.ts';
import { createAttemptThread } from '../outbound/attempt-thread.ts';
import { accept, openPushWorld, type PushWorld } from './push-world.testing.ts';

const body = JSON.stringify({ type: 'certificate.expiring', subject: '例.example', detail: 'a\u0000b\r\n' });

onBothDatabases('a push with a body', (open) => {
  test('is a signed POST of it, the same when it is tried again and when it is sent again', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startReceiver();
    const secret = await point(world, `${receiver.url}/alert?token=a%2fb`);
    const engine = world.engine();
    await engine.beat();
    receiver.status = 500;
    const [id = ''] = await accept(world, { organizationId: world.organizationId, kind: 'status', body });
    await world.quiet(engine);
    await engine.stop();
    // By another server, which knows it from the database alone.
    const next = world.engine({ nodeId: 'next' });
    receiver.status = 200;
    await world.later(30_000, next);
    assert.deepEqual(
      (await world.history()).map((row) => [row.id, row.state, row.attempts]),
      [[id, 'delivered', 2]],
    );
    await world.pushes.resendOne('test', id);
    await world.later(1_000, next);
    assert.deepEqual(
      (await world.history()).map((row) => [row.id, row.state, row.attempts]),
      [[id, 'delivered', 3]],
    );
    assert.equal(receiver.requests.length, 3);
    for (const { method, url, headers, body: received } of receiver.requests) {
      assert.deepEqual([method, url, received], ['POST', '/alert?token=a%2fb', body]);
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['content-length'], String(Buffer.byteLength(body)));
      assert.equal(headers['webhook-id'], id);
      assertSigned(secret, headers, received, world);
    }
  });

  test('goes through the thread of attempts, to a URL without a query, beside one without a body', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startReceiver();
    await point(world, `${receiver.url}/alert`);
    const attempts = createAttemptThread({
      allowNetworks: ['127.0.0.0/8'],
      maxIdle: 1,
      ownPorts: () => [],
      staleAfterMs: 60_000,
    });
    t.after(() => attempts.close());
    const engine = world.engine({ attempts });
    await engine.beat();
    const { organizationId } = world;
    await accept(world, { organizationId, kind: 'status', body: '{}' });
    await accept(world, { organizationId, kind: 'status', query: { mobile: '1' } });
    await world.quiet(engine);
    assert.deepEqual(receiver.requests.map(({ method, url, body: received }) => [method, url, received]).sort(), [
      ['GET', '/alert?mobile=1', ''],
      ['POST', '/alert', '{}'],
    ]);
  });

  test('is listed without parameters, and found by no search for a number or a batch', async (t) => {
    const world = await openPushWorld(t, open);
    await point(world, 'http://127.0.0.1:9/');
    const { organizationId } = world;
    const [id] = await accept(world, { organizationId, kind: 'status', body });
    const { rows } = await world.pushes.find({ organizationId, limit: 10 });
    assert.deepEqual(
      rows.map((push) => [push.id, push.parameters]),
      [[id, {}]],
    );
    for (const search of ['1', 'certificate']) {
      assert.deepEqual((await world.pushes.find({ organizationId, search, limit: 10 })).rows, []);
    }
  });
});

async function point(world: PushWorld, url: string): Promise<string> {
  const { secret } = await world.settings.set('test', {
    ...{ organizationId: world.organizationId, kind: 'status', url, enabled: true, secret: 'generate' },
  });
  return secret?.reveal() ?? assert.fail();
}

/** As a receiver would, but by the time of the world's clock. */
function assertSigned(secret: string, headers: IncomingHttpHeaders, received: string, world: PushWorld): void {
  const at = Number(headers['webhook-timestamp']);
  assert.ok(at * 1_000 <= world.clock.now());
  const expected = new Webhook(secret).sign(String(headers['webhook-id']), new Date(at * 1_000), received);
  assert.equal(headers['webhook-signature'], expected);
}

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A web server as a customer has one. */
async function startReceiver() {
  const requests: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    requests.push({ method, url, headers, body: await text(request) });
    response.writeHead(receiver.status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    status: 200,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}
