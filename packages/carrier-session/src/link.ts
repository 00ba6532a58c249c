/**
 * A client's link to a carrier that lives: it connects, binds, and does so again with growing waits whenever the
 * connection is lost or the bind refused, until it is stopped.
 */
import { shownWords, wordsForConnectFault, wordsForEnd } from './connection-words.ts';
import { ConnectTimeout, type LinkTarget, openConnection } from './open-connection.ts';
import { heldLongEnoughMs, reconnectWaitMs } from './reconnect-wait.ts';
import { Session } from './session.ts';
import type { SessionOptions } from './session-options.ts';
import type { Outcome } from './session-outcome.ts';
import type { SessionPdu } from './session-protocol.ts';

export interface LinkOptions<P extends SessionPdu> extends SessionOptions<P> {
  readonly target: LinkTarget;
  readonly connectTimeoutMs: number;
  /** For draining when the link is stopped. */
  readonly drainLimitMs: number;
  /** Makes the request that opens a session. */
  readonly bindRequest: (sequence: number) => P;
  readonly judgeBind: (response: P) => BindJudgement;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly onStatus?: (status: LinkStatus) => void;
}

export type BindJudgement =
  | { readonly kind: 'bound' }
  /** @property words the carrier's own, or what its code means */
  | { readonly kind: 'refused'; readonly code: number; readonly words: string };

/** `refused` stays until an attempt ends in another way; `waiting`: until the next attempt. */
export type LinkState = 'connecting' | 'bound' | 'refused' | 'waiting' | 'closed';

export interface LinkStatus {
  readonly state: LinkState;
  /** By the clock of the link. */
  readonly since: number;
  /** Why the last attempt failed, or the last session ended. Kept while bound. */
  readonly lastError: string | undefined;
  /** Of the bind that was refused last. */
  readonly refusal: { readonly code: number; readonly words: string } | undefined;
}

export class Link<P extends SessionPdu> {
  readonly #options: LinkOptions<P>;
  #status: LinkStatus;
  #session: Session<P> | undefined;
  /** While there is no session. */
  #downSince: number | undefined;

  constructor(options: LinkOptions<P>) {
    this.#options = options;
    const since = options.clock.now();
    this.#status = { state: 'connecting', since, lastError: undefined, refusal: undefined };
    this.#downSince = since;
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** The session while it is bound and takes submits. */
  get session(): Session<P> | undefined {
    return this.#session?.isOpen === true ? this.#session : undefined;
  }

  /** Since when it cannot submit, by its clock. Undefined while it can. */
  get downSince(): number | undefined {
    return this.#session === undefined ? this.#downSince : this.#session.endingSince;
  }

  /** As `Session.submit`. Without a session nothing is sent. */
  submit(build: (sequence: number) => P): Promise<Outcome<P>> {
    return this.session?.submit(build) ?? Promise.resolve({ kind: 'not-sent', why: 'session-ended' });
  }

  /** Keeps the link until the signal is aborted, then drains it. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    for (let failures = 1; !signal.aborted; failures += 1) {
      const boundAt = await this.#attempt(signal);
      if (boundAt !== undefined && clock.now() - boundAt >= heldLongEnoughMs) failures = 1;
      await waitFor(reconnectWaitMs(failures, random()), signal);
    }
    this.#change({ state: 'closed' });
  }

  /** One connection from its beginning to its end. @returns when it was bound, if it was */
  async #attempt(signal: AbortSignal): Promise<number | undefined> {
    if (this.#status.state !== 'refused') this.#change({ state: 'connecting' });
    const session = await this.#open(signal);
    if (session === undefined) return undefined;
    const forget = onAbort(signal, () => session.destroy());
    const isBound = await this.#bind(session, signal);
    forget();
    return isBound ? this.#hold(session, signal) : undefined;
  }

  async #open(signal: AbortSignal): Promise<Session<P> | undefined> {
    const { target, connectTimeoutMs } = this.#options;
    try {
      return new Session(await openConnection(target, connectTimeoutMs, signal), this.#options);
    } catch (error) {
      const isLate = error instanceof ConnectTimeout;
      if (!signal.aborted) {
        this.#fail(isLate ? `no connection within ${connectTimeoutMs} ms` : wordsForConnectFault(error));
      }
      return undefined;
    }
  }

  async #bind(session: Session<P>, signal: AbortSignal): Promise<boolean> {
    const outcome = await session.submit(this.#options.bindRequest);
    if (signal.aborted) return false;
    if (outcome.kind !== 'answered') {
      session.destroy();
      this.#fail(wordsForBindFault(outcome, wordsForEnd(await session.ended)));
      return false;
    }
    const judgement = this.#options.judgeBind(outcome.response);
    if (judgement.kind === 'bound') return true;
    session.destroy();
    const refusal = { code: judgement.code, words: shownWords(judgement.words) };
    this.#change({ state: 'refused', refusal, lastError: `the carrier refused the bind: ${refusal.words}` });
    return false;
  }

  async #hold(session: Session<P>, signal: AbortSignal): Promise<number> {
    const { clock, drainLimitMs } = this.#options;
    session.markBound();
    this.#session = session;
    const boundAt = clock.now();
    this.#change({ state: 'bound', refusal: undefined });
    const forget = onAbort(signal, () => void session.drain(drainLimitMs));
    const end = await session.ended;
    forget();
    this.#session = undefined;
    this.#downSince = session.endingSince;
    if (!signal.aborted) this.#fail(wordsForEnd(end));
    return boundAt;
  }

  #fail(lastError: string): void {
    this.#change({ state: 'waiting', lastError });
  }

  #change(change: Partial<LinkStatus> & Pick<LinkStatus, 'state'>): void {
    const since = change.state === this.#status.state ? this.#status.since : this.#options.clock.now();
    this.#status = { ...this.#status, ...change, since };
    this.#options.onStatus?.(this.#status);
  }
}

/** @param end why the session ended */
function wordsForBindFault(outcome: Exclude<Outcome<SessionPdu>, { kind: 'answered' }>, end: string): string {
  if (outcome.why === 'cannot-encode') return 'the settings of the link do not fit into a bind';
  if (outcome.why === 'time-out') return 'the carrier did not answer the bind';
  if (outcome.why === 'malformed-response') return 'the answer to the bind is malformed';
  return `no answer to the bind: ${end}`;
}

/** Waits, or ends early when the signal is aborted. */
async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const forget = onAbort(signal, resolve);
  await promise;
  clearTimeout(timer);
  forget();
}

/** Calls this when the signal is aborted, or now if it is. @returns takes the call back */
function onAbort(signal: AbortSignal, act: () => void): () => void {
  signal.addEventListener('abort', act, { once: true });
  if (signal.aborted) act();
  return () => signal.removeEventListener('abort', act);
}
