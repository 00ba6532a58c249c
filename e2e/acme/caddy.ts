import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { untilListening } from '../nginx.ts';

/** Why to skip stories with Caddy, or false. Under CI they run, and fail without it. */
export const withoutCaddy = ((): string | false => {
  if (spawnSync('caddy', ['version']).error === undefined || process.env.CI === 'true') return false;
  return 'SKIPPED: caddy is missing (Debian: bash scripts/setup-debian.sh)';
})();

export interface Caddy extends AsyncDisposable {
  readonly directoryUrl: string;
  /** The root certificate of the HTTPS of Caddy and of the certificates that Caddy issues. */
  readonly rootFile: string;
}

/**
 * Caddy's own authority, that of step-ca, on loopback. It looks for proofs at the standard ports. It issues for twelve
 * hours, and has neither ARI nor profiles.
 */
export async function startCaddy(): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-caddy-'));
  const [httpPort, port] = [await freePort(), await freePort()];
  const config = {
    admin: { disabled: true },
    storage: { module: 'file_system', root: join(folder, 'storage') },
    apps: {
      http: {
        http_port: httpPort,
        https_port: port,
        servers: {
          acme: {
            listen: [`127.0.0.1:${port}`],
            automatic_https: { disable_redirects: true },
            routes: [{ match: [{ host: ['localhost'] }], handle: [{ handler: 'acme_server', ca: 'local' }] }],
          },
        },
      },
      // Else it adds its root to those of the machine.
      pki: { certificate_authorities: { local: { install_trust: false } } },
      tls: { automation: { policies: [{ subjects: ['localhost'], issuers: [{ module: 'internal' }] }] } },
    },
  };
  const file = join(folder, 'caddy.json');
  writeFileSync(file, JSON.stringify(config));
  const child = spawn('caddy', ['run', '--config', file], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  const exited = once(child, 'exit');
  await untilListening(port, child);
  const rootFile = join(folder, 'storage/pki/authorities/local/root.crt');
  readFileSync(rootFile);
  return {
    directoryUrl: `https://localhost:${port}/acme/local/directory`,
    rootFile,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
