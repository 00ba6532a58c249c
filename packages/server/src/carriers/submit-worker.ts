import { afterRateEvent, nextSubmitAt, openRate } from '@waxwing/carrier-session/submit-rate.ts';
import type { Ground } from '../audit/ground.ts';
import { isUnavailable, unlessUnavailable } from '../database/database.ts';
import {
  type Deliveries,
  mostUnanswered,
  type NextCarrier,
  type PartEvent,
  type PartQueue,
  type QueuedPart,
} from '../messages/delivery/part-queue.ts';
import { rejected, undelivered } from '../messages/state/message-state.ts';
import { BatcherFull } from '../runtime/batcher.ts';
import type { Worker } from '../runtime/supervisor.ts';
import type { Carrier, PartToSubmit, SubmitResult } from './carrier.ts';
import { fullPace, isResting, nextPace, type SubmitPace } from './submit-pace.ts';
import { longestWaitMs, nextSubmitStep } from './submit-result.ts';

export interface SubmitWorkerNeeds extends Pick<Ground, 'clock' | 'wait'> {
  readonly carrier: Carrier;
  readonly queue: PartQueue;
  readonly deliveries: Pick<Deliveries, 'apply'>;
  /** Whether this server may use the carrier now. Asked before each submit. */
  readonly holds: () => boolean;
  /** Whether the carrier is to take parts. Asked four times a second. */
  readonly takesParts: () => Promise<boolean>;
  /** Hears whether the carrier is left in peace, because it refuses everything as temporary. */
  readonly onResting?: (carrierId: string, isResting: boolean) => void;
  /** Gives its waiting parts to other carriers. @returns how many parts found another carrier */
  readonly moveParts: () => Promise<number>;
  /** Another carrier for a part, that has not refused it for now. */
  readonly nextCarrier: (part: QueuedPart, refusedBy: readonly string[]) => Promise<NextCarrier | undefined>;
  /** From 0 to 1. */
  readonly random: () => number;
  /** How long a stop waits for answers to submits in flight, milliseconds; by default 1 s. */
  readonly answersMs?: number;
  readonly log: Record<'error' | 'warn', (fields: Record<string, unknown>, message: string) => void>;
  readonly onResult?: (carrierId: string, result: SubmitResult['kind']) => void;
}

const roundMs = 250;
const againMs = 1_000;
/** Parts that found no other carrier are looked at again after so long. */
const nothingMovedMs = 5_000;
const standardAnswersMs = 1_000;
const pullEveryMs = 60_000;
/** The allowed difference between servers' clocks. */
const clockSkewMs = 60_000;
/** The most results that wait for their commit. Beyond it, submits wait. */
const maxUnrecorded = 4_000;
/** The most submits in one turn of the loop. Fewer let receipts come in between and share the answers' commit. */
const submitsPerTurn = 16;

/**
 * Gives a carrier its waiting parts, and runs the carrier meanwhile. A part stays queued until its result is on disk. A
 * crash sends at most one window of texts twice, and loses none.
 */
export function createSubmitWorker(needs: SubmitWorkerNeeds): Worker {
  const { carrier, holds, wait } = needs;
  return {
    name: `submit ${carrier.id}`,
    async run(signal) {
      while (!signal.aborted) {
        if (!holds()) {
          await wait(roundMs, signal);
          continue;
        }
        const carrierEnd = new AbortController();
        const running = carrier.run(carrierEnd.signal).finally(() => carrierEnd.abort());
        // An error of the carrier is rethrown below, after the parts in flight have finished.
        running.catch(() => {});
        const noMore = AbortSignal.any([signal, carrierEnd.signal]);
        const state = { pace: fullPace };
        const isTaking = () => mayTake(needs, state);
        try {
          while (!noMore.aborted && holds()) {
            if (await isTaking()) {
              await submitWhileHeld(needs, { stopping: signal, noMore, state, endCarrier: () => carrierEnd.abort() });
            } else {
              await handOver(needs, isTaking, noMore);
            }
          }
        } finally {
          needs.onResting?.(carrier.id, false);
          carrierEnd.abort();
          await running;
        }
      }
    },
  };
}

interface PaceKept {
  pace: SubmitPace;
}

/** While the database is away, the carrier goes on as it was: there is nothing to read for it either. */
async function mayTake(needs: SubmitWorkerNeeds, { pace }: PaceKept): Promise<boolean> {
  const { carrier, takesParts, clock, onResting } = needs;
  const rests = isResting(pace, clock.monotonic());
  onResting?.(carrier.id, rests);
  let isTaking = true;
  const ask = async () => {
    isTaking = await takesParts();
  };
  await unlessUnavailable(ask());
  return isTaking && !rests;
}

/** Moves the carrier's parts to others, also parts accepted while it was switched off. */
async function handOver(
  needs: SubmitWorkerNeeds,
  isTaking: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const { holds, wait, clock } = needs;
  let nextMoveAt = clock.monotonic();
  const move = async () => {
    const moved = await needs.moveParts();
    nextMoveAt = clock.monotonic() + (moved === 0 ? nothingMovedMs : againMs);
  };
  // Looks often, because a link that is back is to be used at once.
  while (!signal.aborted && holds() && !(await isTaking())) {
    if (clock.monotonic() >= nextMoveAt) await unlessUnavailable(move());
    await wait(roundMs, signal);
  }
}

interface Run {
  readonly stopping: AbortSignal;
  /** Ends submitting: the server stops, or the carrier has ended. */
  readonly noMore: AbortSignal;
  readonly endCarrier: () => void;
  /** A carrier that rests has its parts handed over, and begins anew where its pace was. */
  readonly state: PaceKept;
}

async function submitWhileHeld(needs: SubmitWorkerNeeds, run: Run): Promise<void> {
  const { stopping, noMore, endCarrier, state } = run;
  const { carrier, queue, holds, clock, wait, log } = needs;
  const source = queue.open(carrier.id);
  const underWay = new Set<Promise<void>>();
  let rate = openRate(carrier.rate, clock.monotonic());
  let isWaitingForRate = false;
  let submitted = 0;
  let thisTurn = 0;
  let pulledAt = Number.NEGATIVE_INFINITY;
  let isTaking = true;
  let wake = () => {};
  const mayGo = () => !noMore.aborted && holds() && isTaking;
  const windowNow = () => (state.pace.failures > 0 ? Math.min(1, carrier.window) : carrier.window);

  /** Whether the rate allows a submit. If not, the parts go on when it does. */
  function isInRate(): boolean {
    const now = clock.monotonic();
    const at = nextSubmitAt(rate, now);
    if (at <= now) return true;
    if (!isWaitingForRate) {
      isWaitingForRate = true;
      void wait(at - now, noMore).then(() => {
        isWaitingForRate = false;
        pump();
      });
    }
    return false;
  }

  function pump(): void {
    while (
      submitted < windowNow() &&
      underWay.size < maxUnrecorded &&
      clock.monotonic() >= state.pace.pausedUntil &&
      thisTurn < submitsPerTurn &&
      mayGo() &&
      isInRate()
    ) {
      const part = source.next();
      if (part === undefined) break;
      countThisTurn();
      const done = handle(part).finally(() => {
        underWay.delete(done);
        pump();
      });
      underWay.add(done);
    }
    if (source.wantsFill) wake();
  }

  function countThisTurn(): void {
    if (thisTurn === 0) {
      setImmediate(() => {
        thisTurn = 0;
      });
    }
    thisTurn += 1;
    if (thisTurn === submitsPerTurn) setImmediate(pump);
  }

  async function handle(part: QueuedPart): Promise<void> {
    const isOver = clock.now() >= part.validUntil || part.unanswered >= carrier.mostUnanswered;
    const event = isOver ? expired(part, carrier) : await submit(part);
    if (event === undefined || (await isRecorded(needs, part, event, stopping))) source.release(part);
  }

  /** @returns undefined: it stays as it is in the queue */
  async function submit(part: QueuedPart): Promise<PartEvent | undefined> {
    submitted += 1;
    const sentAt = clock.monotonic();
    rate = afterRateEvent(rate, { kind: 'submitted' }, sentAt);
    if (carrier.mostUnanswered === 1 && !(await isRecorded(needs, part, underWayOnce(part, clock.now()), stopping))) {
      submitted -= 1;
      return undefined;
    }
    const result = await carrier.submit(toSubmit(part));
    submitted -= 1;
    const now = clock.monotonic();
    state.pace = nextPace(state.pace, result.kind, now);
    const isTooFast = result.kind === 'throttled' && result.partAlone !== true;
    if (isTooFast) rate = afterRateEvent(rate, { kind: 'throttled', sentAt }, now);
    if (result.kind === 'accepted' && result.congestion !== undefined) {
      rate = afterRateEvent(rate, { kind: 'congestion', level: result.congestion, sentAt }, now);
    }
    needs.onResult?.(carrier.id, result.kind);
    if (result.kind === 'unanswered') void recordLate(part, result.late);
    pump();
    return (await toOtherCarrier(part, result, needs)) ?? toEvent(part, result, needs);
  }

  /** A carrier that answers too late has taken the part all the same. Its receipts must find it, and it is not sent again. */
  async function recordLate(part: QueuedPart, late: Promise<string> | undefined): Promise<void> {
    if (late === undefined) return;
    await isRecorded(needs, part, takenBy(carrier, part, await late), stopping);
  }

  /** Moves parts forward whose wait is too long: a clock that was ahead wrote it. */
  async function pullForward(): Promise<void> {
    const began = clock.monotonic();
    if (began - pulledAt < pullEveryMs) return;
    const parts = await queue.pullForward(carrier.id, longestWaitMs + clockSkewMs);
    pulledAt = began;
    if (parts > 0)
      log.warn({ carrier: carrier.id, parts }, 'parts moved forward: a clock that was ahead had postponed them');
  }

  async function look(): Promise<void> {
    isTaking = await mayTake(needs, state);
    await pullForward();
    await source.fill();
  }

  source.onReady(pump);
  try {
    while (mayGo()) {
      if (!(await unlessUnavailable(look()))) await wait(againMs, noMore);
      pump();
      const sleeping = new AbortController();
      wake = () => sleeping.abort();
      const end = () => sleeping.abort();
      noMore.addEventListener('abort', end, { once: true });
      // An abort during the reading of the queue does not fire again.
      if (!noMore.aborted) await wait(roundMs, sleeping.signal);
      noMore.removeEventListener('abort', end);
    }
  } finally {
    // The carrier keeps its links until it has answered: an unheard acceptance would be sent again.
    await untilAnswered(underWay, needs);
    // A carrier that only hands over its parts keeps its links: it may take parts again, and receipts still come.
    if (noMore.aborted || !holds()) endCarrier();
    await Promise.all(underWay);
    source.close();
  }
}

async function untilAnswered(
  underWay: ReadonlySet<Promise<void>>,
  { wait, answersMs = standardAnswersMs }: SubmitWorkerNeeds,
): Promise<void> {
  if (underWay.size === 0 || answersMs === 0) return;
  const enough = new AbortController();
  await Promise.race([Promise.all(underWay), wait(answersMs, enough.signal)]);
  enough.abort();
}

/**
 * Records a result, trying until the database takes it. A value that no database can store is replaced; no receipt will
 * match.
 * @returns false when it could not be recorded: the part stays claimed, and is submitted again after a restart
 */
async function isRecorded(
  needs: SubmitWorkerNeeds,
  part: QueuedPart,
  event: PartEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const { deliveries, carrier, wait, log } = needs;
  for (;;) {
    try {
      await deliveries.apply(event);
      return true;
    } catch (error) {
      if (!isUnavailable(error) && !(error instanceof BatcherFull)) {
        log.error({ carrier: carrier.id, part: part.id, err: error }, 'a submit result cannot be stored');
        if (event.kind !== 'taken') return false;
        return isRecorded(needs, part, perhapsTaken(part, carrier), signal);
      }
      // A stopping server tries once, even after a late answer: an unrecorded text would be sent again.
      if (signal.aborted) return false;
      await wait(againMs, signal);
    }
  }
}

function toSubmit(part: QueuedPart): PartToSubmit {
  return {
    id: part.id,
    destination: part.number,
    sender: part.sender,
    encoding: part.encoding,
    text: part.text,
    concatenation:
      part.total === 1 ? undefined : { reference: referenceOf(part), total: part.total, sequence: part.ref.part + 1 },
    attempt: part.attempts + 1,
    validUntil: part.validUntil,
  };
}

/** The same for all parts of a message, and different for most messages to one number: the end of a random id. */
function referenceOf({ ref }: QueuedPart): number {
  return (Number.parseInt(ref.batchId.slice(-2), 16) + ref.position) & 0xff;
}

function toEvent(part: QueuedPart, result: SubmitResult, { carrier, clock, random }: SubmitWorkerNeeds): PartEvent {
  const attempts = part.attempts + 1;
  const unanswered = part.unanswered + (result.kind === 'unanswered' ? 1 : 0);
  const history = { attempts, unanswered, mostUnanswered: carrier.mostUnanswered, validUntil: part.validUntil };
  const step = nextSubmitStep(result, history, clock.now(), random());
  switch (step.kind) {
    case 'sent':
      return takenBy(carrier, part, step.carrierMessageId);
    case 'sent-perhaps':
      return perhapsTaken(part, carrier);
    case 'submit-again':
      return postponed(part, { dueAt: step.at, attempts, unanswered });
    case 'rejected':
      return {
        ...{ kind: 'ended', part: part.ref, verdict: rejected(step.memo) },
        refusedBy: { carrierId: carrier.id, simulated: carrier.simulated },
      };
    case 'expired':
      return { kind: 'ended', part: part.ref, verdict: undelivered };
  }
}

function takenBy({ id: carrierId, simulated }: Carrier, { ref }: QueuedPart, carrierMessageId: string): PartEvent {
  return { kind: 'taken', part: ref, carrierId, carrierMessageId, simulated };
}

/** A part that a carrier refuses for now goes to one that has not refused it. Undefined: there is none, or no need. */
async function toOtherCarrier(
  part: QueuedPart,
  result: SubmitResult,
  { carrier, clock, nextCarrier }: SubmitWorkerNeeds,
): Promise<PartEvent | undefined> {
  if (result.kind !== 'refused-for-now') return undefined;
  const refusedBy = [...new Set([...part.refusedBy, carrier.id])];
  let next: NextCarrier | undefined;
  await unlessUnavailable(
    nextCarrier(part, refusedBy).then((found) => {
      next = found;
    }),
  );
  if (next === undefined) return undefined;
  const { attempts, unanswered } = part;
  return { ...postponed(part, { dueAt: clock.now(), attempts: attempts + 1, unanswered }), refusedBy, next };
}

/** Written before the submit: after a crash nobody knows whether the carrier has it, and no carrier may get it again. */
function underWayOnce(part: QueuedPart, now: number): PartEvent {
  return postponed(part, { dueAt: now, attempts: part.attempts + 1, unanswered: mostUnanswered });
}

/** Once all carriers have refused a part, each may be asked again. */
function postponed(
  part: QueuedPart,
  when: { readonly dueAt: number; readonly attempts: number; readonly unanswered: number },
): Extract<PartEvent, { kind: 'postponed' }> {
  return { kind: 'postponed', part: part.ref, ...when, refusedBy: [], next: undefined };
}

function expired(part: QueuedPart, carrier: Carrier): PartEvent {
  return part.unanswered > 0 ? perhapsTaken(part, carrier) : { kind: 'ended', part: part.ref, verdict: undelivered };
}

function perhapsTaken(part: QueuedPart, carrier: Carrier): PartEvent {
  const endsAt = carrier.mostUnanswered === 1 ? part.validUntil : undefined;
  return { kind: 'taken-perhaps', part: part.ref, carrierId: carrier.id, simulated: carrier.simulated, endsAt };
}
