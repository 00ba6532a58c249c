import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));

export const carrierAccount = { id: 'oracle', password: 'sesame12' };

/** `waxwing simulator smsc` as a process that can be killed, and started again on the same port. */
export interface CarrierProcess extends AsyncDisposable {
  start(): Promise<void>;
  /** SIGKILL: receipts that wait there are lost. */
  kill(): Promise<void>;
}

interface CarrierTalk {
  /** What the carrier does, as its guide says. */
  readonly script: unknown;
  readonly seed?: number;
  readonly protocol?: 'smpp' | 'cmpp2' | 'cmpp3';
}

export function carrierProcess(
  folder: string,
  port: number,
  { script, seed = 1, protocol = 'smpp' }: CarrierTalk,
): CarrierProcess {
  const files = { password: join(folder, 'carrier.password'), script: join(folder, 'carrier.json') };
  writeFileSync(files.password, carrierAccount.password);
  writeFileSync(files.script, JSON.stringify(script));
  const where = [
    '--protocol',
    protocol,
    '--listen',
    `127.0.0.1:${port}`,
    '--account',
    carrierAccount.id,
    '--password-file',
    files.password,
  ];
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  }

  return {
    async start() {
      const command = [main, 'simulator', 'smsc', ...where, '--script', files.script, '--seed', String(seed)];
      const started = spawn(process.execPath, command, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
      child = started;
      // It prints one line when it listens.
      await once(createInterface(started.stdout), 'line');
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
