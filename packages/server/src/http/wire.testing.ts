import assert from 'node:assert/strict';
import { connect } from 'node:net';

/** One answer, complete. */
export interface Answer {
  /** All of it in one comparable form, without the date's value. */
  readonly text: string;
  readonly status: number;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A request without a body, and without `Host`. */
export function requestOf(line: string, ...headers: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`;
}

/** @param text an answer and nothing after it */
export function parseAnswer(text: string): Answer {
  const end = text.indexOf('\r\n\r\n');
  assert.notEqual(end, -1, `no complete answer: ${text}`);
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const body = text.slice(end + 4);
  return {
    text: canonical(statusLine, lines, body),
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(lines.map((line) => [nameOf(line), line.slice(line.indexOf(':') + 2)])),
    body,
  };
}

const nameOf = (line: string) => line.slice(0, line.indexOf(':')).toLowerCase();

/** Header names are compared in lower case and in one order: both mean nothing. All else is compared as it came. */
function canonical(statusLine: string, headerLines: readonly string[], body: string): string {
  const headers = headerLines.map((line) => {
    const name = nameOf(line);
    return name === 'date' ? 'date: …' : name + line.slice(name.length);
  });
  return [statusLine, ...headers.sort(), '', body].join('\n');
}

/** An answer as it must cross the wire, on a connection that ends with it. */
export function wire(statusLine: string, headers: readonly string[], body: string): string {
  return canonical(`HTTP/1.1 ${statusLine}`, [...headers, 'Date: now', 'Connection: close'], body);
}

/** Sends bytes as they are (Latin-1) to a loopback port and reads until the server closes. */
export async function exchange(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
