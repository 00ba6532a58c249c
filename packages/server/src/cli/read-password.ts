import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Usage } from './command.ts';
import type { Terminal } from './terminal.ts';

const longest = 4096;

/** What is read, and the option that asked for it. */
interface Asked {
  readonly noun: 'password' | 'secret';
  readonly option: string;
}

/**
 * One line of stdin, without its end. On a terminal it is asked for and not echoed.
 * @throws Usage when there is nothing, or no text
 */
export function readPassword(terminal: Terminal): Promise<string> {
  return readUnseen(terminal, { noun: 'password', option: '--password-stdin' });
}

/** As `readPassword`, for a secret whose option has the value `-`. */
export function readSecret(terminal: Terminal, option: string): Promise<string> {
  return readUnseen(terminal, { noun: 'secret', option: `--${option} -` });
}

async function readUnseen(terminal: Terminal, asked: Asked): Promise<string> {
  const bytes = terminal.stdin.isTTY === true ? await askUnseen(terminal, asked) : await readLine(terminal, asked);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Usage(`The ${asked.noun} on stdin is not UTF-8 text.`);
  }
}

async function readLine({ stdin }: Terminal, { noun, option }: Asked): Promise<Buffer> {
  let read = Buffer.alloc(0);
  for await (const chunk of stdin) {
    read = Buffer.concat([read, Buffer.from(chunk)]);
    if (read.includes('\n') || read.length > longest) break;
  }
  const end = read.indexOf('\n');
  if (end < 0 && read.length === 0) throw new Usage(`${option} was given, but stdin is empty.`);
  const line = end < 0 ? read : read.subarray(0, end);
  if (line.length > longest) throw new Usage(`The ${noun} on stdin is longer than ${longest} bytes.`);
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}

/** As a terminal of its own that writes to nobody, so that nothing typed is seen. */
async function askUnseen({ stdin, stderr }: Terminal, { noun }: Asked): Promise<Buffer> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  stderr.write(noun === 'password' ? 'Password: ' : 'Secret: ');
  try {
    return Buffer.from(await asking.question('', { signal: interrupted(asking) }));
  } catch {
    throw new Usage(`No ${noun} was given.`);
  } finally {
    asking.close();
    stderr.write('\n');
  }
}

/** Ctrl-C and Ctrl-D: without this the question would wait for ever. */
function interrupted(asking: ReturnType<typeof createInterface>): AbortSignal {
  const stop = new AbortController();
  asking.once('SIGINT', () => stop.abort());
  asking.once('close', () => stop.abort());
  return stop.signal;
}
