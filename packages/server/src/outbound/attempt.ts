import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Clock } from '../runtime/clock.ts';
import { DialError, type DialFailure } from './dial.ts';
import type { Connection, GuardedAgent } from './guarded-agent.ts';
import type { Answered, Outcome } from './outcome.ts';
import { codeOf } from './target-guard.ts';
import type { TargetUrl } from './target-url.ts';

export interface DeliveryRequest {
  readonly target: TargetUrl;
  /** The whole raw query, the target's own in front, without its `?`. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by POST; without it by GET. */
  readonly body?: string;
}

export interface AttemptLimits {
  /** For all of it: resolve, connect, answer and body. */
  readonly timeoutMs: number;
  /** Ends the attempt as `cutOff`. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

const MAXIMUM_BODY = 64 * 1024;
/** Each takes some microseconds of the thread that all receivers share, and nothing else would bound them before the time limit. */
const MAXIMUM_INTERIM_ANSWERS = 32;
const MAXIMUM_EXCERPT = 1024;
const MAXIMUM_RETRY_AFTER = 64;

/**
 * Makes one attempt: a GET of the target, or a POST to it. An answer counts when its body has ended within the time limit, or 64 KiB of
 * it have come; a status line whose body stalls or breaks off is no answer. Never rejects.
 */
export function attemptDelivery(
  agent: GuardedAgent,
  request: DeliveryRequest,
  limits: AttemptLimits,
): Promise<Outcome> {
  if (limits.signal.aborted || agent.isClosed) return Promise.resolve({ kind: 'cutOff', ms: 0 });
  return new Promise((resolve) => new Attempt(agent, request, limits, resolve));
}

class Attempt implements Dispatcher.DispatchHandler {
  readonly #agent: GuardedAgent;
  readonly #clock: Clock;
  readonly #resolve: (outcome: Outcome) => void;
  readonly #request: DeliveryRequest;
  #connection: Connection;
  #hasAnswerBegun = false;
  #isSentTwice = false;
  readonly #startedAt: number;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #status = 0;
  #retryAfter: string | undefined;
  #excerpt = '';
  #decoder: TextDecoder | undefined;
  #bytes = 0;
  #interimAnswers = 0;
  #isOver = false;

  constructor(
    agent: GuardedAgent,
    request: DeliveryRequest,
    { timeoutMs, signal, clock }: AttemptLimits,
    resolve: (outcome: Outcome) => void,
  ) {
    this.#agent = agent;
    this.#clock = clock;
    this.#resolve = resolve;
    this.#startedAt = clock.monotonic();
    this.#timer = setTimeout(() => this.#fail({ kind: 'timedOut' }), timeoutMs);
    this.#stopListening = onAbort(signal, () => this.#fail({ kind: 'cutOff' }));
    this.#request = request;
    this.#connection = agent.reuse(request.target) ?? agent.open(request.target);
    this.#send();
  }

  #send(): void {
    const { target, query, headers, body } = this.#request;
    const path = query === '' ? target.path : `${target.path}?${query}`;
    const sent = body === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body } as const);
    this.#connection.client.dispatch({ ...sent, path, headers }, this);
  }

  onRequestStart(): void {}

  onResponseStarted(): void {
    this.#hasAnswerBegun = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    // Statuses below 200 are interim (RFC 9110 §15.2).
    if (status < 200) {
      this.#interimAnswers += 1;
      if (this.#interimAnswers > MAXIMUM_INTERIM_ANSWERS) this.#fail({ kind: 'broken', code: 'INTERIM_ANSWERS' });
      return;
    }
    this.#status = status;
    const retryAfter: string | string[] | undefined = headers['retry-after'];
    this.#retryAfter = (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter)?.slice(0, MAXIMUM_RETRY_AFTER);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    const room = MAXIMUM_EXCERPT - this.#bytes;
    if (room > 0 && this.#connection.mayShow) {
      // Decoded at once: a kept slice would keep its 64 KiB. Streaming drops a character that the limit cuts.
      this.#decoder ??= new TextDecoder();
      this.#excerpt += this.#decoder.decode(chunk.subarray(0, room), { stream: true });
    }
    this.#bytes += chunk.length;
    if (this.#bytes > MAXIMUM_BODY) this.#end(this.#answer(), false);
  }

  onResponseEnd(): void {
    this.#end(this.#answer(), true);
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isOver) return;
    if (!this.#connection.isNew && !this.#hasAnswerBegun && closedByPeer.has(codeOf(error))) {
      this.#sendAgain();
      return;
    }
    this.#fail(failureOf(error), error instanceof DialError ? error.address : undefined);
  }

  /** On a new connection: what closed between two requests tells nothing about the receiver of this one. */
  #sendAgain(): void {
    this.#agent.discard(this.#connection);
    this.#connection = this.#agent.open(this.#request.target);
    this.#isSentTwice = true;
    this.#send();
  }

  #answer(): Answered {
    return {
      kind: 'answered',
      status: this.#status,
      ...(this.#retryAfter === undefined ? {} : { retryAfter: this.#retryAfter }),
      ...(this.#connection.mayShow ? { excerpt: this.#excerpt.replaceAll('\0', '\ufffd') } : {}),
    };
  }

  #fail(failure: DialFailure, address?: string): void {
    // Our own closing of the agent reaches us as a broken connection.
    this.#end(this.#agent.isClosed ? { kind: 'cutOff' } : failure, false, address);
  }

  #end(fact: Answered | DialFailure, reusable: boolean, refusedAddress?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    const address = refusedAddress ?? this.#connection.address;
    if (reusable) this.#agent.release(this.#connection);
    else this.#agent.discard(this.#connection);
    const ms = this.#clock.monotonic() - this.#startedAt;
    const again = this.#isSentTwice ? ({ sentTwice: true } as const) : {};
    this.#resolve({ ...fact, ...(address === undefined ? {} : { address }), ms, ...again });
  }
}

function failureOf(error: Error): DialFailure {
  return error instanceof DialError ? error.failure : { kind: 'broken', code: codeOf(error) };
}

const closedByPeer: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal is aborted, until the returned function is called. One listener serves all attempts that
 * share a signal: an EventTarget walks its whole list to add or remove one.
 */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let callbacks = listeners.get(signal);
  if (callbacks === undefined) {
    const all = new Set<() => void>();
    callbacks = all;
    listeners.set(signal, all);
    const callAll = () => {
      for (const each of [...all]) each();
    };
    signal.addEventListener('abort', callAll, { once: true });
  }
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}
