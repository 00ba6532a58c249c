import type { IncomingMessage } from 'node:http';
import { Problem } from '../../runtime/problem.ts';
import type { ApiReply } from './exchange.ts';

/** No list that a person asks for comes near it. */
const longestAnswer = 64 * 1024 * 1024;

/** @throws Problem `internal_error` when the body is longer than 64 MiB */
export async function readBody(response: IncomingMessage): Promise<ApiReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestAnswer) throw new Problem('internal_error', { detail: 'The server answered more than 64 MiB.' });
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}
