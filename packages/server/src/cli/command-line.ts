import { version } from '../runtime/version.ts';
import { parseCommandLine } from './arguments.ts';
import type { AnyCommand, Arguments } from './command.ts';
import { commands } from './command-table.ts';
import { exitCodeOf, printError } from './error-report.ts';
import { helpText } from './help-text.ts';
import { settingsOrRefusal } from './local-settings.ts';
import { runAtDatabase } from './run-at-database.ts';
import type { Terminal } from './terminal.ts';

/** 0: done. 1: refused, with the reason on stderr. 2: wrong usage. */
export type ExitCode = 0 | 1 | 2;

/**
 * Runs one command line.
 * @param argv without the program's name
 */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const line = parseCommandLine(argv, commands);
    switch (line.kind) {
      case 'version':
        terminal.stdout.write(`${version}\n`);
        return 0;
      case 'help':
        (line.asked ? terminal.stdout : terminal.stderr).write(`${helpText(line.topic, commands)}\n`);
        return line.asked ? 0 : 2;
      case 'command':
        return await runCommand(line, terminal);
    }
  } catch (error) {
    terminal.stderr.write(`${printError(error, argv.includes('--json'))}\n`);
    return exitCodeOf(error);
  }
}

interface CommandCall {
  readonly command: AnyCommand;
  readonly args: Arguments;
  readonly json: boolean;
  readonly envFile: string | undefined;
}

async function runCommand({ command, args, json, envFile }: CommandCall, terminal: Terminal): Promise<ExitCode> {
  const shown = await execute(command, args, envFile, terminal);
  if (shown === undefined) return 0;
  terminal.stdout.write(`${json ? JSON.stringify(shown, null, 2) : command.print(shown, args)}\n`);
  return command.isFailure?.(shown) === true ? 1 : 0;
}

/** @returns what is shown; undefined when the command has said all itself */
async function execute(
  command: AnyCommand,
  args: Arguments,
  envFile: string | undefined,
  terminal: Terminal,
): Promise<object | undefined> {
  if ('execute' in command) return command.execute(args, { terminal, envFile });
  const place = { terminal, settings: settingsOrRefusal(terminal, envFile) };
  const answer = await runAtDatabase(place, command, await command.prepare(args, place));
  return command.finish === undefined ? answer : command.finish(answer, args, place);
}
