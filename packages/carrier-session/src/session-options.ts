import type { MonotonicClock } from './monotonic-clock.ts';
import type { SessionPdu, SessionProtocol } from './session-protocol.ts';

export interface SessionOptions<P extends SessionPdu> {
  readonly protocol: SessionProtocol<P>;
  readonly clock: MonotonicClock;
  readonly limits: SessionLimits;
  readonly events: SessionEvents<P>;
}

export interface SessionLimits {
  /** The most requests of ours that wait for a response, 1 to 500. Keep-alives and the farewell do not count. */
  readonly window: number;
  readonly responseTimeoutMs: number;
  /** After so long without an octet from the peer a keep-alive is sent. */
  readonly keepAliveMs: number;
  /** The most requests of the peer that are not answered yet. Beyond it the session reads no more. */
  readonly inbound: number;
}

/** An inbound limit below the window of the peer could make two sessions wait for each other. */
export const defaultLimits: SessionLimits = {
  window: 10,
  responseTimeoutMs: 10_000,
  keepAliveMs: 30_000,
  inbound: 500,
};

export interface SessionEvents<P extends SessionPdu> {
  /**
   * A request of the peer, in the order of arrival. It must settle, because the session counts it until then, and must
   * not wait for a submit of the same session: when many do, no response is read.
   * @returns the answer to write. Undefined: none, and the peer may send the request again.
   */
  onRequest(request: P): Promise<P | undefined>;
  /** A response that no request waits for: very late, or never asked for. */
  onUnmatchedResponse?(response: P): void;
  /** @param reason one sentence, without content of the PDU */
  onMalformed?(reason: string): void;
  /** `onRequest` rejected, or an answer cannot be encoded. The peer gets no answer. */
  onRequestFailed?(error: unknown): void;
  /** The peer answered a keep-alive of ours. */
  onKeepAliveAnswered?(): void;
}
