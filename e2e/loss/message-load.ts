import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../packages/server/src/runtime/problem.ts';
import { never } from '../../packages/server/src/runtime/wait.ts';
import { drawn, drawnOf } from '../drawn.ts';
import type { Sender } from '../guides/messaging-setup.ts';
import type { World } from '../world.ts';
import type { PushRecorder } from './push-recorder.ts';

/** One request, with all its repetitions. */
export interface SentRequest {
  readonly sender: Sender;
  readonly mobiles: readonly string[];
  /** Unique to this request, to find its batch. */
  readonly content: string;
  readonly idempotencyKey: string | undefined;
  /** The batch in each 200. */
  readonly answers: string[];
}

export interface SentReply {
  readonly from: string;
  /** Unique to this reply. */
  readonly text: string;
  /** Without an acknowledgement it may have come in or not. */
  acknowledged: boolean;
}

/** The knowledge of customers and carriers. None of it may be lost. */
export interface Ledger {
  readonly requests: SentRequest[];
  readonly replies: SentReply[];
  /** Answered 200. */
  readonly answered: SentRequest[];
  /** Keyed requests without an answer, which are repeated until they have one. */
  readonly unanswered: SentRequest[];
  /** Answered messages and replies. */
  acknowledged: number;
  /** Answered requests that were repeated. */
  repeated: number;
}

export const newLedger = (): Ledger => ({
  requests: [],
  answered: [],
  replies: [],
  unanswered: [],
  acknowledged: 0,
  repeated: 0,
});

export interface Load {
  readonly seed: number;
  readonly ledger: Ledger;
  readonly senders: readonly Sender[];
  readonly recorder: PushRecorder;
  /** The most acknowledged messages in flight. Beyond it the load waits for pushes. */
  readonly mostOnTheirWay: number;
  /** The phone of a message; undefined: one of the simulator's numbers. @param index counts all messages */
  readonly phone?: (index: number) => string;
}

/** The simulator's outcomes by the last four digits; those of the last two are random. */
const endings = ['0000', '0000', '0001', '0002', '0005', '0006', '0007', '1234', '5678'] as const;
const mostNumbers = 5;
const repeatedOfHundred = 5;
/** A customer's wait after a 503. */
const refusedPauseMs = 50;

/** Sends requests one after the other until the server is gone or `signal` is aborted. */
export async function keepSending(load: Load, world: World, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await roomIn(load, signal);
    const request = load.ledger.unanswered.shift() ?? newRequest(load);
    if (!(await send(load, world, request, signal))) return;
    const isRepeated = request.idempotencyKey !== undefined && request.answers.length === 1;
    if (isRepeated && drawn(load.seed, 'repeat', request.content) * 100 < repeatedOfHundred) {
      load.ledger.repeated += 1;
      if (!(await send(load, world, request, signal))) return;
    }
  }
}

/** Repeats every keyed request without an answer. */
export async function finishSending(load: Load, world: World): Promise<void> {
  const { unanswered } = load.ledger;
  for (let request = unanswered.shift(); request !== undefined; request = unanswered.shift()) {
    await send(load, world, request, never);
  }
}

/** Makes phones reply to messages, one after the other. */
export async function keepReplying(load: Load, world: World, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await load.recorder.next(signal);
    if (signal.aborted) return;
    try {
      await replyOnce(load, world);
    } catch (error) {
      if (error instanceof Problem && error.code !== 'service_unavailable') throw error;
      if (isGone(world, signal)) return;
      await delay(refusedPauseMs);
    }
  }
}

/** One reply, if a phone may reply. @throws the error of the control socket */
export async function replyOnce({ ledger, seed }: Load, world: World): Promise<void> {
  const { answered } = ledger;
  const request = answered[Math.floor(drawn(seed, 'replier', ledger.replies.length) * answered.length)];
  // A phone without a message does not reply.
  const from = request?.mobiles.find((mobile) => mobile !== request.sender.optedOut);
  if (from === undefined) return;
  const reply: SentReply = { from, text: `Reply ${ledger.replies.length}`, acknowledged: false };
  ledger.replies.push(reply);
  await world.control.call('replyBySimulator', { body: { from, to: '10086', text: reply.text } });
  reply.acknowledged = true;
  ledger.acknowledged += 1;
}

async function roomIn({ ledger, recorder, mostOnTheirWay }: Load, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && ledger.acknowledged - recorder.pushes > mostOnTheirWay) await recorder.next(signal);
}

function newRequest({ seed, ledger, senders, phone }: Load): SentRequest {
  const number = ledger.requests.length;
  const sender = senders[number % senders.length];
  if (sender === undefined) throw new Error('there is nobody who sends');
  const count = 1 + Math.floor(drawn(seed, 'count', number) * mostNumbers);
  const mobiles = Array.from({ length: count }, (_, index) => {
    if (phone !== undefined) return phone(number * mostNumbers + index);
    const middle = String((number * mostNumbers + index) % 10_000).padStart(4, '0');
    return `+86138${middle}${drawnOf(endings, seed, 'ending', number, index)}`;
  });
  if (drawn(seed, 'opted out', number) < 0.05) mobiles[0] = sender.optedOut;
  const isKeyed = drawn(seed, 'key', number) < 0.5;
  const request: SentRequest = {
    sender,
    mobiles,
    // Sometimes two segments.
    content: `Request ${number}${drawn(seed, 'long', number) < 0.1 ? ' and so on'.repeat(20) : ''}`,
    idempotencyKey: isKeyed ? `key-${number}` : undefined,
    answers: [],
  };
  ledger.requests.push(request);
  return request;
}

/** @returns false when the server is gone */
async function send({ ledger }: Load, world: World, request: SentRequest, signal: AbortSignal): Promise<boolean> {
  const { sender, mobiles, content, idempotencyKey, answers } = request;
  try {
    const answer = await fetch(`${world.url}/api/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sender.token}`,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ mobiles, content }),
    });
    if (answer.status === 503) {
      if (idempotencyKey !== undefined && answers.length === 0) ledger.unanswered.push(request);
      await answer.arrayBuffer();
      await delay(refusedPauseMs);
      return true;
    }
    if (answer.status !== 200) throw new Refused(`POST /api/messages → ${answer.status} ${await answer.text()}`);
    const { data } = (await answer.json()) as { data: { batch_id: string } };
    if (answers.length === 0) {
      ledger.acknowledged += mobiles.length;
      ledger.answered.push(request);
    }
    answers.push(data.batch_id);
    return true;
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (!isGone(world, signal)) throw error;
    if (idempotencyKey !== undefined && answers.length === 0) ledger.unanswered.push(request);
    return false;
  }
}

class Refused extends Error {
  override readonly name = 'Refused';
}

/** Whether a broken connection is the intended kill, not another fault. */
function isGone(world: World, signal: AbortSignal): boolean {
  return signal.aborted || world.serverPid === 0;
}
