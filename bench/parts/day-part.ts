import { rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ServerProcess } from './child-link.ts';

/** The callers of a day. */
export interface DayLoad {
  /** Of the deployments. Each request picks one at random. */
  readonly tokens: readonly string[];
  /** Messaging keys. */
  readonly senders: readonly string[];
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** The result of one part of a day. */
export interface DayPart {
  /** Milliseconds of each hand-out, and of each POST, with status 200. */
  readonly asked: readonly number[];
  readonly posted: readonly number[];
  /** Requests with another answer, or none. */
  readonly refused: number;
  readonly pushes: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
}

const messagesPerPost = 10;
const settleMs = 5_000;
const patienceMs = 30_000;
/** Senders keep their connections. Servers that come once an hour do not. */
const senderConnections = 20;

/** Sends at both rates for the load's time, then waits for the pushes. */
export async function runPart(
  server: ServerProcess,
  receiver: ServerProcess,
  load: DayLoad,
  rates: { readonly asks: number; readonly posts: number },
): Promise<DayPart> {
  const [asked, posted]: [number[], number[]] = [[], []];
  const keptAlive = new http.Agent({ keepAlive: true, maxSockets: senderConnections });
  let refused = 0;
  const [before, { requests: pushedBefore }] = await Promise.all([server.ask('usage'), receiver.ask('received')]);
  const began = performance.now();

  async function take(into: number[], answered: Promise<number>): Promise<void> {
    const at = performance.now();
    const status = await answered;
    if (status === 200) into.push(performance.now() - at);
    else refused += 1;
  }
  const ask = () =>
    take(asked, request(new URL('/api/certificate', server.url), { token: oneOf(load.tokens), agent: false }));
  const post = () =>
    take(
      posted,
      request(new URL('/api/messages', server.url), { token: oneOf(load.senders), agent: keptAlive, body: batch() }),
    );
  await Promise.all([pace(rates.asks, load, began, ask), pace(rates.posts, load, began, post)]);
  const ms = performance.now() - began;
  const after = await server.ask('usage');
  await delay(settleMs);
  const { requests } = await receiver.ask('received');
  keptAlive.destroy();
  return {
    asked,
    posted,
    refused,
    pushes: requests - pushedBefore,
    ms,
    cpuMs: after.cpuMs - before.cpuMs,
    rssBytes: after.rssBytes,
  };
}

async function pace(perSecond: number, load: DayLoad, began: number, work: () => Promise<void>): Promise<void> {
  const all: Promise<void>[] = [];
  if (perSecond === 0) return;
  for (let elapsed = 0; elapsed < load.seconds && !load.signal.aborted; ) {
    await delay(2);
    elapsed = (performance.now() - began) / 1_000;
    while (all.length < Math.min(elapsed, load.seconds) * perSecond) all.push(work());
  }
  await Promise.all(all);
}

/** @returns the status; 0 without an answer */
function request(
  url: URL,
  { token, agent, body }: { readonly token: string; readonly agent: http.Agent | false; readonly body?: string },
): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : jsonHeaders) };
    const method = body === undefined ? 'GET' : 'POST';
    const sent = http.request(url, { method, headers, agent, timeout: patienceMs }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(0));
    sent.once('close', () => resolve(0));
    sent.end(body);
  });
}

const jsonHeaders = { 'content-type': 'application/json' };

/** Numbers that end in 5000 to 5999, which the simulator delivers. */
function batch(): string {
  const start = Math.floor(Math.random() * 9_000);
  const mobiles = Array.from({ length: messagesPerPost }, (_, index) => {
    const number = 10_000_000 + ((start + index) % 9_000) * 10_000 + 5_000 + index;
    return `+86138${String(number).slice(-8)}`;
  });
  return JSON.stringify({ mobiles, content: 'a big day' });
}

function oneOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}

/** Writes a file again and again in another thread, until disposed of. */
export function busyDisk(folder: string, mebibytes: number): AsyncDisposable & { readonly mebibytes: number } {
  const file = join(folder, 'busy-disk');
  const writer =
    mebibytes > 0
      ? new Worker(new URL('./disk-writer.ts', import.meta.url), { workerData: { file, mebibytes } })
      : undefined;
  return {
    mebibytes,
    async [Symbol.asyncDispose]() {
      await writer?.terminate();
      rmSync(file, { force: true });
    },
  };
}
