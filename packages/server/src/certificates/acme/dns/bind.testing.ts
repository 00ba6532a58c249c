import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** Debian has it where a user's search path does not lead. */
const named = ['named', '/usr/sbin/named'].find((path) => spawnSync(path, ['-V']).status === 0);
const hasDig = spawnSync('dig', ['-v']).status === 0;

/** Why to skip tests that need a real name server and its client, or false. Under CI they run, and fail without them. */
export const withoutBind = ((): string | false => {
  if (process.env.CI === 'true' || (named !== undefined && hasDig)) return false;
  return 'BIND is missing (Debian: bash scripts/setup-debian.sh)';
})();

export interface TrialBind extends AsyncDisposable {
  readonly port: number;
}

export interface BindKey {
  readonly name: string;
  readonly algorithm: string;
  /** Base64. */
  readonly secret: string;
}

export interface BindPlace {
  /** By default a free one. */
  readonly port?: number;
  /** A zone that is answered elsewhere on loopback. With it the server resolves names for others. */
  readonly forwarded?: { readonly zone: string; readonly port: number };
}

const zoneFile = `$TTL 5
@ SOA ns1 hostmaster 1 3600 600 86400 5
@ NS ns1
ns1 A 127.0.0.1
_acme-challenge.alias CNAME target.delegated
delegated NS ns1
`;

/** A real BIND on loopback, primary for example.com and delegated.example.com. Only the first key may change them. */
export async function startBind(keys: readonly BindKey[], place: BindPlace = {}): Promise<TrialBind> {
  const folder = await mkdtemp(join(tmpdir(), 'waxwing-bind-'));
  const { forwarded } = place;
  const port = place.port ?? (await freePort());
  await writeFile(join(folder, 'example.com'), zoneFile);
  await writeFile(
    join(folder, 'delegated.example.com'),
    '$TTL 5\n@ SOA ns1.example.com. h 1 3600 600 86400 5\n@ NS ns1.example.com.\n',
  );
  const zones = ['example.com', 'delegated.example.com'].map(
    (zone) => `zone "${zone}" { type primary; file "${zone}"; allow-update { key "${keys[0]?.name}"; }; };`,
  );
  if (forwarded !== undefined) {
    const forwarders = `forwarders { 127.0.0.1 port ${forwarded.port}; };`;
    zones.push(`zone "${forwarded.zone}" { type forward; forward only; ${forwarders} };`);
  }
  const options = `options {
    directory "${folder}"; pid-file none; session-keyfile "${folder}/session.key"; lock-file none;
    listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
    recursion ${forwarded === undefined ? 'no' : 'yes'}; allow-transfer { none; }; dnssec-validation no; notify no;
  };`;
  const secrets = keys.map(
    ({ name, algorithm, secret }) => `key "${name}" { algorithm ${algorithm}; secret "${secret}"; };`,
  );
  await writeFile(join(folder, 'named.conf'), [options, 'controls {};', ...secrets, ...zones].join('\n'));
  const child = spawn(named ?? 'named', ['-g', '-c', join(folder, 'named.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const closed = once(child, 'close');
  const running = Promise.withResolvers<void>();
  const said: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    said.push(line);
    if (/ running$/.test(line)) running.resolve();
  });
  void closed.then(() => running.reject(new Error(`BIND ended:\n${said.slice(-20).join('\n')}`)));
  await running.promise;
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill();
      await closed;
      await rm(folder, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** What the client of BIND prints. */
export async function dig(port: number, ...args: readonly string[]): Promise<string> {
  const common = ['@127.0.0.1', '-p', `${port}`, '+tries=1', '+time=3', '+norecurse'];
  const { stdout } = await promisify(execFile)('dig', [...common, ...args]);
  return stdout;
}
