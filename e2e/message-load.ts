import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../packages/server/src/runtime/problem.ts';
import { drawn, drawnOf } from './drawn.ts';
import type { Sender } from './messaging-setup.ts';
import type { PushRecorder } from './push-recorder.ts';
import type { World } from './world.ts';

/** One request, in all the times that it was made. */
export interface SentRequest {
  readonly sender: Sender;
  readonly mobiles: readonly string[];
  /** Of this request alone: by it its batch is found, answered or not. */
  readonly content: string;
  readonly idempotencyKey: string | undefined;
  /** The batch that each 200 named. */
  readonly answers: string[];
}

export interface SentReply {
  readonly from: string;
  /** Of this reply alone. */
  readonly text: string;
  /** Whether it was acknowledged; if not, nobody knows whether it came in. */
  acknowledged: boolean;
}

/** What customers and carriers know: the promise is that none of it is lost. */
export interface Ledger {
  readonly requests: SentRequest[];
  readonly replies: SentReply[];
  /** Those of them that were answered 200. */
  readonly answered: SentRequest[];
  /** With a key, and never answered: they are made again until they are. */
  readonly unanswered: SentRequest[];
  /** Messages and replies that were answered. */
  acknowledged: number;
  /** Requests that were made once more although they had been answered. */
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
  /** So many acknowledged messages may be on their way; beyond it the load waits for pushes. */
  readonly mostOnTheirWay: number;
}

/** Outcomes by the last four digits, as the simulator documents them; the last two are drawn there. */
const endings = ['0000', '0000', '0001', '0002', '0005', '0006', '0007', '1234', '5678'] as const;
const mostNumbers = 5;
const repeatedOfHundred = 5;
/** A customer who is told 503 comes again after a moment. */
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

/** Makes every request again that has a key and was never answered. */
export async function finishSending(load: Load, world: World): Promise<void> {
  const { unanswered } = load.ledger;
  const never = new AbortController().signal;
  for (let request = unanswered.shift(); request !== undefined; request = unanswered.shift()) {
    await send(load, world, request, never);
  }
}

/** Lets telephones that got a message answer it, one after the other. */
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

/** One reply, if there is somebody who may reply. @throws what the control socket answers or how it breaks */
export async function replyOnce({ ledger, seed }: Load, world: World): Promise<void> {
  const { answered } = ledger;
  const request = answered[Math.floor(drawn(seed, 'replier', ledger.replies.length) * answered.length)];
  // What was never sent to a telephone is not answered by it.
  const from = request?.mobiles.find((mobile) => mobile !== request.sender.optedOut);
  if (from === undefined) return;
  const reply: SentReply = { from, text: `Reply ${ledger.replies.length}`, acknowledged: false };
  ledger.replies.push(reply);
  await world.control('simulator reply', { from, to: '10086', text: reply.text });
  reply.acknowledged = true;
  ledger.acknowledged += 1;
}

async function roomIn({ ledger, recorder, mostOnTheirWay }: Load, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && ledger.acknowledged - recorder.pushes > mostOnTheirWay) await recorder.next(signal);
}

function newRequest({ seed, ledger, senders }: Load): SentRequest {
  const number = ledger.requests.length;
  const sender = senders[number % senders.length];
  if (sender === undefined) throw new Error('there is nobody who sends');
  const count = 1 + Math.floor(drawn(seed, 'count', number) * mostNumbers);
  const mobiles = Array.from({ length: count }, (_, index) => {
    const middle = String((number * mostNumbers + index) % 10_000).padStart(4, '0');
    return `+86138${middle}${drawnOf(endings, seed, 'ending', number, index)}`;
  });
  if (drawn(seed, 'opted out', number) < 0.05) mobiles[0] = sender.optedOut;
  const isKeyed = drawn(seed, 'key', number) < 0.5;
  const request: SentRequest = {
    sender,
    mobiles,
    // Now and then of two segments.
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

/** Whether a broken connection is the kill that was meant, and not a server that broke by itself. */
function isGone(world: World, signal: AbortSignal): boolean {
  return signal.aborted || world.serverPid === 0;
}
