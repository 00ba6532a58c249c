import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { mustRun, runProgram } from './world.ts';

/** A real nginx with one site, changeable while it runs. */
export interface Nginx {
  /** A free port for the site. */
  readonly port: number;
  /** The options of `nginx` that address this one. */
  readonly options: readonly string[];
  /** Writes the site's configuration, for the next reload. */
  configure(site: string): void;
  /** Makes it read its files again. */
  reload(): void;
  stop(): Promise<void>;
}

/** @param site its first configuration for the given port; none means no site yet */
export async function startNginx(folder: string, site: (port: number) => string = () => ''): Promise<Nginx> {
  const home = join(folder, 'nginx');
  mkdirSync(join(home, 'logs'), { recursive: true });
  const idlePort = await freePort();
  const port = await freePort();
  const options = ['-p', home, '-c', join(home, 'nginx.conf')];
  const configure = (text: string) => writeFileSync(join(home, 'site.conf'), text);
  // Only the master process reads the key, as on any server. The worker may run as nobody.
  writeFileSync(
    join(home, 'nginx.conf'),
    `pid ${home}/nginx.pid;
error_log ${home}/logs/error.log notice;
worker_processes 1;
daemon off;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${home}/b; proxy_temp_path ${home}/p; fastcgi_temp_path ${home}/f;
  uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s;
  server { listen 127.0.0.1:${idlePort}; return 204; }
  include ${home}/site.conf;
}
`,
  );
  configure(site(port));
  await mustRun('nginx', ['-t', '-q', ...options]);
  const master = spawn('nginx', options, { stdio: 'ignore' });
  await untilListening(idlePort, master);
  return {
    port,
    options,
    configure,
    reload() {
      master.kill('SIGHUP');
    },
    async stop() {
      const exited = once(master, 'exit');
      master.kill('SIGQUIT');
      await exited;
    },
  };
}

/** A site that serves TLS with the two files. */
export function tlsSite(port: number, certificate: string, key: string): string {
  return `server {
  listen 127.0.0.1:${port} ssl;
  ssl_certificate ${certificate};
  ssl_certificate_key ${key};
  return 200 "served\\n";
}
`;
}

/** A TLS client's view: whether the chain verifies, its length, and the leaf's serial. */
export interface ServedTls {
  readonly verified: boolean;
  readonly certificates: number;
  readonly serial: string;
}

/** @returns undefined without a listener */
export async function lookAtServer(port: number, name: string, caFile: string): Promise<ServedTls | undefined> {
  const { stdout } = await runProgram('openssl', [
    ...['s_client', '-connect', `127.0.0.1:${port}`, '-servername', name, '-verify_hostname', name],
    ...['-CAfile', caFile, '-showcerts', '-no-CApath', '-no-CAstore'],
  ]);
  const blocks = stdout.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  const [leaf] = blocks;
  if (leaf === undefined) return undefined;
  const serial = await mustRun('openssl', ['x509', '-noout', '-serial'], leaf);
  return {
    verified: /Verify return code: 0 \(ok\)/.test(stdout),
    certificates: blocks.length,
    serial: serial.trim().replace('serial=', ''),
  };
}

/** Waits for the serial: after a reload nginx uses its former worker until the new one is ready. */
export async function untilServed(
  nginx: Nginx,
  { name, ca, serial }: { readonly name: string; readonly ca: string; readonly serial: string },
): Promise<ServedTls | undefined> {
  let served = await lookAtServer(nginx.port, name, ca);
  for (let looks = 0; served?.serial !== serial && looks < 200; looks += 1) {
    served = await lookAtServer(nginx.port, name, ca);
  }
  return served;
}

/** @param master throws when this process ends instead */
export async function untilListening(port: number, master: ChildProcess): Promise<void> {
  for (;;) {
    if (master.exitCode !== null) throw new Error(`${master.spawnfile} ended with ${master.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (connected) return;
  }
}
