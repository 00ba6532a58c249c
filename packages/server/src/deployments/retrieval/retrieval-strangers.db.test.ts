import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { inBothWorlds, type TestServer } from './retrieval-world.testing.ts';

const strangers = 80;
/** Who is worked for and who waits (anonymous-work.ts). */
const admitted = 16;

inBothWorlds('strangers', (world) => {
  /** Sends as somebody whose address the proxy on this machine tells, and returns the head of the answer. */
  async function post(server: TestServer, address: string, path: string, body: object): Promise<string> {
    const text = JSON.stringify(body);
    const answer = await server.send(
      [
        `POST /api/v1/sign-in${path} HTTP/1.1`,
        'Host: localhost',
        'Connection: close',
        `X-Forwarded-For: ${address}`,
        `Origin: ${world().application.settings.baseUrl}`,
        'Content-Type: application/json',
        `Content-Length: ${text.length}`,
        '',
        text,
      ].join('\r\n'),
    );
    return answer.split('\r\n\r\n')[0] ?? '';
  }

  const addressOf = (n: number) => `192.0.2.${n % 250}`;
  const signIn = (server: TestServer, n: number) =>
    post(server, addressOf(n), '', { email: `x${n}@example.com`, password: 'wrong words here' });
  const statusOf = (head: string) => Number(head.split(' ')[1]);

  test('while nothing can be written a few wait, and the others are refused before the database is asked', {
    timeout: 120_000,
  }, async () => {
    const server = await world().serve({ WAXWING_TRUSTED_PROXIES: '127.0.0.1' });
    const { database } = world().application;
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = database.transaction(async (trx) => {
      // The only writer of SQLite waits by itself.
      if (world().kind === 'postgres') await sql`lock table guess in exclusive mode`.execute(trx);
      isHeld.resolve();
      await held.promise;
    });
    await isHeld.promise;
    const refused: string[] = [];
    const enough = Promise.withResolvers<void>();
    const answers = Array.from({ length: strangers }, async (_, n) => {
      const head = await signIn(server, n);
      if (refused.push(head) === strangers - admitted) enough.resolve();
      return head;
    });
    try {
      await enough.promise;
      for (const head of refused) {
        assert.equal(statusOf(head), 429);
        assert.match(head, /^Retry-After: \d+$/m);
      }
    } finally {
      held.resolve();
      await holding;
    }
    const statuses = (await Promise.all(answers)).map(statusOf);
    assert.equal(statuses.filter((status) => status === 401).length, admitted);
  });

  test('every hand-out of a key is served while strangers sign in wrongly and ask for passkeys', async () => {
    const server = await world().serve({ WAXWING_TRUSTED_PROXIES: '127.0.0.1' });
    const { id, leaf } = await world().importLeaf({ domains: ['example.com'] });
    const { bearer } = await world().deploy(id);
    let underWay = strangers;
    const flood = Array.from({ length: strangers }, async (_, n) => {
      const heads = [await signIn(server, n), await post(server, addressOf(n), '/passkey-options', {})];
      underWay -= 1;
      return heads.map(statusOf);
    });
    let handOuts = 0;
    while (underWay > 0 || handOuts < 20) {
      const answer = await server.ask('GET /api/download?type=key', bearer);
      assert.deepEqual([answer.status, answer.body], [200, leaf.keyPem]);
      handOuts += 1;
    }
    const statuses = new Set((await Promise.all(flood)).flat());
    assert.deepEqual(
      [...statuses].filter((status) => ![200, 401, 429].includes(status)),
      [],
    );
    assert.ok(statuses.has(401), 'some were looked at');
  });
});
