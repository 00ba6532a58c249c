import type { SessionPdu } from './session-protocol.ts';

interface LateResponse<P extends SessionPdu> {
  readonly request: P;
  readonly arrived: (response: P) => void;
}

/** The largest window, ten times over: a peer that is so far behind is as good as gone. */
const mostExpected = 5_000;

/** Responses that did not come in time, but may come yet. What a peer has accepted must not be lost. */
export class LateResponses<P extends SessionPdu> {
  /** By the sequence numbers of the requests, oldest first. */
  readonly #expected = new Map<number, LateResponse<P>>();

  /** @returns the response. It may never come */
  expect(request: P): Promise<P> {
    const { promise, resolve } = Promise.withResolvers<P>();
    // A number that is used again belongs to the newer request.
    this.#expected.delete(request.sequence);
    this.#expected.set(request.sequence, { request, arrived: resolve });
    for (const oldest of this.#expected.keys()) {
      if (this.#expected.size <= mostExpected) break;
      this.#expected.delete(oldest);
    }
    return promise;
  }

  /** @returns whether it was expected */
  settle(response: P, canAnswer: (request: P) => boolean): boolean {
    const late = this.#expected.get(response.sequence);
    if (late === undefined || !canAnswer(late.request)) return false;
    this.#expected.delete(response.sequence);
    late.arrived(response);
    return true;
  }
}
