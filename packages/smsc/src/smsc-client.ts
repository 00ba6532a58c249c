import type { Session } from '@waxwing/carrier-session/session.ts';
import type { SessionPdu } from '@waxwing/carrier-session/session-protocol.ts';
import { chooseBehaviour } from './choose-behaviour.ts';
import { drawnMs } from './seeded-random.ts';
import type { ClientRole, SubmitRefusal } from './smsc-dialect.ts';
import type { Behaviour } from './smsc-script.ts';
import type { SubmitDesk } from './submit-desk.ts';

/** For the client to close the connection after a refused bind. */
const refusedLimitMs = 1000;

/** One connection of a client, and what the carrier does with its requests. */
export class SmscClient<P extends SessionPdu> {
  readonly #desk: SubmitDesk<P>;
  readonly #session: () => Session<P>;
  #role: ClientRole | undefined;
  #submits = 0;
  #isHalfOpen = false;

  constructor(desk: SubmitDesk<P>, session: () => Session<P>) {
    this.#desk = desk;
    this.#session = session;
  }

  /** @returns the answer. Undefined: none. A half-open connection keeps its requests until it ends. */
  async handle(request: P): Promise<P | undefined> {
    if (this.#isHalfOpen) return this.#silence();
    const { dialect } = this.#desk;
    const own = dialect.protocol.ownAnswer(request);
    if (own !== undefined) return own;
    const read = dialect.readRequest(request);
    switch (read.kind) {
      case 'bind':
        return this.#bind(request);
      case 'submit':
        return this.#submit(request, read.destination);
      case 'other':
        return read.answer;
    }
  }

  #bind(request: P): P {
    const { dialect, counts, queue } = this.#desk;
    if (this.#role !== undefined) return dialect.refuseBind(request);
    const verdict = dialect.judgeBind(request);
    if (!verdict.isTaken) {
      counts.refused_binds += 1;
      // After the answer: one connection must not be good for many guesses.
      setImmediate(() => void this.#session().drain(refusedLimitMs));
      return verdict.answer;
    }
    counts.binds += 1;
    this.#role = verdict.role;
    this.#session().markBound();
    // What waits must not overtake the answer.
    if (verdict.role.receives) setImmediate(() => queue.addLane(this.#session()));
    return verdict.answer;
  }

  async #submit(request: P, destination: string): Promise<P | undefined> {
    const { script, counts, random } = this.#desk;
    if (this.#role?.submits !== true) return this.#refuse(request, { kind: 'not-bound' });
    counts.submits += 1;
    this.#submits += 1;
    if (this.#submits > (script.disconnectAfter ?? Number.POSITIVE_INFINITY)) return this.#disconnect();
    if (this.#submits > (script.halfOpenAfter ?? Number.POSITIVE_INFINITY)) return this.#fallSilent();
    if (!this.#desk.takeRate()) return this.#refuse(request, { kind: 'throttled' });
    return this.#behave(request, chooseBehaviour(script, destination, random));
  }

  #behave(request: P, behaviour: Behaviour): P | undefined | Promise<P | undefined> {
    const { answer } = behaviour;
    switch (answer.kind) {
      case 'accept':
        return this.#accept(request, behaviour, true);
      case 'lost':
        return this.#accept(request, behaviour, false);
      case 'none':
        this.#desk.counts.unanswered += 1;
        return undefined;
      case 'refuse':
        return this.#afterDelay(behaviour, () => this.#refuse(request, answer));
      case 'disconnect':
        return this.#disconnect();
      case 'half-open':
        return this.#fallSilent();
    }
  }

  #accept(request: P, behaviour: Behaviour, isAnswered: boolean): P | undefined | Promise<P | undefined> {
    const desk = this.#desk;
    if (!desk.hasRoom) return this.#refuse(request, { kind: 'full' });
    const answerMs = drawnMs(behaviour.answerAfter, desk.random);
    const { answer } = desk.take(request, behaviour, answerMs);
    desk.counts.accepted += 1;
    if (!isAnswered) desk.counts.unanswered += 1;
    const given = isAnswered ? answer : undefined;
    return answerMs === 0 ? given : this.#after(answerMs, () => given);
  }

  #refuse(request: P, refusal: SubmitRefusal): P {
    const { counts, dialect } = this.#desk;
    counts[isThrottling(refusal) ? 'throttled' : 'refused'] += 1;
    return dialect.refuse(request, refusal);
  }

  #afterDelay({ answerAfter }: Behaviour, answer: () => P): P | Promise<P> {
    const ms = drawnMs(answerAfter, this.#desk.random);
    return ms === 0 ? answer() : this.#after(ms, answer);
  }

  #after<Answer>(ms: number, answer: () => Answer): Promise<Answer> {
    return new Promise((resolve) => this.#desk.delayed.add(ms, () => resolve(answer())));
  }

  #disconnect(): undefined {
    this.#desk.counts.unanswered += 1;
    this.#session().destroy();
  }

  #fallSilent(): Promise<undefined> {
    this.#desk.counts.unanswered += 1;
    this.#isHalfOpen = true;
    this.#desk.queue.removeLane(this.#session());
    return this.#silence();
  }

  /** While many requests are kept, the session stops reading. */
  async #silence(): Promise<undefined> {
    await this.#session().ended;
  }
}

function isThrottling(refusal: SubmitRefusal): boolean {
  return refusal.kind === 'refuse' ? refusal.isThrottling : refusal.kind !== 'not-bound';
}
