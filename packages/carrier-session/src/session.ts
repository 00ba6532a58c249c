/**
 * One session of a carrier's protocol over one connection, in either role. It numbers requests and finds their
 * responses, keeps to a window, answers what the protocol answers by itself, and finds connections that are dead.
 * No peer can make it throw, wait for ever, or hold more than its limits.
 */
import type { Duplex } from 'node:stream';
import { DeadlineTimer } from './deadline-timer.ts';
import { InboundRequests } from './inbound-requests.ts';
import { LateResponses } from './late-responses.ts';
import type { MonotonicClock } from './monotonic-clock.ts';
import { OwnRequests } from './own-requests.ts';
import { type Frame, PduFramer } from './pdu-framer.ts';
import { ReadingClock } from './reading-clock.ts';
import type { SessionEvents, SessionLimits, SessionOptions } from './session-options.ts';
import type { Outcome, SessionEnd } from './session-outcome.ts';
import type { SessionPdu, SessionProtocol } from './session-protocol.ts';
import { WriteBatch } from './write-batch.ts';

/** How long a peer may take to close its side after the session has closed its own. */
const closeLimitMs = 1000;

interface WaitingSubmit<P extends SessionPdu> {
  readonly build: (sequence: number) => P;
  readonly settle: (outcome: Outcome<P>) => void;
}

export class Session<P extends SessionPdu> {
  /** Never rejects. */
  readonly ended: Promise<SessionEnd>;
  readonly #resolveEnded: (end: SessionEnd) => void;
  readonly #stream: Duplex;
  readonly #clock: MonotonicClock;
  readonly #protocol: SessionProtocol<P>;
  readonly #limits: SessionLimits;
  readonly #events: SessionEvents<P>;
  readonly #framer: PduFramer;
  readonly #batch: WriteBatch;
  readonly #own: OwnRequests<P>;
  readonly #late = new LateResponses<P>();
  readonly #inbound: InboundRequests;
  readonly #time: ReadingClock;
  readonly #timer: DeadlineTimer;
  /** Submits in line for the window. A Set, because removing the first entry of a long array is slow. */
  readonly #line = new Set<WaitingSubmit<P>>();
  readonly #idleListeners = new Set<() => void>();
  /** `ending`: nothing more is submitted. `closing`: what still arrives is dropped. */
  #state: 'open' | 'ending' | 'closing' | 'ended' = 'open';
  #end: SessionEnd | undefined;
  #closeTimer: NodeJS.Timeout | undefined;
  #isBound = false;
  #endingSince: number | undefined;
  #keepAlive: Promise<Outcome<P>> | undefined;
  #lastHeardAt: number;
  /** Since when octets have waited for the peer to read them. */
  #stalledAt: number | undefined;

  constructor(stream: Duplex, { protocol, clock, limits, events }: SessionOptions<P>) {
    const { promise, resolve } = Promise.withResolvers<SessionEnd>();
    this.ended = promise;
    this.#resolveEnded = resolve;
    this.#stream = stream;
    this.#clock = clock;
    this.#protocol = protocol;
    this.#limits = limits;
    this.#events = events;
    this.#framer = new PduFramer(protocol);
    this.#batch = new WriteBatch(stream, () => this.#onFull());
    this.#own = new OwnRequests(protocol.lastSequence);
    this.#time = new ReadingClock(clock, limits.responseTimeoutMs);
    this.#timer = new DeadlineTimer(clock, () => this.#onDeadline());
    this.#inbound = new InboundRequests(limits.inbound, () => this.#afterAnswer());
    this.#lastHeardAt = this.#time.now();
    this.#listen();
  }

  /** Whether it takes submits. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Since when it takes no more submits, by its clock. */
  get endingSince(): number | undefined {
    return this.#endingSince;
  }

  /** Whether it was bound once. */
  get isBound(): boolean {
    return this.#isBound;
  }

  /** The requests that wait for a response, without keep-alives. */
  get windowUsed(): number {
    return this.#own.windowUsed;
  }

  /** Whether a submit would be written at once. */
  get hasRoom(): boolean {
    return this.isOpen && this.#line.size === 0 && this.#canWrite;
  }

  /** The peers have agreed on who they are. From now on a quiet connection is tried by keep-alives. */
  markBound(): void {
    this.#isBound = true;
    this.#lastHeardAt = this.#time.now();
    this.#timer.armWithin(this.#limits.keepAliveMs);
  }

  /**
   * Sends a request when the window has room, and waits for its response. Never rejects.
   * @param build makes the request with this number, when its turn has come
   */
  submit(build: (sequence: number) => P): Promise<Outcome<P>> {
    if (!this.isOpen) return Promise.resolve({ kind: 'not-sent', why: this.#whyNotSent });
    return new Promise((settle) => {
      if (this.hasRoom) this.#send(build, settle, true);
      else this.#line.add({ build, settle });
    });
  }

  /** Tries the connection now. Without an answer in time the session ends. */
  tryConnection(): Promise<Outcome<P>> {
    if (!this.#isReading) return Promise.resolve({ kind: 'not-sent', why: this.#whyNotSent });
    this.#keepAlive ??= new Promise<Outcome<P>>((settle) => {
      this.#send((sequence) => this.#protocol.keepAlive(sequence), settle, false);
    }).then((outcome) => {
      this.#keepAlive = undefined;
      if (outcome.kind === 'answered') this.#events.onKeepAliveAnswered?.();
      if (outcome.kind === 'unanswered' && outcome.why === 'time-out') this.#finish({ why: 'keep-alive-unanswered' });
      return outcome;
    });
    return this.#keepAlive;
  }

  /**
   * Ends the session in order: takes no more submits, waits for responses, says farewell, and closes.
   * @param limitMs for all of it, after which the connection is cut off
   */
  async drain(limitMs: number): Promise<SessionEnd> {
    const limit = setTimeout(() => this.#finish({ why: 'not-drained-in-time' }), limitMs);
    this.#stopSubmits();
    await this.#until(() => this.windowUsed === 0);
    if (this.#isBound && this.#state === 'ending') {
      await new Promise<Outcome<P>>((settle) => {
        this.#send((sequence) => this.#protocol.farewell(sequence), settle, false);
      });
      await this.#until(() => this.#inbound.count === 0);
    }
    this.#close({ why: 'drained' });
    const end = await this.ended;
    clearTimeout(limit);
    return end;
  }

  /** Cuts the connection off. Safe at any time. */
  destroy(): void {
    this.#finish({ why: 'destroyed' });
  }

  #listen(): void {
    this.#stream.on('data', (chunk: Uint8Array) => this.#onChunk(chunk));
    this.#stream.on('drain', () => this.#onDrain());
    this.#stream.on('end', () => this.#close({ why: 'peer-closed' }));
    this.#stream.on('close', () => this.#finish({ why: 'peer-closed' }));
    this.#stream.on('error', (error: Error) => this.#finish({ why: 'connection-error', error }));
  }

  // Sending

  get #canWrite(): boolean {
    return this.windowUsed < this.#limits.window && !this.#stream.writableNeedDrain;
  }

  get #whyNotSent(): 'session-ended' | 'session-ending' {
    return this.#state === 'ended' ? 'session-ended' : 'session-ending';
  }

  #send(build: (sequence: number) => P, settle: (outcome: Outcome<P>) => void, countsForWindow: boolean): void {
    let request: P;
    let octets: Uint8Array;
    try {
      request = build(this.#own.nextSequence());
      octets = this.#protocol.encode(request);
    } catch (error) {
      settle({ kind: 'not-sent', why: 'cannot-encode', error });
      return;
    }
    this.#own.add({ request, writtenAt: this.#time.now(), countsForWindow, settle });
    this.#batch.add(octets);
    this.#timer.armWithin(this.#limits.responseTimeoutMs);
  }

  #onFull(): void {
    this.#stalledAt ??= this.#time.now();
    this.#timer.armWithin(this.#limits.responseTimeoutMs);
  }

  #onDrain(): void {
    this.#stalledAt = undefined;
    this.#advanceLine();
  }

  #advanceLine(): void {
    for (const waiting of this.#line) {
      if (!this.isOpen || !this.#canWrite) return;
      this.#line.delete(waiting);
      this.#send(waiting.build, waiting.settle, true);
    }
  }

  // Reading

  get #isReading(): boolean {
    return this.#state === 'open' || this.#state === 'ending';
  }

  #onChunk(chunk: Uint8Array): void {
    if (!this.#isReading) return;
    this.#lastHeardAt = this.#time.now();
    this.#framer.push(chunk);
    this.#read();
  }

  /** Takes the PDUs that have arrived, until the limit of inbound requests is reached. */
  #read(): void {
    while (this.#isReading) {
      if (this.#inbound.isFull) {
        this.#time.pause();
        this.#stream.pause();
        return;
      }
      const frame = this.#framer.next();
      if (frame === undefined) return;
      this.#onFrame(frame);
    }
  }

  #readOn(): void {
    this.#time.resume();
    this.#timer.armWithin(this.#time.msUntil(this.#nextDeadline));
    this.#read();
    if (!this.#inbound.isFull && this.#stream.isPaused()) this.#stream.resume();
  }

  #onFrame(frame: Frame): void {
    if (frame.kind === 'impossible-length') {
      this.#answer(this.#protocol.lengthFault(frame.head));
      this.#close({ why: 'impossible-length' });
      return;
    }
    const decoded = this.#protocol.decode(frame.octets);
    if (decoded.kind === 'malformed') {
      this.#events.onMalformed?.(decoded.reason);
      if (decoded.isResponse) this.#onMalformedResponse(decoded.sequence);
      this.#answer(decoded.answer);
    } else if (this.#protocol.isResponse(decoded.pdu)) {
      this.#onResponse(decoded.pdu);
    } else {
      this.#onRequest(decoded.pdu);
    }
  }

  #onResponse(response: P): void {
    const own = this.#own.take(response.sequence, (request) => this.#protocol.canAnswer(response, request));
    if (own === undefined) {
      const isLate = this.#late.settle(response, (request) => this.#protocol.canAnswer(response, request));
      if (!isLate) this.#events.onUnmatchedResponse?.(response);
      return;
    }
    own.settle({ kind: 'answered', response });
    this.#afterSettling();
  }

  /** The peer may have taken the request, so this is no refusal. */
  #onMalformedResponse(sequence: number): void {
    this.#own.take(sequence)?.settle({ kind: 'unanswered', why: 'malformed-response' });
    this.#afterSettling();
  }

  #onRequest(request: P): void {
    const ownAnswer = this.#protocol.ownAnswer(request);
    if (ownAnswer === undefined) void this.#handle(request);
    else this.#answer(ownAnswer);
    if (this.#protocol.isFarewell(request)) void this.#endAfterFarewell();
  }

  async #handle(request: P): Promise<void> {
    this.#inbound.begin();
    try {
      this.#answer(await this.#events.onRequest(request));
    } catch (error) {
      this.#events.onRequestFailed?.(error);
    }
    this.#inbound.finish();
  }

  /** An answer counts as inbound until the system has taken it: a peer that never reads is not read from either. */
  #answer(answer: P | undefined): void {
    if (answer === undefined || this.#state === 'ended' || !this.#stream.writable) return;
    const octets = this.#encodeAnswer(answer);
    if (octets === undefined) return;
    this.#inbound.begin();
    this.#batch.add(octets, () => this.#inbound.finish());
  }

  /** An answer repeats what the peer claims, such as a number that does not fit. That must not be thrown at the stream. */
  #encodeAnswer(answer: P): Uint8Array | undefined {
    try {
      return this.#protocol.encode(answer);
    } catch (error) {
      this.#events.onRequestFailed?.(error);
      return undefined;
    }
  }

  #afterAnswer(): void {
    if (this.#isReading && this.#stream.isPaused() && !this.#inbound.isFull) this.#readOn();
    this.#tellIdleListeners();
  }

  // Time

  get #nextDeadline(): number {
    const { responseTimeoutMs, keepAliveMs } = this.#limits;
    const isTried = !this.#isBound || this.#keepAlive !== undefined;
    return Math.min(
      (this.#own.oldest?.writtenAt ?? Number.POSITIVE_INFINITY) + responseTimeoutMs,
      (this.#stalledAt ?? Number.POSITIVE_INFINITY) + responseTimeoutMs,
      isTried ? Number.POSITIVE_INFINITY : this.#lastHeardAt + keepAliveMs,
    );
  }

  #onDeadline(): void {
    const now = this.#time.now();
    const responseDeadline = now - this.#limits.responseTimeoutMs;
    for (const own of this.#own.takeWrittenUntil(responseDeadline)) {
      own.settle({ kind: 'unanswered', why: 'time-out', late: this.#late.expect(own.request) });
    }
    if (this.#stalledAt !== undefined && this.#stalledAt <= responseDeadline) {
      this.#finish({ why: 'peer-reads-nothing' });
      return;
    }
    const isQuiet = now - this.#lastHeardAt >= this.#limits.keepAliveMs;
    if (this.#isBound && isQuiet && this.#keepAlive === undefined) void this.tryConnection();
    this.#afterSettling();
    if (this.#nextDeadline < Number.POSITIVE_INFINITY) this.#timer.armWithin(this.#time.msUntil(this.#nextDeadline));
  }

  #afterSettling(): void {
    this.#advanceLine();
    this.#tellIdleListeners();
  }

  // Ending

  #stopSubmits(): void {
    if (this.#state === 'open') this.#state = 'ending';
    this.#endingSince ??= this.#clock.now();
    for (const { settle } of this.#line) settle({ kind: 'not-sent', why: this.#whyNotSent });
    this.#line.clear();
  }

  /** The session stays open for responses to its earlier requests. */
  async #endAfterFarewell(): Promise<void> {
    this.#stopSubmits();
    await this.#until(() => this.windowUsed === 0 && this.#inbound.count === 0);
    this.#close({ why: 'peer-farewell' });
  }

  /** Writes the remaining octets, closes this side, and waits a moment for the peer to close its own. */
  #close(end: SessionEnd): void {
    if (!this.#isReading) return;
    this.#stopSubmits();
    this.#readLastResponses();
    this.#state = 'closing';
    this.#end = end;
    this.#timer.stop();
    this.#batch.flush();
    this.#settleUnanswered();
    this.#stream.end();
    this.#stream.resume();
    this.#closeTimer = setTimeout(() => this.#finish(end), closeLimitMs);
  }

  #finish(end: SessionEnd): void {
    if (this.#state === 'ended') return;
    this.#stopSubmits();
    if (this.#isReading) this.#readLastResponses();
    this.#state = 'ended';
    clearTimeout(this.#closeTimer);
    this.#timer.stop();
    this.#batch.discard();
    this.#settleUnanswered();
    this.#stream.destroy();
    this.#tellIdleListeners();
    this.#resolveEnded(this.#end ?? end);
  }

  /** Responses that arrived behind requests which had to wait. */
  #readLastResponses(): void {
    for (let frame = this.#framer.next(); frame?.kind === 'pdu'; frame = this.#framer.next()) {
      const decoded = this.#protocol.decode(frame.octets);
      if (decoded.kind === 'pdu' && this.#protocol.isResponse(decoded.pdu)) this.#onResponse(decoded.pdu);
    }
  }

  #settleUnanswered(): void {
    for (const own of this.#own.takeWrittenUntil(Number.POSITIVE_INFINITY)) {
      own.settle({ kind: 'unanswered', why: 'connection-ended' });
    }
  }

  /** Waits until this holds, or the session has ended. */
  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!holds() && this.#state !== 'ended') return;
        this.#idleListeners.delete(check);
        resolve();
      };
      this.#idleListeners.add(check);
      check();
    });
  }

  #tellIdleListeners(): void {
    for (const check of this.#idleListeners) check();
  }
}
