import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../packages/server/bin/waxwing.mjs', import.meta.url));

/** A shell in which blocks of the guides are pasted one after the other, and that gives up at the first failure. */
export interface ShellSession {
  /**
   * Pastes text; what in it reads the terminal reads the lines that follow.
   * @returns what was printed
   * @throws with all that was printed when a command failed
   */
  paste(text: string): Promise<string>;
  /** Pastes text that ends in a program which runs on, until the session is closed. */
  run(text: string): void;
  /** Resolves once what a program that runs on has printed matches. */
  printed(pattern: RegExp): Promise<void>;
  close(): Promise<void>;
}

/** Puts the program where npm puts it in a clone, so that `npx --no waxwing` is found in the folder as it is there. */
export function makeClone(folder: string): void {
  const programs = join(folder, 'node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  symlinkSync(program, join(programs, 'waxwing'));
}

export interface ShellOptions {
  /** Its own folder unless another is named. */
  readonly home?: string;
  /** As a terminal does: after a failure the next command is run. */
  readonly goesOn?: boolean;
}

/** @param folder where it starts; programs in its `bin` come before the machine's */
export function openShell(folder: string, { home = folder, goesOn = false }: ShellOptions = {}): ShellSession {
  const shell = spawn('bash', goesOn ? [] : ['-eu', '-o', 'pipefail'], {
    cwd: folder,
    // A process group of its own, so that Ctrl-C reaches every process that runs in it.
    detached: true,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      HOME: home,
      ...(home !== folder && { TMPDIR: join(home, 'tmp') }),
      // npx shall run what is in the folder, and ask nobody.
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
  // Jobs that a failed block leaves in the background must not outlive the story.
  shell.stdin.write("trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n");

  return {
    async paste(text) {
      pasted += 1;
      const end = `end of block ${pasted}`;
      printed = '';
      // A chain of `a && b` that failed does not end a shell by itself.
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
