/** Tries the settings of a carrier over a connection of its own, whatever its link does meanwhile. */
import { wordsForConnectFault } from '@waxwing/carrier-session/connection-words.ts';
import { openConnection } from '@waxwing/carrier-session/open-connection.ts';
import { Session } from '@waxwing/carrier-session/session.ts';
import type { Outcome } from '@waxwing/carrier-session/session-outcome.ts';
import type { SessionPdu } from '@waxwing/carrier-session/session-protocol.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { PartToSubmit } from '../carrier.ts';
import type { CarrierDialect } from './carrier-dialect.ts';
import type { LinkPlan } from './link-plan.ts';

export interface LinkTest {
  /** What worked, in this order, with how long each took. */
  readonly steps: readonly { readonly name: LinkTestStep; readonly ms: number }[];
  /** Why the next step did not. Undefined: all of them did. */
  readonly error: string | undefined;
  /** What the carrier calls the message that was sent. */
  readonly messageId: string | undefined;
}

export type LinkTestStep = 'connect' | 'bind' | 'enquire' | 'active-test' | 'submit';

interface LinkTestNeeds<P extends SessionPdu> {
  readonly plan: LinkPlan;
  readonly dialect: CarrierDialect<P>;
  readonly clock: Clock;
}

/** For the farewell. */
const drainLimitMs = 1_000;

/** @param message sent if it is given. Its receipts come to the carrier's own link, and are nobody's. */
export async function testLink<P extends SessionPdu>(
  { plan, dialect, clock }: LinkTestNeeds<P>,
  message: PartToSubmit | undefined,
  signal: AbortSignal,
): Promise<LinkTest> {
  const steps: { name: LinkTestStep; ms: number }[] = [];
  let messageId: string | undefined;
  let session: Session<P> | undefined;

  async function step<T>(name: LinkTestStep, work: Promise<T>): Promise<T> {
    const began = clock.monotonic();
    const result = await work;
    steps.push({ name, ms: Math.round(clock.monotonic() - began) });
    return result;
  }

  async function connect(): Promise<Session<P>> {
    const { target, limits } = plan;
    try {
      const stream = await openConnection(target, limits.responseTimeoutMs, signal);
      // Another connection of the account may bring receipts. Without an answer the carrier sends them again.
      const events = { onRequest: async (request: P) => dialect.answerInbound(request, 'not-now') };
      const ownClock = { now: () => clock.monotonic() };
      return new Session<P>(stream, { protocol: dialect.protocol, clock: ownClock, limits, events });
    } catch (error) {
      throw new TestFault(wordsForConnectFault(error));
    }
  }

  async function bind(open: Session<P>): Promise<void> {
    const role = plan.settings.bind === 'pair' ? 'transmitter' : 'both';
    const outcome = await open.submit((sequence) => dialect.bindRequest(role, sequence, clock.now()));
    const judgement = dialect.judgeBind(answerOf(outcome, 'the bind'));
    if (judgement.kind === 'refused') throw new TestFault(`the carrier refused the bind: ${judgement.words}`);
    open.markBound();
  }

  async function submit(open: Session<P>, part: PartToSubmit): Promise<void> {
    for (const request of dialect.submitRequests(part)) {
      const { result } = dialect.readSubmitAnswer(answerOf(await open.submit(request), 'the message'));
      if (result.kind !== 'accepted') {
        throw new TestFault(`the carrier refused the message: ${'reason' in result ? result.reason : result.kind}`);
      }
      messageId = result.carrierMessageId;
    }
  }

  try {
    const open = await step('connect', connect());
    session = open;
    signal.addEventListener('abort', () => open.destroy(), { once: true });
    await step('bind', bind(open));
    const keepAlive = dialect.protocol.name === 'smpp' ? 'enquire' : 'active-test';
    await step(
      keepAlive,
      open.tryConnection().then((outcome) => answerOf(outcome, keepAlive)),
    );
    if (message !== undefined) await step('submit', submit(open, message));
    return { steps, error: undefined, messageId };
  } catch (error) {
    return { steps, error: error instanceof Error ? error.message : String(error), messageId };
  } finally {
    await session?.drain(drainLimitMs);
  }
}

class TestFault extends Error {
  override readonly name = 'TestFault';
}

function answerOf<P extends SessionPdu>(outcome: Outcome<P>, what: string): P {
  if (outcome.kind === 'answered') return outcome.response;
  if (outcome.why === 'cannot-encode') throw outcome.error;
  throw new TestFault(
    outcome.why === 'time-out' ? `no answer to ${what} in time` : `no answer to ${what}: ${outcome.why}`,
  );
}
