import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url));

/** docs/guides/simulated-carrier.md describes the fields. */
const script = {
  message_ids: 'decimal-to-hex',
  otherwise: { receipts: [{ state: 'DELIVRD', after: '100ms-1500ms' }] },
  rules: [
    { prefix: '+8613800130001', receipts: [{ state: 'UNDELIV', error: 27, after: '1s' }] },
    { prefix: '+8613800130002', receipts: [{ state: 'REJECTD', error: 99, after: '500ms' }] },
    { prefix: '+8613800130003', answer: 'refuse', code: '0x0b' },
    { prefix: '+8613800130005', receipts: [{ state: 'DELIVRD', before_answer: true }] },
    { prefix: '+8613800130006', receipts: [{ state: 'DELIVRD', times: 2 }] },
    { prefix: '+8613800130000', replies: [{ text: '收到，谢谢!', after: '2s' }] },
  ],
};

export interface DemoCarrier {
  readonly account: string;
  readonly passwordFile: string;
  /** `HOST:PORT`, once it listens. */
  readonly address: Promise<string>;
  end(): Promise<void>;
}

/** Runs `waxwing simulator smsc` by the script above. @param folder for its password and script */
export function startDemoCarrier(folder: string): DemoCarrier {
  const [account, passwordFile, scriptFile] = ['demo', join(folder, 'carrier.password'), join(folder, 'carrier.json')];
  writeFileSync(passwordFile, 'sesame', { mode: 0o600 });
  writeFileSync(scriptFile, JSON.stringify(script));
  const settings = ['--listen', '127.0.0.1:0', '--account', account, '--password-file', passwordFile];
  const child = spawn(process.execPath, [main, 'simulator', 'smsc', ...settings, '--script', scriptFile, '--json'], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const firstLine = once(createInterface({ input: child.stdout }), 'line');
  const ended = exited.then(([code]) => Promise.reject(new Error(`the simulated carrier ended with ${code}`)));
  const address = Promise.race([
    firstLine.then(([line]) => (JSON.parse(line) as { readonly listening: string }).listening),
    ended,
  ]);
  // The demo may end before anybody asks.
  address.catch(() => {});
  return {
    account,
    passwordFile,
    address,
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
