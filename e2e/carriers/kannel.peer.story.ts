import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { startKannel, withoutKannel } from './kannel.ts';
import { carrierAccount, carrierProcess } from './smsc-process.ts';

if (withoutKannel !== false) console.log(`Kannel: ${withoutKannel}`);

/** What Kannel asks for, by its path and query. */
async function startListener() {
  const asked: URL[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '/', 'http://127.0.0.1'));
    response.end();
    arrivals.emit('arrival');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const find = (path: string, text: string) =>
    asked.find(({ pathname, search }) => pathname === path && decodeURIComponent(search).includes(text));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async until(path: string, text: string): Promise<void> {
      while (find(path, text) === undefined) await once(arrivals, 'arrival');
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('Kannel sends, gets receipts and a reply through a simulated carrier', { skip: withoutKannel }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-kannel-carrier-'));
  try {
    const port = await freePort();
    const script = {
      rules: [
        { prefix: '8613800138001', receipts: [{ state: 'UNDELIV' }] },
        { prefix: '8613800138002', replies: [{ text: 'Yes, please', after: '100ms' }] },
      ],
    };
    await using carrier = carrierProcess(folder, port, { script });
    await carrier.start();
    await using listener = await startListener();
    const replyUrl = `${listener.url}/reply?from=%p&text=%b`;
    await using kannel = await startKannel({ carrierPort: port, account: carrierAccount, replyUrl });
    const send = async (to: string, text: string, name: string) => {
      // It answers 503 until it is bound.
      for (;;) {
        const answer = await kannel.send(to, text, `${listener.url}/dlr?name=${name}&type=%d`);
        if (answer.startsWith('0: Accepted')) return;
        await delay(200);
      }
    };
    await send('8613800138000', 'Hello', 'plain');
    await send('8613800138001', 'Hello', 'failed');
    await send('8613800138000', '你好', 'chinese');
    await send('8613800138002', 'Long '.repeat(50), 'long');
    // 1: delivered to the phone, 2: not delivered.
    await listener.until('/dlr', 'name=plain&type=1');
    await listener.until('/dlr', 'name=failed&type=2');
    await listener.until('/dlr', 'name=chinese&type=1');
    await listener.until('/dlr', 'name=long&type=1');
    await listener.until('/reply', '8613800138002');
    await listener.until('/reply', 'Yes, please'.replace(' ', '+'));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
