import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { reply, startTrialReceiver, type TrialReceiver } from '../../packages/server/src/outbound/receiver.testing.ts';
import { drawn } from '../drawn.ts';
import { type Answer, type AnswerPlan, answerTo } from './answer-plan.ts';

/** A push that arrived, and its answer. */
export interface Arrival {
  /** `Webhook-Id` */
  readonly pushId: string;
  readonly path: string;
  readonly query: string;
  /** When the attempt began by the sender's clock, whole seconds: `Webhook-Timestamp`. */
  readonly beganAt: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly answer: Answer;
  /** When the whole answer was written. */
  answeredAt: number | undefined;
  /**
   * A used connection ended before a byte of answer: a client may take it for an idle one and repeat the attempt (RFC
   * 9112 §9.5).
   */
  readonly mayComeTwice: boolean;
  /** The request's connection and its place there, both from 1. */
  readonly connection: number;
  readonly request: number;
  /** The address that it came from. */
  readonly sender: string;
}

/** A receiver that answers by a plan and records every request. */
export interface PushRecorder extends AsyncDisposable {
  readonly port: number;
  readonly arrivals: readonly Arrival[];
  /** Different pushes. */
  readonly pushes: number;
  /** Requests to the targets of redirects. */
  readonly followed: number;
  /** Resolves with the next push, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void>;
}

const forbidden = '/never';

export async function startPushRecorder(plan: AnswerPlan): Promise<PushRecorder> {
  const receiver = await startTrialReceiver();
  const arrivals: Arrival[] = [];
  const known = new Map<string, { readonly subject: string; arrivals: number }>();
  const subjects = new Map<string, number>();
  const connections = new WeakMap<Socket, { number: number; requests: number }>();
  let followed = 0;
  const heard = new EventEmitter();
  heard.setMaxListeners(0);

  receiver.serve = (socket, head) => {
    const request = parseHead(head);
    if (request.path === forbidden) followed += 1;
    const connection = connections.get(socket) ?? {
      number: receiver.connections,
      requests: 0,
    };
    connections.set(socket, connection);
    connection.requests += 1;
    const push = known.get(request.pushId) ?? { subject: nameOf(request), arrivals: 0 };
    known.set(request.pushId, push);
    push.arrivals += 1;
    const answer = answerTo(plan, push.subject, push.arrivals);
    const arrival: Arrival = {
      ...request,
      at: Date.now(),
      answer,
      answeredAt: undefined,
      mayComeTwice: connection.requests > 1 && (answer === 'reset' || answer === 'close'),
      connection: connection.number,
      request: connection.requests,
      sender: socket.remoteAddress ?? '',
    };
    arrivals.push(arrival);
    act(socket, arrival, drawn(plan.seed, 'delay', push.subject, push.arrivals), receiver);
    heard.emit('arrival');
  };

  /** Ids change with every run. The number and the text are the test's own. */
  function nameOf({ path, query }: Request): string {
    const given = new URLSearchParams(query);
    const subject = JSON.stringify([path, given.get('mobile'), given.get('message')]);
    const number = (subjects.get(subject) ?? 0) + 1;
    subjects.set(subject, number);
    return `${subject} ${number}`;
  }

  return {
    port: receiver.port,
    arrivals,
    get pushes() {
      return known.size;
    },
    get followed() {
      return followed;
    },
    next: (signal) =>
      new Promise((resolve) => {
        const done = () => {
          heard.off('arrival', done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        heard.once('arrival', done);
        signal.addEventListener('abort', done);
        if (signal.aborted) done();
      }),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

/** @param chance from [0, 1): the delay of a slow answer */
function act(socket: Socket, arrival: Arrival, chance: number, { port }: TrialReceiver): void {
  const { answer } = arrival;
  const write = (status: number, headers: Record<string, string> = {}) => {
    if (socket.destroyed) return;
    socket.write(reply(status, '', headers));
    arrival.answeredAt = Date.now();
  };
  if (answer === 'ok') write(200);
  else if (answer === 'slow') setTimeout(write, 100 + chance * 300, 200).unref();
  else if (answer === '302') write(302, { Location: `http://127.0.0.1:${port}${forbidden}` });
  else if (answer === 'reset') socket.resetAndDestroy();
  else if (answer === 'close') socket.destroy();
  else if (answer === 'cut') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf ');
  else if (answer !== 'hang') write(Number(answer));
}

type Request = Pick<Arrival, 'pushId' | 'path' | 'query' | 'beganAt'>;

function parseHead(head: string): Request {
  const [line = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((each) => [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 1).trim()]),
  );
  const target = line.split(' ')[1] ?? '';
  const mark = target.indexOf('?');
  return {
    pushId: headers.get('webhook-id') ?? '',
    path: mark === -1 ? target : target.slice(0, mark),
    query: mark === -1 ? '' : target.slice(mark + 1),
    beganAt: Number(headers.get('webhook-timestamp')),
  };
}
