import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Open } from '../../database/testing.ts';
import { refusal } from '../../http/refusal.testing.ts';
import { networkSet } from '../../http/request/ip-address.ts';
import { createWindowLimit } from '../../http/request/window-limit.ts';
import { createHttpServer } from '../../http/server.ts';
import { type Answer, exchange, parseAnswer, wire } from '../../http/wire.testing.ts';
import type { ProblemCode } from '../../runtime/problem.ts';
import { registerMessageRoutes } from '../message-routes.ts';
import { allWaiting, type MessagesWorld, openMessagesWorld } from '../messages-world.testing.ts';
import { createAuthenticateSender } from '../senders/authenticate-sender.ts';
import { createMessagingKeys, type MessagingKeys } from '../senders/manage-messaging-keys.ts';

/** The message interface on a real socket. */
export interface HttpWorld {
  readonly world: MessagesWorld;
  readonly keys: MessagingKeys;
  readonly port: number;
  /** How many requests were let in by their heads so far. */
  letIn(): number;
  /** One request on a connection of its own. */
  ask(line: string, ...headers: readonly string[]): Promise<Answer>;
  /** POST /api/messages with this body: a value as JSON, or bytes as they are. */
  post(body: unknown, ...headers: readonly string[]): Promise<Answer>;
  /** A messaging key that admits 127.0.0.1 unless told otherwise. */
  newKey(allow?: readonly string[]): Promise<{ id: string; token: string; bearer: string }>;
  /** The whole answer to a refused request, written here from the contract and not from the code's tables. */
  refusal(code: ProblemCode, ...more: readonly string[]): string;
}

export async function openHttpWorld(test: TestContext, open: Open): Promise<HttpWorld> {
  const world = await openMessagesWorld(test, open);
  const { database, feed, facts, audit, messages, time } = world;
  const { clock } = time;
  const logged: string[] = [];
  const log = {
    error: (fields: object, message: string) => logged.push(JSON.stringify([fields, message])),
    warn: (fields: object, message: string) => logged.push(JSON.stringify([fields, message])),
  };
  const app = createHttpServer({ log, clock, limits: { headerBytes: 16_384, connections: 100 } });
  const authenticate = createAuthenticateSender({ facts, feed, wrongTokens: createWindowLimit({ limit: 30 }), clock });
  let letIn = 0;
  registerMessageRoutes(app, {
    database,
    async authenticate(...given) {
      const sender = await authenticate(...given);
      letIn += 1;
      return sender;
    },
    messages,
    readPushStates: allWaiting,
    trustedProxies: networkSet([]),
    onUntrustedForward: () => {},
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const tokens: string[] = [];
  test.after(async () => {
    await app.close();
    for (const token of tokens) assert.ok(!logged.join('\n').includes(token.slice(0, 40)), 'the log shows a token');
  });
  const keys = createMessagingKeys({ database, feed, audit, clock });

  async function ask(line: string, ...headers: readonly string[]): Promise<Answer> {
    const head = [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers];
    return parseAnswer(await exchange(port, `${head.join('\r\n')}\r\n\r\n`));
  }

  return {
    world,
    keys,
    port,
    letIn: () => letIn,
    ask,
    async post(body, ...headers) {
      const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
      const hasType = headers.some((line) => /^content-type:/i.test(line));
      const head = [
        'POST /api/messages HTTP/1.1',
        'Host: localhost',
        'Connection: close',
        `Content-Length: ${bytes.length}`,
        ...(hasType ? [] : ['Content-Type: application/json']),
        ...headers,
      ];
      return parseAnswer(await exchange(port, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes])));
    },
    async newKey(allow = ['127.0.0.1']) {
      const { messagingKey, token } = await keys.create('test', {
        organizationId: world.organizationId,
        name: 'shop',
        allow,
      });
      tokens.push(token.reveal());
      return { id: messagingKey.id, token: token.reveal(), bearer: `Authorization: Bearer ${token.reveal()}` };
    },
    refusal: (code, ...more) => refusal(code, clock, ...more),
  };
}

/** An answer that succeeds, as it must cross the wire. */
export function success(data: unknown): string {
  const body = JSON.stringify({ status: 'success', data });
  return wire(
    '200 OK',
    [
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: private, no-store',
      'X-Content-Type-Options: nosniff',
    ],
    body,
  );
}
