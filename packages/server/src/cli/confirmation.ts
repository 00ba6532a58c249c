/**
 * The question before a command takes something away. It asks when no other command can bring that back, when servers,
 * programs or people are refused from that moment on, or when servers get another certificate. A permanent loss is confirmed by the name of the thing,
 * where it has one; all else by "y". It asks on a terminal only: scripts never wait.
 */
import { createInterface } from 'node:readline';
import { Problem } from '../runtime/problem.ts';
import type { Arguments, Option, Place } from './command.ts';
import type { Terminal } from './terminal.ts';
import { plainText } from './text-table.ts';

/** Of every command that may ask. */
export const yesOption = {
  type: 'boolean',
  help: 'Do not ask, on a terminal either',
} as const satisfies Option;

/**
 * @param pause gives back what is held, such as the lock of the database: people take their time
 * @throws Problem `conflict` when the person at the terminal does not agree
 */
export async function confirmIfAsked(
  ask: Parameters<Place['confirm']>[0],
  { args, terminal, pause }: { readonly args: Arguments; readonly terminal: Terminal; pause(): Promise<void> },
): Promise<void> {
  if (args.flag('yes') || !hasPerson(terminal)) return;
  const question = await ask();
  if (question === undefined) return;
  await pause();
  const wanted = question.name === undefined ? 'y' : plainText(question.name).trim();
  terminal.stderr.write(`${plainText(question.consequence)}\nType ${wanted} to go on: `);
  const typed = await readAnswer(terminal);
  if (typed === wanted || (wanted === 'y' && /^(?:y|yes)$/i.test(typed))) return;
  throw new Problem('conflict', { field: 'answer', detail: `Nothing was changed: the answer was not ${wanted}.` });
}

/** Both streams must be terminals: one to see the question, one to answer it. */
function hasPerson({ stdin, stderr }: Terminal): boolean {
  return stderr.isTTY === true && stdin.isTTY === true;
}

/** One line as the terminal hands it over. Ctrl-C ends the process as always; Ctrl-D is an empty answer. */
async function readAnswer({ stdin, stderr }: Terminal): Promise<string> {
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    for await (const line of lines) return line.trim();
    stderr.write('\n');
    return '';
  } finally {
    lines.close();
  }
}

/** `1 deployment`, `12 deployments`, `1000 or more deployments`. @param most how many a list shows at most */
export function counted(count: number, noun: string, most = Number.POSITIVE_INFINITY): string {
  return `${count}${count >= most ? ' or more' : ''} ${noun}${count === 1 ? '' : 's'}`;
}
