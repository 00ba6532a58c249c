import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { untilListening } from '../nginx.ts';

const programs = { bearerbox: '/usr/sbin/bearerbox', smsbox: '/usr/sbin/smsbox' };

/** Why to skip stories with Kannel, or false. Under CI they run, and fail without it. */
export const withoutKannel = ((): string | false => {
  if (existsSync(programs.bearerbox) || process.env.CI === 'true') return false;
  return 'SKIPPED: kannel is missing (Debian: bash scripts/setup-debian.sh)';
})();

export interface Kannel extends AsyncDisposable {
  /** Sends a text by its HTTP interface. @returns its answer */
  send(to: string, text: string, dlrUrl: string): Promise<string>;
}

interface KannelPlace {
  readonly carrierPort: number;
  readonly account: { readonly id: string; readonly password: string };
  /** Where replies go: `%p` is the phone, `%b` the text. */
  readonly replyUrl: string;
}

/** Kannel's gateway on loopback, bound to an SMPP carrier. */
export async function startKannel({ carrierPort, account, replyUrl }: KannelPlace): Promise<Kannel> {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-kannel-'));
  const [adminPort, boxPort, sendPort] = [await freePort(), await freePort(), await freePort()];
  const file = join(folder, 'kannel.conf');
  const groups = [
    {
      group: 'core',
      'admin-port': adminPort,
      'admin-password': 'story',
      'smsbox-port': boxPort,
      'box-allow-ip': '127.0.0.1',
    },
    {
      ...{ group: 'smsc', smsc: 'smpp', 'smsc-id': 'story', host: '127.0.0.1', port: carrierPort },
      ...{ 'transceiver-mode': true, 'smsc-username': account.id, 'smsc-password': account.password },
      ...{ 'system-type': '""', 'interface-version': 34, 'enquire-link-interval': 2 },
    },
    { group: 'smsbox', 'bearerbox-host': '127.0.0.1', 'sendsms-port': sendPort, 'global-sender': 10690000 },
    { group: 'sendsms-user', username: 'story', password: 'story', 'max-messages': 10, concatenation: true },
    { group: 'sms-service', keyword: 'default', 'get-url': `"${replyUrl}"`, 'max-messages': 0, concatenation: true },
  ];
  const text = groups.map((group) =>
    Object.entries(group)
      .map(([name, value]) => `${name} = ${value}`)
      .join('\n'),
  );
  writeFileSync(file, `${text.join('\n\n')}\n`);
  const children: ChildProcess[] = [];
  const run = (program: string) => {
    const child = spawn(program, [file], { cwd: folder, stdio: 'ignore' });
    children.push(child);
    return child;
  };
  await untilListening(boxPort, run(programs.bearerbox));
  await untilListening(sendPort, run(programs.smsbox));
  return {
    async send(to, message, dlrUrl) {
      const query = new URLSearchParams({
        ...{ username: 'story', password: 'story', from: '10690000', to, text: message },
        ...{ charset: 'UTF-8', coding: /^[ -~]*$/.test(message) ? '0' : '2', 'dlr-mask': '31', 'dlr-url': dlrUrl },
      });
      return (await fetch(`http://127.0.0.1:${sendPort}/cgi-bin/sendsms?${query}`)).text();
    },
    async [Symbol.asyncDispose]() {
      for (const child of children.toReversed()) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
