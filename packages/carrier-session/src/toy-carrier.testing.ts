import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { acceptSessions, type ListenerOptions, type SessionListener } from './accept-sessions.ts';
import { Link, type LinkOptions, type LinkState, type LinkStatus } from './link.ts';
import { defaultLimits } from './session-options.ts';
import { type ToyPdu, toyPdu, toyProtocol } from './toy-protocol.testing.ts';
import { echo } from './toy-session.testing.ts';

const clock = { now: () => performance.now() };

/** A carrier of the toy protocol that takes binds with the text `secret`. Closed after the test. */
export async function toyCarrier(
  t: TestContext,
  settings: Partial<ListenerOptions<ToyPdu>> = {},
): Promise<SessionListener<ToyPdu>> {
  const listener = await acceptSessions<ToyPdu>({
    protocol: toyProtocol,
    clock,
    limits: defaultLimits,
    listen: { host: '127.0.0.1', port: 0 },
    tls: undefined,
    mostConnections: 10,
    bindLimitMs: 5000,
    eventsFor: (session) => ({
      async onRequest(request) {
        if (request.kind !== 'bind') return echo(request);
        if (request.text !== 'secret') return toyPdu('bindResponse', request.sequence, 'wrong password');
        session().markBound();
        return toyPdu('bindResponse', request.sequence);
      },
    }),
    ...settings,
  });
  t.after(() => listener.close(0));
  return listener;
}

/** A link to it. It runs from `start` on until the test has ended. */
export function toyLink(t: TestContext, port: number, settings: Partial<LinkOptions<ToyPdu>> = {}) {
  const stop = new AbortController();
  let running = Promise.resolve();
  // Timers that are cleared after the test would meet the mock of the next one.
  t.after(async () => {
    link.session?.destroy();
    stop.abort();
    await running;
  });
  const changes = new EventTarget();
  const seen: LinkStatus[] = [];
  const link = new Link<ToyPdu>({
    protocol: toyProtocol,
    clock,
    limits: defaultLimits,
    events: { onRequest: echo },
    target: { host: '127.0.0.1', port, tls: undefined },
    connectTimeoutMs: 5000,
    drainLimitMs: 1000,
    bindRequest: (sequence) => toyPdu('bind', sequence, 'secret'),
    judgeBind: ({ text }) => (text === '' ? { kind: 'bound' } : { kind: 'refused', code: 14, words: text }),
    random: () => 0.5,
    onStatus: (status) => {
      seen.push(status);
      changes.dispatchEvent(new Event('change'));
    },
    ...settings,
  });
  return {
    link,
    seen,
    start() {
      running = link.run(stop.signal);
    },
    async stop() {
      stop.abort();
      await running;
    },
    async reaches(state: LinkState): Promise<LinkStatus> {
      while (link.status.state !== state) await once(changes, 'change');
      return link.status;
    },
  };
}
