import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SmscCounts } from '@waxwing/smsc/smsc-counts.ts';
import { startProgram } from '../../packages/server/src/cli/program.testing.ts';
import type { Account } from './sending-world.ts';

/** `waxwing simulator smsc` in a process of its own. Its disposal kills it: receipts that wait there are lost. */
export interface SimulatedSmsc extends AsyncDisposable {
  readonly port: number;
  /** Sends SIGINT, and waits for the end of the process. @returns the counts that the carrier printed */
  stop(): Promise<SmscCounts>;
}

/**
 * @param script as a person writes it
 * @param port to listen on; a free one unless told
 */
export async function startSimulatedSmsc(
  protocol: 'smpp' | 'cmpp2' | 'cmpp3',
  { id, password }: Account,
  script: object,
  { port = 0, seed = 1 }: { readonly port?: number; readonly seed?: number } = {},
): Promise<SimulatedSmsc> {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-smsc-'));
  writeFileSync(join(folder, 'password'), password);
  writeFileSync(join(folder, 'script.json'), JSON.stringify(script));
  const child = startProgram(folder, [
    ...['simulator', 'smsc', '--json', '--listen', `127.0.0.1:${port}`, '--protocol', protocol],
    ...['--account', id, '--password-file', 'password', '--script', 'script.json', '--seed', `${seed}`],
  ]);
  const closed = once(child, 'close');
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout });
  const [first] = (await Promise.race([once(lines, 'line'), closed.then(() => [undefined])])) as [string | undefined];
  if (first === undefined) throw new Error('the simulated carrier did not start');
  const said: string[] = [];
  lines.on('line', (line) => said.push(line));
  return {
    port: Number(new URL(`tcp://${(JSON.parse(first) as { listening: string }).listening}`).port),
    async stop() {
      child.kill('SIGINT');
      await closed;
      return JSON.parse(said.join('\n')) as SmscCounts;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
