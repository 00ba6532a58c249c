import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { DialError, type DialFailure } from './dial.ts';
import type { Connection, GuardedAgent } from './guarded-agent.ts';
import { codeOf } from './target-guard.ts';
import type { TargetUrl } from './target-url.ts';

export interface OutboundRequest {
  readonly target: TargetUrl;
  /** The whole raw query, the target's own in front, without its `?`. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by POST, unless another method is said; without it the request is a GET. */
  readonly body?: string;
  readonly method?: 'PUT' | 'DELETE';
}

export interface RequestLimits {
  /** For all of it: resolve, connect, answer and body. */
  readonly timeoutMs: number;
  /** The request is over when more of the body has come. */
  readonly maxBytes: number;
  /** How much of the body is kept; all of it unless said. */
  readonly keepBytes?: number;
  /** Ends the request as `cutOff`. */
  readonly signal: AbortSignal;
}

/** A whole answer came, or so much of it that no more was read. */
export interface GuardedAnswer {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body was longer than `maxBytes`. */
  readonly truncated: boolean;
  /** Whether the answer may be shown: the peer's address is public. */
  readonly mayShow: boolean;
}

export type RequestEnd = (GuardedAnswer | DialFailure) & {
  /** The address dialled, as far as it came to that. */
  readonly address?: string;
  /** As in outcome.ts. */
  readonly sentTwice?: true;
};

/** Shared by all requests: most answers have no body, or a short one. */
const nothing = Buffer.alloc(0);

/** Each takes some microseconds of the thread that all receivers share, and nothing else would bound them before the time limit. */
const MAXIMUM_INTERIM_ANSWERS = 32;

/**
 * Makes one request to a target: every address is judged before it is dialled, one time limit holds over all of it, and
 * a redirect is an answer like any other. A status line whose body stalls or breaks off is no answer. Never rejects.
 */
export function guardedRequest(
  agent: GuardedAgent,
  request: OutboundRequest,
  limits: RequestLimits,
): Promise<RequestEnd> {
  if (limits.signal.aborted || agent.isClosed) return Promise.resolve({ kind: 'cutOff' });
  return new Promise((resolve) => new RunningRequest(agent, request, limits, resolve));
}

class RunningRequest implements Dispatcher.DispatchHandler {
  readonly #agent: GuardedAgent;
  readonly #resolve: (end: RequestEnd) => void;
  readonly #request: OutboundRequest;
  readonly #maxBytes: number;
  readonly #keepBytes: number;
  #connection: Connection;
  #hasAnswerBegun = false;
  #isSentTwice = false;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #kept = nothing;
  #bytes = 0;
  #interimAnswers = 0;
  #isOver = false;

  constructor(
    agent: GuardedAgent,
    request: OutboundRequest,
    { timeoutMs, maxBytes, keepBytes = maxBytes, signal }: RequestLimits,
    resolve: (end: RequestEnd) => void,
  ) {
    this.#agent = agent;
    this.#resolve = resolve;
    this.#maxBytes = maxBytes;
    this.#keepBytes = keepBytes;
    this.#timer = setTimeout(() => this.#fail({ kind: 'timedOut' }), timeoutMs);
    this.#stopListening = onAbort(signal, () => this.#fail({ kind: 'cutOff' }));
    this.#request = request;
    this.#connection = agent.reuse(request.target) ?? agent.open(request.target);
    this.#send();
  }

  #send(): void {
    const { target, query, headers, body, method = body === undefined ? 'GET' : 'POST' } = this.#request;
    const path = query === '' ? target.path : `${target.path}?${query}`;
    this.#connection.client.dispatch({ method, path, headers, ...(body === undefined ? {} : { body }) }, this);
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
    this.#headers = headers;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#bytes < this.#keepBytes) this.#keep(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#end(this.#answer(), false);
  }

  /** In one buffer that grows: the peer chooses how small its chunks are. */
  #keep(chunk: Buffer): void {
    const end = Math.min(this.#bytes + chunk.length, this.#keepBytes);
    if (end > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(end, 2 * this.#kept.length), this.#keepBytes));
      this.#kept.copy(larger);
      this.#kept = larger;
    }
    chunk.copy(this.#kept, this.#bytes);
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

  #answer(): GuardedAnswer {
    return {
      kind: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: this.#kept.subarray(0, this.#bytes),
      truncated: this.#bytes > this.#maxBytes,
      mayShow: this.#connection.mayShow,
    };
  }

  #fail(failure: DialFailure, address?: string): void {
    // Our own closing of the agent reaches us as a broken connection.
    this.#end(this.#agent.isClosed ? { kind: 'cutOff' } : failure, false, address);
  }

  #end(fact: GuardedAnswer | DialFailure, reusable: boolean, refusedAddress?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#stopListening();
    const address = refusedAddress ?? this.#connection.address;
    if (reusable) this.#agent.release(this.#connection);
    else this.#agent.discard(this.#connection);
    const again = this.#isSentTwice ? ({ sentTwice: true } as const) : {};
    this.#resolve({ ...fact, ...(address === undefined ? {} : { address }), ...again });
  }
}

function failureOf(error: Error): DialFailure {
  return error instanceof DialError ? error.failure : { kind: 'broken', code: codeOf(error) };
}

const closedByPeer: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal is aborted, until the returned function is called. One listener serves all requests that
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
