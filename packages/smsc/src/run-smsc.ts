/** A carrier for trials: it takes the submits of clients, and answers and reports them as a script says. */
import { acceptSessions, type ListenerTls } from '@waxwing/carrier-session/accept-sessions.ts';
import type { SessionLimits } from '@waxwing/carrier-session/session-options.ts';
import type { SessionPdu, SessionProtocol } from '@waxwing/carrier-session/session-protocol.ts';
import { cmpp2, cmpp3 } from '@waxwing/cmpp/cmpp-version.ts';
import { seededRandom } from './seeded-random.ts';
import { cmppDialect } from './simulated-cmpp.ts';
import { smppDialect } from './simulated-smpp.ts';
import { SmscClient } from './smsc-client.ts';
import type { SmscCounts } from './smsc-counts.ts';
import type { SmscAccount, SmscDialect } from './smsc-dialect.ts';
import type { SmscProtocolName } from './smsc-protocol.ts';
import type { SmscScript } from './smsc-script.ts';
import { type SmscClock, SubmitDesk, wordsOf } from './submit-desk.ts';

export interface SmscOptions {
  readonly protocol: SmscProtocolName;
  /** Port 0: any free one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly account: SmscAccount;
  readonly script: SmscScript;
  /** The files that `script.tls` names. */
  readonly tls: ListenerTls | undefined;
  /** The same seed and the same submits have the same outcomes. */
  readonly seed: string;
  readonly clock: SmscClock;
  readonly limits: SmscLimits;
  /** One sentence for the person who runs it. */
  readonly onTrouble: (sentence: string) => void;
}

export interface SmscLimits extends SessionLimits {
  readonly mostConnections: number;
  readonly bindLimitMs: number;
  /** Receipts and replies that may wait for their time, or for an acknowledgement. */
  readonly mostWaiting: number;
}

/** More inbound requests than the largest window of a client, so that two full windows cannot block each other. */
export const smscLimits: SmscLimits = {
  window: 100,
  responseTimeoutMs: 10_000,
  keepAliveMs: 30_000,
  inbound: 1000,
  mostConnections: 256,
  bindLimitMs: 10_000,
  mostWaiting: 100_000,
};

export interface Smsc {
  readonly port: number;
  counts(): SmscCounts;
  /** Ends the sessions in order. @param limitMs for each */
  close(limitMs: number): Promise<void>;
}

/** @throws Error of the system, such as EADDRINUSE, or of TLS */
export function startSmsc(options: SmscOptions): Promise<Smsc> {
  const { protocol, account, script, clock } = options;
  switch (protocol) {
    case 'smpp':
      return start(smppDialect(account, script.messageIds, clock.now()), options);
    case 'cmpp2':
      return start(cmppDialect(account, cmpp2), options);
    case 'cmpp3':
      return start(cmppDialect(account, cmpp3), options);
  }
}

async function start<P extends SessionPdu>(dialect: SmscDialect<P>, options: SmscOptions): Promise<Smsc> {
  const { script, clock, seed, limits, onTrouble, listen, tls } = options;
  const { mostConnections, bindLimitMs, mostWaiting, window } = limits;
  const desk = new SubmitDesk({ dialect, script, clock, random: seededRandom(seed), mostWaiting, window, onTrouble });
  const listener = await acceptSessions<P>({
    protocol: withoutOwnAnswers(dialect.protocol),
    clock: { now: () => clock.monotonic() },
    limits,
    listen,
    tls,
    mostConnections,
    bindLimitMs,
    eventsFor(session) {
      const client = new SmscClient(desk, session);
      return {
        onRequest: (request) => client.handle(request),
        onMalformed() {
          desk.counts.malformed += 1;
        },
        onRequestFailed: (error) => onTrouble(`A request was not answered: ${wordsOf(error)}`),
      };
    },
  });
  return {
    port: listener.port,
    counts: () => ({ ...desk.counts, waiting: desk.waiting }),
    async close(limitMs) {
      await listener.close(limitMs);
      desk.delayed.stop();
    },
  };
}

/** A half-open connection does not answer keep-alives either, so `SmscClient` gives these answers. */
function withoutOwnAnswers<P extends SessionPdu>(protocol: SessionProtocol<P>): SessionProtocol<P> {
  return { ...protocol, ownAnswer: () => undefined };
}
