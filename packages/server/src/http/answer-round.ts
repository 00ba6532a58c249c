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
 * Answers can become ready in the same turn of the event loop: those of one poll, or of all who waited for one commit.
 * They are sent one after the other at the end of that turn. Otherwise each would be sent between the work for two
 * requests. Sending is half of what a request costs, nearly all of it in the kernel. In a row, the kernel's code stays in
 * the processor's caches, and a client of many connections is woken once. `docs/performance.md` has the figures.
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
