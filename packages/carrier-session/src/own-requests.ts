import type { Outcome } from './session-outcome.ts';
import type { SessionPdu } from './session-protocol.ts';

/** A request of ours that waits for its response. */
export interface OwnRequest<P extends SessionPdu> {
  readonly request: P;
  /** By the clock of the session. */
  readonly writtenAt: number;
  /** Keep-alives and farewells do not: they must go out when the window is full. */
  readonly countsForWindow: boolean;
  readonly settle: (outcome: Outcome<P>) => void;
}

/** The requests of a session that wait for their responses, the oldest first, and the numbers of the next ones. */
export class OwnRequests<P extends SessionPdu> {
  readonly #lastSequence: number;
  readonly #waiting = new Map<number, OwnRequest<P>>();
  #sequence = 0;
  #windowUsed = 0;

  /** @param lastSequence more than can ever wait */
  constructor(lastSequence: number) {
    this.#lastSequence = lastSequence;
  }

  get windowUsed(): number {
    return this.#windowUsed;
  }

  get oldest(): OwnRequest<P> | undefined {
    return this.#waiting.values().next().value;
  }

  /** From 1 up, and from 1 again after the last one. Numbers of requests that wait are passed over. */
  nextSequence(): number {
    do this.#sequence = this.#sequence >= this.#lastSequence ? 1 : this.#sequence + 1;
    while (this.#waiting.has(this.#sequence));
    return this.#sequence;
  }

  add(own: OwnRequest<P>): void {
    this.#waiting.set(own.request.sequence, own);
    if (own.countsForWindow) this.#windowUsed += 1;
  }

  /** Removes the request of this number if it passes. */
  take(sequence: number, passes: (request: P) => boolean = () => true): OwnRequest<P> | undefined {
    const own = this.#waiting.get(sequence);
    if (own === undefined || !passes(own.request)) return undefined;
    this.#waiting.delete(sequence);
    if (own.countsForWindow) this.#windowUsed -= 1;
    return own;
  }

  /** Removes the requests written at this time or before. */
  takeWrittenUntil(time: number): readonly OwnRequest<P>[] {
    const taken: OwnRequest<P>[] = [];
    for (const own of this.#waiting.values()) {
      if (own.writtenAt > time) break;
      taken.push(own);
    }
    for (const { request } of taken) this.take(request.sequence);
    return taken;
  }
}
