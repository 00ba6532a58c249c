import { setTimeout as delay } from 'node:timers/promises';
import type { ServerProcess } from '../parts/child-link.ts';
import { runSends } from '../parts/load.ts';
import type { MessageGateway } from './message-gateway.ts';

/** A load of messages, and its cost for the server. */
export interface JourneySample {
  readonly perSecond: number;
  readonly cpuSecondsPerThousand: number;
  /** Of the answers to the POSTs. */
  readonly p99Ms: number;
  /** Sends without status 200, and accepted messages without a push. */
  readonly amiss: number;
}

export interface Sends {
  /** Numbers in one POST. */
  readonly numbers: number;
  /** POSTs in flight. */
  readonly connections: number;
}

/** A text to one person, and a campaign. */
export const everyKindOfSends: readonly Sends[] = [
  { numbers: 1, connections: 50 },
  { numbers: 100, connections: 4 },
];

const lookMs = 50;
/** A sample ends after this time without a push, or longer while some are missing. */
const lullMs = 1_000;
const longLullMs = 15_000;

/** Sends for so long, and waits for the pushes. The rate counts from the first POST to the last push. */
export async function sampleJourney(
  receiver: ServerProcess,
  { server, tokensFile }: MessageGateway,
  { numbers, connections }: Sends,
  seconds: number,
  signal: AbortSignal,
): Promise<JourneySample> {
  const before = await receiver.ask('received');
  const usage = await server.ask('usage');
  const startedAt = performance.now();
  const sent = await runSends({ url: server.url, connections, seconds, tokensFile, numbers }, signal);
  const accepted = (sent.requests - sent.failures) * numbers;
  const { pushes, ms } = await lastPush(receiver, before.requests, accepted, startedAt);
  const { cpuMs } = await server.ask('usage');
  return {
    perSecond: (pushes / ms) * 1000,
    cpuSecondsPerThousand: (cpuMs - usage.cpuMs) / pushes,
    p99Ms: sent.p99Ms,
    // A message in flight at the end of the load may be accepted without its sender knowing.
    amiss: sent.failures + Math.max(0, accepted - pushes),
  };
}

/** Waits until no push has come for a while. @returns the time of the last one */
async function lastPush(receiver: ServerProcess, before: number, accepted: number, startedAt: number) {
  let { requests } = await receiver.ask('received');
  let lastAt = performance.now();
  while (performance.now() - lastAt < (requests - before < accepted ? longLullMs : lullMs)) {
    await delay(lookMs);
    const now = await receiver.ask('received');
    if (now.requests === requests) continue;
    ({ requests } = now);
    lastAt = performance.now();
  }
  return { pushes: requests - before, ms: lastAt - startedAt };
}
