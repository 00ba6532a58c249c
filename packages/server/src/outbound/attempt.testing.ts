import assert from 'node:assert/strict';
import { networkSet } from '../http/request/ip-address.ts';
import { systemClock } from '../runtime/clock.ts';
import { attemptDelivery } from './attempt.ts';
import { type AgentOptions, GuardedAgent } from './guarded-agent.ts';
import type { Outcome } from './outcome.ts';
import { ownEndpoints } from './own-endpoints.ts';
import type { TargetGuard } from './target-guard.ts';
import { parseTargetUrl, type TargetUrl } from './target-url.ts';

const nobody = ownEndpoints(() => []);
const loopback = networkSet(['127.0.0.0/8', '::1']);

/** An agent that may go to loopback; closed by `using`. */
export function makeAgent(
  options: Partial<AgentOptions> = {},
  guard: Partial<TargetGuard> = {},
): GuardedAgent & Disposable {
  const agent = new GuardedAgent({
    guard: { allowed: loopback, own: nobody, resolve: async () => [], ...guard },
    clock: systemClock,
    ...options,
  });
  return Object.assign(agent, { [Symbol.dispose]: () => agent.close() });
}

export function attempt(agent: GuardedAgent, url: string, timeoutMs = 5000, signal?: AbortSignal): Promise<Outcome> {
  const parsed = parseTargetUrl(url);
  assert.ok(parsed.ok, url);
  return deliver(agent, parsed.target, timeoutMs, signal);
}

export function deliver(
  agent: GuardedAgent,
  target: TargetUrl,
  timeoutMs = 5000,
  signal = new AbortController().signal,
): Promise<Outcome> {
  const query = target.ownQuery === '' ? 'mobile=1' : `${target.ownQuery}&mobile=1`;
  return attemptDelivery(
    agent,
    { target, query, headers: { 'webhook-id': 'w1' } },
    { timeoutMs, signal, clock: systemClock },
  );
}

/** All of an outcome but its duration. */
export function facts({ ms: _, ...rest }: Outcome) {
  return rest;
}
