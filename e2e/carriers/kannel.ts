import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { untilListening } from '../nginx.ts';
import type { Account } from './sending-world.ts';

/** Debian has the boxes where the PATH of most people does not look. */
const path = `${process.env.PATH}:/usr/sbin`;

/** Why to skip stories with Kannel, or false. Under CI they run, and fail without it. */
export const withoutKannel = ((): string | false => {
  const found = spawnSync('bearerbox', ['--version'], { env: { PATH: path } });
  if (found.error === undefined || process.env.CI === 'true') return false;
  return 'SKIPPED: kannel is missing (Debian: bash scripts/setup-debian.sh)';
})();

export interface Kannel extends AsyncDisposable {
  /** Sends by its HTTP interface. @param parameters of `sendsms`, without user, password and charset. @returns its words */
  sendSms(parameters: Readonly<Record<string, string>>): Promise<string>;
  /** Ends both boxes in order, as an operator does. */
  stop(): Promise<void>;
}

/**
 * Kannel's two boxes, bound to a carrier by one transceiver.
 * @param replyUrl the URL that Kannel calls for each message from a phone, with escapes of Kannel such as `%a`
 */
export async function startKannel(port: number, account: Account, replyUrl: string): Promise<Kannel> {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-kannel-'));
  const ports = { admin: await freePort(), smsbox: await freePort(), sendsms: await freePort() };
  const file = join(folder, 'kannel.conf');
  writeFileSync(file, configuration(port, account, replyUrl, ports));
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'a');
  const boxes: ChildProcess[] = [];
  function start(name: 'bearerbox' | 'smsbox'): ChildProcess {
    const box = spawn(name, [file], { cwd: folder, env: { PATH: path }, stdio: ['ignore', log, log] });
    boxes.push(box);
    return box;
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    for (const box of boxes.splice(0).reverse()) {
      const exited = box.exitCode === null && box.signalCode === null ? once(box, 'exit') : undefined;
      box.kill(signal);
      await exited;
    }
  }
  const status = async () => {
    const answer = await fetch(`http://127.0.0.1:${ports.admin}/status.txt?password=${adminPassword}`);
    return answer.text();
  };
  const kannel: Kannel = {
    async sendSms(parameters) {
      const query = new URLSearchParams({ ...sender, charset: 'UTF-8', ...parameters });
      const answer = await fetch(`http://127.0.0.1:${ports.sendsms}/cgi-bin/sendsms?${query}`);
      return `${answer.status} ${await answer.text()}`;
    },
    stop: () => end('SIGTERM'),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      closeSync(log);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    const bearerbox = start('bearerbox');
    for (const listener of [ports.admin, ports.smsbox]) await untilListening(listener, bearerbox);
    await untilListening(ports.sendsms, start('smsbox'));
    while (!/online \d+s/.test(await status())) await delay(100);
  } catch (error) {
    console.log(readFileSync(logFile, 'utf8'));
    await kannel[Symbol.asyncDispose]();
    throw error;
  }
  return kannel;
}

const adminPassword = 'story';
const sender = { username: 'story', password: 'story' };

/** @see Kannel user guide 1.4.5, chapters 3 and 6 */
function configuration(
  port: number,
  { id, password }: Account,
  replyUrl: string,
  ports: Readonly<Record<'admin' | 'smsbox' | 'sendsms', number>>,
): string {
  const groups = [
    {
      group: 'core',
      'admin-port': ports.admin,
      'admin-interface': '127.0.0.1',
      'admin-password': adminPassword,
      'smsbox-port': ports.smsbox,
      'smsbox-interface': '127.0.0.1',
      'dlr-storage': 'internal',
      'sms-resend-freq': 1,
    },
    {
      group: 'smsc',
      smsc: 'smpp',
      'smsc-id': 'waxwing',
      host: '127.0.0.1',
      port,
      'transceiver-mode': 'true',
      'smsc-username': id,
      'smsc-password': password,
      'system-type': '""',
      'enquire-link-interval': 2,
    },
    {
      group: 'smsbox',
      'bearerbox-host': '127.0.0.1',
      'sendsms-port': ports.sendsms,
      'sendsms-interface': '127.0.0.1',
    },
    { group: 'sendsms-user', ...sender, 'max-messages': 10, concatenation: 'true' },
    { group: 'sms-service', keyword: 'default', 'catch-all': 'true', 'max-messages': 0, 'get-url': `"${replyUrl}"` },
  ];
  const linesOf = (group: object) => Object.entries(group).map(([name, value]) => `${name} = ${value}\n`);
  return groups.map((group) => linesOf(group).join('')).join('\n');
}
