import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createReadiness, registerProbes } from '../packages/server/src/http/probes.ts';
import { createHttpServer } from '../packages/server/src/http/server.ts';
import { systemClock } from '../packages/server/src/runtime/clock.ts';
import { startHaproxy } from './haproxy.ts';
import { startNginx } from './nginx.ts';

const clients = 8;
const rounds = 3;

/** Closes idle connections before the proxies do, and long after the last request of a round. */
async function serve(t: TestContext) {
  const app = createHttpServer({
    log: { error: () => {}, warn: () => {} },
    clock: systemClock,
    limits: { headerBytes: 16_384, connections: 100, idleMs: 3_000 },
  });
  registerProbes(app, createReadiness({ needed: {} }));
  app.post('/api/messages', (request, reply) => reply.send(request.body));
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const open = new Set<Socket>();
  let accepted = 0;
  app.server.on('connection', (socket: Socket) => {
    accepted += 1;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    port: (app.server.address() as AddressInfo).port,
    accepted: () => accepted,
    async untilNoneIsOpen() {
      for (const socket of open) if (!socket.closed) await once(socket, 'close');
      await untilPeersHaveClosed((app.server.address() as AddressInfo).port);
    },
  };
}

/** A proxy may still use a closed connection before it has read the end. No server can prevent that. */
async function untilPeersHaveClosed(port: number): Promise<void> {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const [established, closeWait] = ['01', '08'];
  const isHeld = (line: string) => {
    const [, , address = '', state] = line.trim().split(/\s+/);
    return address.endsWith(remote) && (state === established || state === closeWait);
  };
  while (readFileSync('/proc/net/tcp', 'utf8').split('\n').some(isHeld)) await delay(10);
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-proxy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One client's requests: GETs, and POSTs, which proxies do not repeat. @returns their statuses */
async function ask(port: number): Promise<number[]> {
  const url = `http://127.0.0.1:${port}`;
  const statuses: number[] = [];
  for (let request = 0; request < 4; request += 1) {
    const body = request % 2 === 0 ? undefined : '{"mobile":"+8613800138000"}';
    const answer = await (body === undefined
      ? fetch(`${url}/healthz`)
      : fetch(`${url}/api/messages`, { method: 'POST', headers: { 'content-type': 'application/json' }, body }));
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  return statuses;
}

const proxies: Readonly<
  Record<string, (folder: string, port: number) => Promise<{ port: number; stop(): Promise<void> }>>
> = {
  nginx: (folder, server) =>
    startNginx(
      folder,
      (port) => `upstream waxwing { server 127.0.0.1:${server}; keepalive ${clients}; }
server {
  listen 127.0.0.1:${port};
  location / { proxy_pass http://waxwing; proxy_http_version 1.1; proxy_set_header Connection ""; }
}
`,
    ),
  haproxy: startHaproxy,
};

for (const [name, start] of Object.entries(proxies)) {
  const skip = spawnSync(name, ['-v']).error === undefined ? false : `${name} is not installed`;
  test(`behind ${name} no client hears of kept connections that the server has given up`, { skip }, async (t) => {
    const server = await serve(t);
    const proxy = await start(temporaryFolder(t), server.port);
    try {
      for (let round = 0; round < rounds; round += 1) {
        const statuses = (await Promise.all(Array.from({ length: clients }, () => ask(proxy.port)))).flat();
        assert.deepEqual(statuses, new Array(clients * 4).fill(200), `round ${round}`);
        await server.untilNoneIsOpen();
      }
      const accepted = server.accepted();
      assert.ok(accepted < rounds * clients * 4, `the proxy keeps connections: ${accepted} were opened`);
    } finally {
      await proxy.stop();
    }
  });
}
