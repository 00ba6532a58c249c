/** Where all connections of a simulated carrier meet: it takes their submits, and hands out what follows from them. */
import type { SessionPdu } from '@waxwing/carrier-session/session-protocol.ts';
import { DelayedActs } from './delayed-acts.ts';
import { HandoverQueue } from './handover-queue.ts';
import { RateWindow } from './rate-window.ts';
import { drawnMs } from './seeded-random.ts';
import { noDeeds, type SmscDeeds } from './smsc-counts.ts';
import type { SmscDialect, TakenSubmit } from './smsc-dialect.ts';
import type { Behaviour, ReceiptPlan, SmscScript } from './smsc-script.ts';

export interface SmscClock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonic(): number;
}

export interface DeskNeeds<P extends SessionPdu> {
  readonly dialect: SmscDialect<P>;
  readonly script: SmscScript;
  readonly clock: SmscClock;
  /** From 0 to 1. */
  readonly random: () => number;
  /** How many receipts and replies may wait for their time, or for an acknowledgement. */
  readonly mostWaiting: number;
  /** How many of them may wait for it on one connection. */
  readonly window: number;
  /** One sentence for the person who runs it. */
  readonly onTrouble: (sentence: string) => void;
}

export class SubmitDesk<P extends SessionPdu> {
  readonly counts: SmscDeeds = noDeeds();
  readonly delayed: DelayedActs;
  readonly queue: HandoverQueue<P>;
  readonly dialect: SmscDialect<P>;
  readonly script: SmscScript;
  readonly random: () => number;
  readonly #needs: DeskNeeds<P>;
  readonly #rate: RateWindow;
  /** What waits for its time, and is not in the queue yet. */
  #planned = 0;
  #isFull = false;
  /** What happens as soon as the answers of this turn of the event loop are written. */
  #soon: (() => void)[] = [];

  constructor(needs: DeskNeeds<P>) {
    const { dialect, script, clock, random, window, onTrouble } = needs;
    this.dialect = dialect;
    this.script = script;
    this.random = random;
    this.#needs = needs;
    this.#rate = new RateWindow(script.rate);
    this.delayed = new DelayedActs(() => clock.monotonic());
    this.queue = new HandoverQueue({
      counts: this.counts,
      delayed: this.delayed,
      window,
      isAcknowledged: (response) => dialect.isAcknowledged(response),
      onUnwritable: (error) => onTrouble(`A receipt or reply cannot be written: ${wordsOf(error)}`),
    });
  }

  /** Receipts and replies that were promised, and not acknowledged yet. */
  get waiting(): number {
    return this.queue.waiting + this.#planned;
  }

  /** Whether one more submit is within the rate of the script. */
  takeRate(): boolean {
    return this.#rate.take(this.#needs.clock.monotonic());
  }

  /** Whether it can promise more. Says so once when it cannot any more. */
  get hasRoom(): boolean {
    const { mostWaiting, onTrouble } = this.#needs;
    if (this.waiting < mostWaiting) {
      if (this.waiting < mostWaiting / 2) this.#isFull = false;
      return true;
    }
    if (!this.#isFull) {
      this.#isFull = true;
      onTrouble(
        `${mostWaiting} receipts and replies wait for a client that acknowledges them. ` +
          'Submits are refused as too many until then.',
      );
    }
    return false;
  }

  /** Gives a message its id, and plans what follows. @param answerMs until its answer */
  take(submit: P, behaviour: Behaviour, answerMs: number): TakenSubmit<P> {
    const taken = this.dialect.take(submit, this.#needs.clock.now());
    for (const plan of behaviour.receipts) {
      if (plan.isBeforeAnswer) this.#addReceipts(taken, plan);
      else this.#plan(answerMs + drawnMs(plan.after, this.random), () => this.#addReceipts(taken, plan));
    }
    for (const plan of behaviour.replies) {
      // Drawn now: what is drawn later would depend on the moment, and not on the seed alone.
      const [afterMs, segments] = [drawnMs(plan.after, this.random), taken.replies(plan, this.random)];
      this.#plan(answerMs + afterMs, () => {
        for (const pdu of segments) this.#add(pdu, 'replies');
      });
    }
    return taken;
  }

  #addReceipts(taken: TakenSubmit<P>, plan: ReceiptPlan): void {
    for (const pdu of taken.receipts(plan, this.#needs.clock.now())) this.#add(pdu, 'receipts');
  }

  #add(pdu: P, kind: 'receipts' | 'replies'): void {
    this.counts[kind] += 1;
    this.queue.add(pdu);
  }

  #plan(afterMs: number, act: () => void): void {
    this.#planned += 1;
    const due = () => {
      this.#planned -= 1;
      act();
    };
    if (afterMs > 0) this.delayed.add(afterMs, () => this.#doSoon(due));
    else this.#doSoon(due);
  }

  /** An answer that is given now is written when the promises of this turn have settled. */
  #doSoon(act: () => void): void {
    if (this.#soon.length === 0) setImmediate(() => this.#doAll());
    this.#soon.push(act);
  }

  #doAll(): void {
    const acts = this.#soon;
    this.#soon = [];
    for (const act of acts) act();
  }
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
