import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';

/** Why to skip tests that need Pebble, or false. Under CI they run, and fail without it. */
export const withoutPebble = ((): string | false => {
  if (spawnSync('pebble', ['-h']).error === undefined) return false;
  return process.env.CI === 'true' ? false : 'pebble is missing (Debian: bash scripts/setup-debian.sh)';
})();

export interface PebbleOptions {
  /** Whether challenges are taken for met without a look. */
  readonly alwaysValid?: boolean;
  /** How many of a hundred good nonces are refused. Default 15. */
  readonly nonceReject?: number;
  readonly alternateRoots?: number;
  /** Of what it issues. Five years by default. */
  readonly lifetimeDays?: number;
  /** Keys in base64url by their names. With any, an account needs one of them. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
  /** Where challenges are looked up: ports, and `HOST:PORT` of the DNS server to ask. */
  readonly httpPort?: number;
  readonly tlsPort?: number;
  readonly dnsServer?: string;
}

/** A real authority on loopback. It forgets everything when it ends. */
export interface Pebble extends AsyncDisposable {
  readonly directoryUrl: string;
  /** PEM of the root by which its HTTPS is verified. */
  readonly rootPem: string;
  /** Shows the roots of what it issues at `/roots/0`, and certificates at `/cert-status-by-serial/SERIAL`. */
  readonly managementUrl: string;
}

const daySeconds = 86_400;

export async function startPebble(options: PebbleOptions = {}): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-pebble-'));
  const [port, managementPort] = [await freePort(), await freePort()];
  const root = makeTrialCa({ now: Date.now(), commonName: 'Root of Pebble' });
  const own = root.issue({ domains: ['localhost', '127.0.0.1'] });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const config = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: file('pebble.crt', own.chainPem),
    privateKey: file('pebble.key', own.keyPem),
    httpPort: options.httpPort ?? 5002,
    tlsPort: options.tlsPort ?? 5001,
    externalAccountBindingRequired: options.externalAccounts !== undefined,
    externalAccountMACKeys: options.externalAccounts ?? {},
    ...(options.lifetimeDays !== undefined && { certificateValidityPeriod: options.lifetimeDays * daySeconds }),
  };
  const dns = options.dnsServer === undefined ? [] : ['-dnsserver', options.dnsServer];
  const child = spawn('pebble', ['-config', file('pebble.json', JSON.stringify({ pebble: config })), ...dns], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_VA_ALWAYS_VALID: options.alwaysValid ? '1' : '0',
      PEBBLE_WFE_NONCEREJECT: `${options.nonceReject ?? 15}`,
      // Most authorities spare an account what it has proved: everything has to work with that.
      PEBBLE_AUTHZREUSE: '100',
      PEBBLE_ALTERNATE_ROOTS: `${options.alternateRoots ?? 0}`,
    },
  });
  const closed = once(child, 'close');
  const end = async () => {
    child.kill();
    await closed;
    rmSync(folder, { recursive: true });
  };
  const lines: string[] = [];
  const listening = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      if (line.includes('ACME directory available')) listening.resolve();
    });
  }
  void closed.then(() => listening.reject(new Error(`Pebble ended: ${lines.slice(-5).join('\n')}`)));
  await listening.promise;
  // It says so before it listens.
  for (const each of [port, managementPort]) while (!(await isOpen(each))) await setTimeout(10);
  return {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    rootPem: root.certificatePem,
    managementUrl: `https://127.0.0.1:${managementPort}`,
    [Symbol.asyncDispose]: end,
  };
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return opened;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
