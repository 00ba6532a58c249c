import { flushCompileCache } from 'node:module';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { networkSet } from '../http/request/ip-address.ts';
import { systemClock } from '../runtime/clock.ts';
import { attemptDelivery } from './attempt.ts';
import {
  type AttemptEnd,
  type AttemptGroup,
  type AttemptOrder,
  type AttemptThreadSetup,
  sharedMoment,
  type ToAttempts,
} from './attempt-message.ts';
import { GuardedAgent } from './guarded-agent.ts';
import { dnsResolver } from './host-resolver.ts';
import type { Outcome } from './outcome.ts';
import { ownEndpoints } from './own-endpoints.ts';
import { parseTargetUrl, type TargetUrl } from './target-url.ts';

/** The most parsed origins that the thread keeps. When one more comes, it forgets all of them. */
const mostOrigins = 10_000;

/** The thread gathers outcomes for this long, so that it sends fewer messages to the main thread. */
const gatherMs = 1;

/** The body of the thread of attempts. */
function serve(port: MessagePort, { allowNetworks, maxIdle, staleAfterMs }: AttemptThreadSetup): void {
  let ownPorts: readonly number[] = [];
  const guard = {
    allowed: networkSet(allowNetworks),
    own: ownEndpoints(() => ownPorts),
    resolve: dnsResolver(),
  };
  const clock = systemClock;
  const agent = new GuardedAgent({ guard, clock, maxIdle });
  const origins = new Map<string, TargetUrl>();
  const signals = new Map<number, { readonly cut: AbortController; running: number }>();
  let ends: AttemptEnd[] = [];

  function begin([slot, number, timeoutMs, origin, path, query, headers, body]: AttemptOrder): void {
    let under = signals.get(number);
    if (under === undefined) {
      under = { cut: new AbortController(), running: 0 };
      signals.set(number, under);
    }
    const held = under;
    held.running += 1;
    const target = { ...targetAt(origin), path };
    const request = { target, query, headers, ...(body !== undefined && { body }) };
    void attemptDelivery(agent, request, { timeoutMs, signal: held.cut.signal, clock }).then((outcome) => {
      held.running -= 1;
      if (held.running === 0) signals.delete(number);
      end(slot, outcome);
    });
  }

  /**
   * Outcomes of one moment go back together: each message wakes the main thread, and no caller waits for a single
   * outcome.
   */
  function end(slot: number, outcome: Outcome): void {
    ends.push([slot, outcome]);
    if (ends.length === 1) setTimeout(sendEnds, gatherMs);
  }

  function sendEnds(): void {
    port.postMessage(JSON.stringify(ends));
    ends = [];
  }

  function targetAt(origin: string): TargetUrl {
    const known = origins.get(origin);
    if (known !== undefined) return known;
    // An origin comes from a target that was parsed: it reads as it was written.
    const parsed = parseTargetUrl(`${origin}/`);
    if (!parsed.ok) throw new Error(`the origin of a push cannot be read: ${parsed.fault.code}`);
    if (origins.size >= mostOrigins) origins.clear();
    origins.set(origin, parsed.target);
    return parsed.target;
  }

  function isStale({ orderedAt }: AttemptGroup): boolean {
    const { now, monotonic } = sharedMoment();
    return Math.max(now - orderedAt.now, monotonic - orderedAt.monotonic) > staleAfterMs;
  }

  port.on('message', (message: ToAttempts) => {
    if (message[0] === 'cutOff') {
      signals.get(message[1])?.cut.abort();
      return;
    }
    const group = JSON.parse(message[1]) as AttemptGroup;
    ownPorts = group.ownPorts;
    const late = isStale(group);
    for (const order of group.attempts) {
      if (late) end(order[0], { kind: 'cutOff', ms: 0 });
      else begin(order);
    }
  });
}

if (parentPort !== null) {
  serve(parentPort, workerData as AttemptThreadSetup);
  // As in start-server.ts.
  flushCompileCache();
}
