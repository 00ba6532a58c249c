// Plain JavaScript: any Node of the machine reads this file (20 or newer).
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { compileCache } from './compile-cache.mjs';

/**
 * The arguments that make Node run a script. Without `--`, Node itself takes `--env-file` even behind the script.
 *
 * @param {string} script
 * @param {readonly string[]} args
 */
export function nodeArguments(script, args) {
  return ['--', script, ...args];
}

/** By default glibc keeps up to eight memory areas per core, and a thread does not reuse what another one freed. */
const memoryAreas = { MALLOC_ARENA_MAX: '2' };
/** Tells the server that its parent is this launcher, for life (packages/server/src/cli/run-server.ts). */
const launched = { LAUNCHED_IN_FOREGROUND: '1' };
const environment = { ...memoryAreas, NODE_COMPILE_CACHE: compileCache };

/**
 * Runs a command in this process's place: same terminal, same signals, same exit code. Resolves when it has ended.
 *
 * Ctrl-C reaches every process of the terminal's foreground group, so a SIGINT from a terminal is not passed on: the
 * child would take the second one as "stop at once". SIGTERM and SIGHUP are sent to one process. SIGKILL cannot be
 * passed on; the server stops when it loses its channel to this process.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').StdioOptions} [stdio]
 * @returns {Promise<number>} the exit code; 128 + signal number when a signal ended the child
 */
export function runInForeground(command, args, stdio = ['inherit', 'inherit', 'inherit', 'ipc']) {
  const child = spawn(command, args, { stdio, env: { ...environment, ...process.env, ...launched } });
  const handlers = {
    SIGINT: () => process.stdin.isTTY || child.kill('SIGINT'),
    SIGTERM: () => child.kill('SIGTERM'),
    SIGHUP: () => child.kill('SIGHUP'),
  };
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  const watch = endWithNpm(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const [name, handler] of Object.entries(handlers)) process.off(name, handler);
      clearInterval(watch);
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM']);
    });
  });
}

/**
 * A SIGTERM to npm ends only the shell between npm and this process. Without this the server would keep running.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 500);
  return watch.unref();
}
