import { once } from 'node:events';
import type { Ground } from '../../audit/ground.ts';
import { mostUnanswered } from '../../messages/delivery/part-queue.ts';
import type { Carrier, PartToSubmit, Reply, SubmitResult, TakeInbound } from '../carrier.ts';
import { type SimulatorEvent, simulatorScript } from './simulator-script.ts';

export const simulatorId = 'simulator';

/** A part that the simulator took before a restart, without a final receipt. */
export interface PendingPart {
  /** The part's id, also its id at the simulator. */
  readonly id: string;
  readonly destination: string;
  /** Epoch milliseconds. */
  readonly sentAt: number;
}

interface SimulatorNeeds extends Pick<Ground, 'clock' | 'wait'> {
  readonly seed: string;
  readonly take: TakeInbound;
  /** Parts that still need receipts, page by page. */
  readonly readPending: () => AsyncIterable<readonly PendingPart[]>;
}

export interface SimulatorCarrier extends Carrier {
  /** A reply as if a person had written it. */
  reply(reply: Pick<Reply, 'from' | 'to' | 'text'>): Promise<void>;
}

const maxWaiting = 100_000;
const answerLimitMs = 10_000;
const againMs = 1_000;
const tickMs = 5;

/** The later events of one tick. They share one wait, because as many as `maxWaiting` may be owed. */
interface Tick {
  readonly acts: (() => void)[];
  readonly end: AbortController;
}

/** The built-in carrier, by a script (`simulator-script.ts`). After a restart it computes open receipts again. */
export function createSimulatorCarrier(needs: SimulatorNeeds): SimulatorCarrier {
  const { seed, take, readPending, clock, wait } = needs;
  const ticks = new Map<number, Tick>();
  /** How many events the ticks hold. */
  let waiting = 0;
  const unanswered = new Set<(result: SubmitResult) => void>();
  let running = false;

  function later(afterMs: number, act: () => void): void {
    waiting += 1;
    const number = Math.ceil((clock.monotonic() + afterMs) / tickMs);
    const known = ticks.get(number);
    if (known !== undefined) {
      known.acts.push(act);
      return;
    }
    const tick: Tick = { acts: [act], end: new AbortController() };
    ticks.set(number, tick);
    void wait(number * tickMs - clock.monotonic(), tick.end.signal).then(() => {
      ticks.delete(number);
      waiting -= tick.acts.length;
      if (tick.end.signal.aborted) return;
      for (const each of tick.acts) each();
    });
  }

  /** Sends a receipt as carriers do: again and again until it is acknowledged. */
  function sendReceipt(id: string, event: Extract<SimulatorEvent, { kind: 'receipt' }>): void {
    const { kind, state, networkError } = event;
    take({ kind, carrierId: simulatorId, carrierMessageId: id, state, networkError }).catch(() => {
      if (running) later(againMs, () => sendReceipt(id, event));
    });
  }

  function play(id: string, events: readonly SimulatorEvent[], elapsedMs: number): void {
    for (const event of events) {
      if (event.kind !== 'receipt') continue;
      const inMs = event.afterMs - elapsedMs;
      if (inMs > 0) later(inMs, () => sendReceipt(id, event));
      // After the answer, which this turn of the loop gives.
      else setImmediate(() => sendReceipt(id, event));
    }
  }

  async function resume(signal: AbortSignal): Promise<void> {
    for await (const page of readPending()) {
      // Wait until receipts have made room.
      while (waiting >= maxWaiting && !signal.aborted) await wait(againMs, signal);
      if (signal.aborted) return;
      for (const { id, destination, sentAt } of page) {
        // Accepted, so attempt 2: attempt 1 may be throttled. A clock that was ahead may have noted a future time.
        play(id, simulatorScript({ destination, attempt: 2 }, seed), Math.max(0, clock.now() - sentAt));
      }
    }
  }

  function answer(part: PartToSubmit, events: readonly SimulatorEvent[]): SubmitResult | Promise<SubmitResult> {
    const event = events.find(({ kind }) => kind === 'answer');
    const result: SubmitResult =
      event?.kind !== 'answer'
        ? { kind: 'unanswered' }
        : event.answer === 'throttled'
          ? { kind: 'throttled', partAlone: true }
          : { kind: 'accepted', carrierMessageId: part.id };
    const afterMs = event?.afterMs ?? answerLimitMs;
    if (afterMs === 0) return result;
    return new Promise((resolve) => {
      unanswered.add(resolve);
      later(afterMs, () => {
        unanswered.delete(resolve);
        resolve(result);
      });
    });
  }

  return {
    id: simulatorId,
    name: `carrier ${simulatorId}`,
    simulated: true,
    window: 1_000,
    rate: undefined,
    mostUnanswered,
    downSince: undefined,

    async submit(part) {
      if (!running) return { kind: 'failed', reason: 'the simulator is not running' };
      if (waiting >= maxWaiting) return { kind: 'throttled' };
      const events = simulatorScript(part, seed);
      play(part.id, events, 0);
      return answer(part, events);
    },

    reply: ({ from, to, text }) => take({ kind: 'reply', carrierId: simulatorId, from, to, text }),

    async run(signal) {
      running = true;
      try {
        await resume(signal);
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        running = false;
        for (const { end } of ticks.values()) end.abort();
        for (const resolve of unanswered) resolve({ kind: 'failed', reason: 'the simulator was stopped' });
        unanswered.clear();
      }
    },
  };
}
