import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { TestContext } from 'node:test';
import { type LinkTls, openConnection } from '@waxwing/carrier-session/open-connection.ts';
import { Session } from '@waxwing/carrier-session/session.ts';
import { defaultLimits, type SessionLimits } from '@waxwing/carrier-session/session-options.ts';
import type { Outcome } from '@waxwing/carrier-session/session-outcome.ts';
import type { SessionPdu, SessionProtocol } from '@waxwing/carrier-session/session-protocol.ts';

export interface TrialClientOptions<P> {
  readonly tls?: LinkTls;
  readonly limits?: Partial<SessionLimits>;
  /** What is answered to a receipt or reply. Undefined: nothing. */
  readonly answer?: (request: P) => P | undefined;
}

/** A connection to a carrier. */
export interface TrialClient<P extends SessionPdu> {
  readonly session: Session<P>;
  /** Receipts and replies, as they came. */
  readonly received: readonly P[];
  /** `answer` for each response, `request` for each other PDU, as they came. */
  readonly order: readonly string[];
  /** The receipts and replies once there are so many. */
  receives(count: number): Promise<readonly P[]>;
  submit(build: (sequence: number) => P): Promise<Outcome<P>>;
  /** As `submit`, for a request that is answered. */
  ask(build: (sequence: number) => P): Promise<P>;
}

/** Connects, without a bind. Closed after the test. */
export async function trialClient<P extends SessionPdu>(
  t: TestContext,
  port: number,
  protocol: SessionProtocol<P>,
  { tls, limits, answer = () => undefined }: TrialClientOptions<P>,
): Promise<TrialClient<P>> {
  const target = { host: '127.0.0.1', port, tls };
  const stream = await openConnection(target, 5000, new AbortController().signal);
  const arrivals = new EventEmitter();
  const received: P[] = [];
  const order: string[] = [];
  const session = new Session<P>(stream, {
    protocol: {
      ...protocol,
      decode(octets) {
        const decoded = protocol.decode(octets);
        if (decoded.kind === 'pdu') order.push(protocol.isResponse(decoded.pdu) ? 'answer' : 'request');
        return decoded;
      },
    },
    clock: { now: () => performance.now() },
    limits: { ...defaultLimits, window: 500, ...limits },
    events: {
      async onRequest(request) {
        received.push(request);
        arrivals.emit('arrival');
        return answer(request);
      },
    },
  });
  t.after(() => session.destroy());
  return {
    session,
    received,
    order,
    submit: (build) => session.submit(build),
    async receives(count) {
      while (received.length < count) await once(arrivals, 'arrival');
      return received;
    },
    async ask(build) {
      const outcome = await session.submit(build);
      assert.ok(outcome.kind === 'answered', JSON.stringify(outcome));
      return outcome.response;
    },
  };
}
