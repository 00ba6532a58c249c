import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../packages/server/bin/waxwing.mjs', import.meta.url));

/** A shell that runs pasted blocks of the guides, and stops at the first failure. */
export interface ShellSession {
  /**
   * Pastes text. Commands that read the terminal read its following lines.
   * @returns the output
   * @throws with the output when a command failed
   */
  paste(text: string): Promise<string>;
  /** Pastes text that ends in a program which keeps running until the session closes. */
  run(text: string): void;
  /** Resolves once the running program's output matches. */
  printed(pattern: RegExp): Promise<void>;
  close(): Promise<void>;
}

/** Installs the program where npm puts it in a clone, for `npx --no waxwing`. */
export function makeClone(folder: string): void {
  const programs = join(folder, 'node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  symlinkSync(program, join(programs, 'waxwing'));
}

export interface ShellOptions {
  /** By default its own folder. */
  readonly home?: string;
  /** Runs the next command after a failure, as a terminal does. */
  readonly goesOn?: boolean;
}

/** @param folder where it starts; programs in its `bin` come before the machine's */
export function openShell(folder: string, { home = folder, goesOn = false }: ShellOptions = {}): ShellSession {
  const shell = spawn('bash', goesOn ? [] : ['-eu', '-o', 'pipefail'], {
    cwd: folder,
    // A process group, so that Ctrl-C reaches every process in it.
    detached: true,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      HOME: home,
      ...(home !== folder && { TMPDIR: join(home, 'tmp') }),
      // npx runs the folder's program without a question.
      npm_config_update_notifier: 'false',
      npm_config_offline: 'true',
    },
  });
  let printed = '';
  let errors = '';
  let pasted = 0;
  let runsOn = false;
  const closed = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  shell.stdin.on('error', () => {});
  shell.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  shell.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  // Background jobs of a failed block must end with the story.
  shell.stdin.write("trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n");

  return {
    async paste(text) {
      pasted += 1;
      const end = `end of block ${pasted}`;
      printed = '';
      // A failed `a && b` does not end a shell.
      const check = goesOn ? '' : '[ "$?" = 0 ] || exit 1';
      shell.stdin.write(`${text}\n${check}\nprintf '%s\\n' '${end}'\n`);
      while (!printed.includes(end)) {
        const ended = await Promise.race([
          closed.then(() => true),
          new Promise<boolean>((resolve) => shell.stdout.once('data', () => resolve(false))),
        ]);
        if (ended && !printed.includes(end)) throw new Error(`a block failed:\n${text}\n${printed}${errors}`);
      }
      return printed.slice(0, printed.indexOf(end));
    },
    run(text) {
      runsOn = true;
      printed = '';
      shell.stdin.write(`${text}\n`);
    },
    async printed(pattern) {
      while (!pattern.test(printed)) {
        const more = await Promise.race([once(shell.stdout, 'data'), closed]);
        if (more === undefined) throw new Error(`it ended without ${pattern}:\n${printed}${errors}`);
      }
    },
    async close() {
      if (runsOn && shell.pid !== undefined) process.kill(-shell.pid, 'SIGINT');
      shell.stdin.end();
      await closed;
    },
  };
}
