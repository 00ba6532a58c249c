import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** Why to skip stories with tshark, or false. Under CI they run, and fail without it. */
export const withoutTshark = ((): string | false => {
  if (spawnSync('tshark', ['--version']).error === undefined || process.env.CI === 'true') return false;
  return 'SKIPPED: tshark is missing (Debian: bash scripts/setup-debian.sh)';
})();

export interface Capture extends AsyncDisposable {
  /** Ends it, and decodes what was captured. @returns the value of each field, one line for each packet */
  decode(protocol: 'smpp' | 'cmpp', fields: readonly string[]): Promise<readonly string[]>;
}

/** The last packets reach the file within this. */
const flushMs = 1_000;

/** Captures the packets of one port on loopback. @throws Error when capturing is not permitted */
export async function captureOf(port: number, file: string): Promise<Capture> {
  const child = spawn('tshark', ['-q', '-i', 'lo', '-f', `tcp port ${port}`, '-w', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const said: string[] = [];
  const begun = new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      said.push(line);
      if (line.startsWith('Capturing on')) resolve();
    });
    void exited.then(() => reject(new Error(`tshark cannot capture: ${said.join(' ')}`)));
  });
  await begun;
  // It says so before the first packet is taken.
  await delay(flushMs);
  async function end(): Promise<void> {
    if (child.exitCode === null) child.kill('SIGINT');
    await exited;
  }

  return {
    [Symbol.asyncDispose]: end,
    async decode(protocol, fields) {
      await delay(flushMs);
      await end();
      const wanted = fields.flatMap((field) => ['-e', field]);
      const how = ['-d', `tcp.port==${port},${protocol}`, '-T', 'fields', '-E', 'separator=|', ...wanted];
      const { stdout, stderr, status } = spawnSync('tshark', ['-r', file, ...how], { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      return stdout.split('\n').filter((line) => line !== '');
    },
  };
}
