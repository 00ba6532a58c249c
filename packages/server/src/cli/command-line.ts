import { version } from '../runtime/version.ts';
import { answerField } from './answer-field.ts';
import { type CommandLine, parseCommandLine } from './arguments.ts';
import { type AnyCommand, type Arguments, type Command, type Place, Usage } from './command.ts';
import { commands } from './command-table.ts';
import { confirmIfAsked } from './confirmation.ts';
import { exitCodeOf, printError } from './error-report.ts';
import type { Connection } from './exchange/exchange.ts';
import { namesServer, remoteTarget } from './exchange/remote-target.ts';
import { helpText } from './help-text.ts';
import { readEnvironment, settingsOrRefusal } from './local-settings.ts';
import type { Terminal } from './terminal.ts';
import { jsonText } from './text-table.ts';

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
        if (!line.asked && argv.includes('--json')) throw missingCommand(line.topic);
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

/** For a script, which cannot read help. */
function missingCommand(group: string): Usage {
  const names = commands.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
  return group === ''
    ? new Usage('There is no command. "waxwing help" shows all.')
    : new Usage(`"${group}" needs one of: ${names.join(', ')}.`, group);
}

type CommandCall = Extract<CommandLine<AnyCommand>, { readonly kind: 'command' }>;

async function runCommand(
  { command, args, json, fields, envFile }: CommandCall,
  terminal: Terminal,
): Promise<ExitCode> {
  const shown = await execute(command, args, envFile, terminal);
  if (shown === undefined) return 0;
  if (fields === undefined) terminal.stdout.write(`${json ? jsonText(shown, 2) : command.print(shown, args)}\n`);
  else writeField(shown, fields, terminal);
  return command.isFailure?.(shown) === true ? 1 : 0;
}

/** What has no such field is written whole: a token in it is shown this once. */
function writeField(shown: object, fields: readonly string[], { stdout }: Terminal): void {
  try {
    stdout.write(answerField(shown, fields));
  } catch (error) {
    stdout.write(`${jsonText(shown, 2)}\n`);
    throw error;
  }
}

/** @returns what is shown; undefined when the command has said all itself */
async function execute(
  command: AnyCommand,
  args: Arguments,
  envFile: string | undefined,
  terminal: Terminal,
): Promise<object | undefined> {
  if ('execute' in command) {
    const environment = command.ignoresServer === true ? {} : readEnvironment(terminal, envFile);
    if (namesServer({ args, environment })) throw needsMachine(command.name);
    return command.execute(args, { terminal, envFile });
  }
  const settings = settingsOrRefusal(terminal, envFile);
  const connection = await connectionFor(command, args, { terminal, settings, envFile });
  try {
    const { apiClient } = await import('./exchange/api-client.ts');
    const confirm: Place['confirm'] = (ask) => confirmIfAsked(ask, { args, terminal, pause: () => connection.close() });
    return await command.call(apiClient(connection), args, { terminal, settings, confirm });
  } finally {
    await connection.close();
  }
}

async function connectionFor(
  command: Command,
  args: Arguments,
  { terminal, settings, envFile }: Pick<Place, 'terminal' | 'settings'> & { readonly envFile: string | undefined },
): Promise<Connection> {
  const environment = readEnvironment(terminal, envFile);
  if (!namesServer({ args, environment })) {
    if (args.flag('token-file')) throw new Usage('--token-file goes with --server alone.', command.name);
    const { localConnection } = await import('./exchange/inline-exchange.ts');
    return localConnection({ terminal, settings });
  }
  if (command.machine === true) throw needsMachine(command.name);
  const target = await remoteTarget({ args, terminal, environment, allowsPlainHttp: settings.plainHttp === 'allow' });
  const { httpsConnection } = await import('./exchange/https-exchange.ts');
  return httpsConnection(target);
}

function needsMachine(name: string): Usage {
  return new Usage(
    `"${name}" needs the machine itself: run it where the data folder is, without --server and WAXWING_SERVER.`,
    name,
  );
}
