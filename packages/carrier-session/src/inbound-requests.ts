/** Counts the peer's requests that have no answer yet. */
export class InboundRequests {
  readonly #most: number;
  readonly #onFinished: () => void;
  #count = 0;

  constructor(most: number, onFinished: () => void) {
    this.#most = most;
    this.#onFinished = onFinished;
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#most;
  }

  begin(): void {
    this.#count += 1;
  }

  finish(): void {
    this.#count -= 1;
    this.#onFinished();
  }
}
