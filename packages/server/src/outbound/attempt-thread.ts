import { Worker } from 'node:worker_threads';
import {
  type AttemptEnd,
  type AttemptGroup,
  type AttemptOrder,
  type AttemptThreadSetup,
  sharedMoment,
  type ToAttempts,
} from './attempt-message.ts';
import type { OutboundRequest } from './guarded-request.ts';
import type { Outcome } from './outcome.ts';

export interface AttemptThreadOptions extends AttemptThreadSetup {
  /** The ports on which this process listens; asked with each group of attempts. */
  readonly ownPorts: () => readonly number[];
}

/** The main thread's end of the thread in which attempts are made. */
export interface AttemptThread {
  /** As `attemptDelivery`: never rejects, and what `signal` ends is `cutOff`. */
  attempt(
    request: OutboundRequest,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<Outcome>;
  /** Ends the thread. Attempts that run end as `cutOff`, and so do later ones. */
  close(): Promise<void>;
}

/**
 * Attempts are made in a thread of their own: what receivers send, TLS with them and their number take nothing from the
 * loop that hands out certificates and accepts messages. The thread begins with the first attempt, since who never pushes
 * needs none of its memory.
 *
 * A fault in it is one of this process, and ends that as any other does: attempts without an outcome are made again.
 */
export function createAttemptThread({ ownPorts, ...setup }: AttemptThreadOptions): AttemptThread {
  let worker: Worker | undefined;
  let isClosed = false;
  const waiting: (((outcome: Outcome) => void) | undefined)[] = [];
  const freeSlots: number[] = [];
  const numbers = new WeakMap<AbortSignal, number>();
  let lastNumber = 0;
  let orders: AttemptOrder[] = [];
  let orderedAt = sharedMoment();

  function start(): Worker {
    // With the environment and the flags of the process: they say which authorities are trusted.
    const started = new Worker(new URL('./attempt-worker.ts', import.meta.url), {
      name: 'push attempts',
      workerData: setup,
      // Objects of an attempt are short-lived, as in sqlite-thread.ts. A smaller limit makes the thread collect them too
      // often. Without a limit the process holds more memory.
      resourceLimits: { maxYoungGenerationSizeMb: 32 },
    });
    started.on('message', (ends: string) => {
      for (const [slot, outcome] of JSON.parse(ends) as AttemptEnd[]) end(slot, outcome);
    });
    // Thrown at the exit, which always follows. Where both have come at once, Node reads the error in the handling of the
    // exit, and what is thrown there is lost.
    let fault: unknown;
    started.on('error', (error) => {
      fault = error;
    });
    started.on('exit', (code) => {
      if (fault !== undefined) throw fault;
      if (!isClosed) throw new Error(`the thread of push attempts ended: exit code ${code}`);
    });
    return started;
  }

  function end(slot: number, outcome: Outcome): void {
    const resolve = waiting[slot];
    waiting[slot] = undefined;
    freeSlots.push(slot);
    resolve?.(outcome);
  }

  function send(message: ToAttempts): void {
    worker ??= start();
    worker.postMessage(message);
  }

  /** What is begun in one go, by a commit or by a group of outcomes, goes there together. */
  function sendOrders(): void {
    if (orders.length === 0 || isClosed) return;
    const group: AttemptGroup = { orderedAt, ownPorts: ownPorts(), attempts: orders };
    send(['begin', JSON.stringify(group)]);
    orders = [];
  }

  function numberOf(signal: AbortSignal): number {
    const known = numbers.get(signal);
    if (known !== undefined) return known;
    lastNumber += 1;
    const number = lastNumber;
    numbers.set(signal, number);
    const cutOff = () => {
      // Behind the orders that were given before.
      sendOrders();
      if (!isClosed) send(['cutOff', number]);
    };
    signal.addEventListener('abort', cutOff, { once: true });
    return number;
  }

  return {
    attempt({ target, query, headers, body }, { timeoutMs, signal }) {
      if (signal.aborted || isClosed) return Promise.resolve({ kind: 'cutOff', ms: 0 });
      return new Promise((resolve) => {
        const slot = freeSlots.pop() ?? waiting.length;
        waiting[slot] = resolve;
        // From the first of them on, since it was asked just before whether its lease is held.
        if (orders.length === 0) orderedAt = sharedMoment();
        const { origin, path } = target;
        const sent = body === undefined ? ([query, headers] as const) : ([query, headers, body] as const);
        orders.push([slot, numberOf(signal), timeoutMs, origin, path, ...sent]);
        if (orders.length === 1) queueMicrotask(sendOrders);
      });
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
      for (const [slot, resolve] of waiting.entries()) if (resolve !== undefined) end(slot, { kind: 'cutOff', ms: 0 });
    },
  };
}
