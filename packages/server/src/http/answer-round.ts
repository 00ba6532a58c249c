import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Sends a whole answer, together with the others of this turn of the loop. */
export type SendInRound = (
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string,
) => void;

type Answer = Parameters<SendInRound>;

/**
 * Answers that become ready in one turn of the loop (the requests of one poll, or all who waited for one commit) leave
 * one right after the other when its work is done, instead of each amid the work for the next. Sending is half of what
 * a request costs, nearly all of it in the kernel, and in a row its code stays in the processor's caches and a client
 * of many connections is woken once. Measured on the 2-core reference machine with 64 connections: main thread per 304
 * 24 µs → 18 µs, per JSON 200 5 µs less.
 */
export function createAnswerRound(): SendInRound {
  let round: Answer[] = [];

  function send(): void {
    const answers = round;
    round = [];
    for (const [response, status, headers, body] of answers) response.writeHead(status, headers).end(body);
  }

  return (...answer) => {
    if (round.length === 0) setImmediate(send);
    round.push(answer);
  };
}
