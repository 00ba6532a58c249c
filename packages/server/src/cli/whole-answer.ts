import type { IncomingMessage } from 'node:http';
import { Problem } from '../runtime/problem.ts';

/** No list that a person asks for comes near it. */
const longestAnswer = 64 * 1024 * 1024;

/** The body of a server's answer. @throws Problem `internal_error` when it is longer than 64 MiB */
export async function readWholeAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestAnswer) throw new Problem('internal_error', { detail: 'The server answered more than 64 MiB.' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
