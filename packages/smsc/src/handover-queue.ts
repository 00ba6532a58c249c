/**
 * What a carrier hands to its client: receipts and replies, in order, until the client has acknowledged each. They
 * survive the end of a connection, and go to whichever connection the client binds next.
 */
import type { Session } from '@waxwing/carrier-session/session.ts';
import type { Outcome } from '@waxwing/carrier-session/session-outcome.ts';
import type { SessionPdu } from '@waxwing/carrier-session/session-protocol.ts';
import type { DelayedActs } from './delayed-acts.ts';
import type { SmscDeeds } from './smsc-counts.ts';

interface Handover<P extends SessionPdu> {
  /** Its place in the order. */
  readonly number: number;
  /** Its sequence number is given when it is sent. */
  readonly pdu: P;
  refusals: number;
}

interface Lane<P extends SessionPdu> {
  readonly session: Session<P>;
  inFlight: number;
}

export interface HandoverNeeds<P extends SessionPdu> {
  readonly counts: SmscDeeds;
  readonly delayed: DelayedActs;
  readonly isAcknowledged: (response: P) => boolean;
  /** A receipt or reply that no PDU can carry. */
  readonly onUnwritable: (error: unknown) => void;
  /** How many may wait for their acknowledgement on one connection. */
  readonly window: number;
}

const firstRetryMs = 1000;
const longestRetryMs = 30_000;

export class HandoverQueue<P extends SessionPdu> {
  readonly #needs: HandoverNeeds<P>;
  readonly #lanes: Lane<P>[] = [];
  #turn = 0;
  #line: Handover<P>[] = [];
  /** Where the line begins: removing the first entry of a long array is slow. */
  #at = 0;
  /** Sent before, in their order. They go first. */
  readonly #again: Handover<P>[] = [];
  #number = 0;
  #waiting = 0;

  constructor(needs: HandoverNeeds<P>) {
    this.#needs = needs;
  }

  /** What is not acknowledged yet. */
  get waiting(): number {
    return this.#waiting;
  }

  add(pdu: P): void {
    this.#number += 1;
    this.#waiting += 1;
    this.#line.push({ number: this.#number, pdu, refusals: 0 });
    this.#advance();
  }

  /** From now on things go to this session, too, until `removeLane` or its end. */
  addLane(session: Session<P>): void {
    this.#lanes.push({ session, inFlight: 0 });
    this.#advance();
    void session.ended.then(() => this.removeLane(session));
  }

  removeLane(session: Session<P>): void {
    const index = this.#lanes.findIndex((lane) => lane.session === session);
    if (index >= 0) this.#lanes.splice(index, 1);
  }

  #advance(): void {
    while (this.#again.length > 0 || this.#at < this.#line.length) {
      const lane = this.#freeLane();
      if (lane === undefined) return;
      this.#send(lane, this.#next());
    }
  }

  #freeLane(): Lane<P> | undefined {
    for (let tried = 0; tried < this.#lanes.length; tried++) {
      this.#turn = (this.#turn + 1) % this.#lanes.length;
      const lane = this.#lanes[this.#turn];
      if (lane?.session.isOpen === true && lane.inFlight < this.#needs.window) return lane;
    }
    return undefined;
  }

  #next(): Handover<P> {
    const next = this.#again.shift() ?? this.#line[this.#at++];
    if (this.#at > 1000 && this.#at * 2 > this.#line.length) {
      this.#line = this.#line.slice(this.#at);
      this.#at = 0;
    }
    return next as Handover<P>;
  }

  #send(lane: Lane<P>, handover: Handover<P>): void {
    lane.inFlight += 1;
    void lane.session
      .submit((sequence) => ({ ...handover.pdu, sequence }))
      .then((outcome) => {
        lane.inFlight -= 1;
        this.#settle(handover, outcome);
        this.#advance();
      });
  }

  #settle(handover: Handover<P>, outcome: Outcome<P>): void {
    const { counts, delayed, isAcknowledged, onUnwritable } = this.#needs;
    if (outcome.kind === 'answered' && isAcknowledged(outcome.response)) {
      counts.acknowledged += 1;
      this.#waiting -= 1;
    } else if (outcome.kind === 'not-sent' && outcome.why === 'cannot-encode') {
      this.#waiting -= 1;
      onUnwritable(outcome.error);
    } else if (outcome.kind === 'answered') {
      counts.resent += 1;
      delayed.add(retryMs(handover.refusals), () => this.#sendAgain(handover));
      handover.refusals += 1;
    } else {
      if (outcome.kind === 'unanswered') counts.resent += 1;
      this.#putBack(handover);
    }
  }

  #sendAgain(handover: Handover<P>): void {
    this.#putBack(handover);
    this.#advance();
  }

  #putBack(handover: Handover<P>): void {
    const before = this.#again.findLastIndex(({ number }) => number < handover.number);
    this.#again.splice(before + 1, 0, handover);
  }
}

function retryMs(refusals: number): number {
  return Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(refusals, 10));
}
