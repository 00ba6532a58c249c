import { spawn } from 'node:child_process';
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
  close(): Promise<void>;
}

/** Puts the program where npm puts it in a clone, so that `npx --no waxwing` is found in the folder as it is there. */
export function makeClone(folder: string): void {
  const programs = join(folder, 'node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  symlinkSync(program, join(programs, 'waxwing'));
}

/** @param folder where it starts; programs in its `bin` come before the machine's */
export function openShell(folder: string): ShellSession {
  const shell = spawn('bash', ['-eu', '-o', 'pipefail'], {
    cwd: folder,
    env: {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      HOME: folder,
      // npx shall run what is in the folder, and ask nobody.
      npm_config_update_notifier: 'false',
      npm_config_offline: 'true',
    },
  });
  let printed = '';
  let errors = '';
  let pasted = 0;
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
      shell.stdin.write(`${text}\nprintf '%s\\n' '${end}'\n`);
      while (!printed.includes(end)) {
        const ended = await Promise.race([
          closed.then(() => true),
          new Promise<boolean>((resolve) => shell.stdout.once('data', () => resolve(false))),
        ]);
        if (ended && !printed.includes(end)) throw new Error(`a block failed:\n${text}\n${printed}${errors}`);
      }
      return printed.slice(0, printed.indexOf(end));
    },
    async close() {
      shell.stdin.end();
      await closed;
    },
  };
}
