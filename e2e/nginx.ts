import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { mustRun, runProgram } from './world.ts';

/** A real nginx that serves TLS with the two files given. */
export interface Nginx {
  readonly port: number;
  /** Makes it read its files again. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

export async function startNginx(folder: string, certificate: string, key: string): Promise<Nginx> {
  const home = join(folder, 'nginx');
  mkdirSync(join(home, 'logs'), { recursive: true });
  const port = await freePort();
  const configuration = join(home, 'nginx.conf');
  // Only the master process reads the key, as on any server; the worker may be nobody.
  writeFileSync(
    configuration,
    `pid ${home}/nginx.pid;
error_log ${home}/logs/error.log notice;
worker_processes 1;
daemon off;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${home}/b; proxy_temp_path ${home}/p; fastcgi_temp_path ${home}/f;
  uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    return 200 "served\\n";
  }
}
`,
  );
  await mustRun('nginx', ['-t', '-q', '-p', home, '-c', configuration]);
  const master = spawn('nginx', ['-p', home, '-c', configuration], { stdio: 'ignore' });
  await untilListening(port, master);
  return {
    port,
    async reload() {
      master.kill('SIGHUP');
    },
    async stop() {
      const exited = once(master, 'exit');
      master.kill('SIGQUIT');
      await exited;
    },
  };
}

/** What a TLS client sees: whether the chain verifies against the CA, how long it is, and the leaf's serial. */
export interface ServedTls {
  readonly verified: boolean;
  readonly certificates: number;
  readonly serial: string;
}

export async function lookAtServer(port: number, name: string, caFile: string): Promise<ServedTls> {
  const { stdout } = await runProgram('openssl', [
    ...['s_client', '-connect', `127.0.0.1:${port}`, '-servername', name, '-verify_hostname', name],
    ...['-CAfile', caFile, '-showcerts', '-no-CApath', '-no-CAstore'],
  ]);
  const blocks = stdout.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  const leaf = blocks[0] ?? '';
  const serial = await mustRun('openssl', ['x509', '-noout', '-serial'], leaf);
  return {
    verified: /Verify return code: 0 \(ok\)/.test(stdout),
    certificates: blocks.length,
    serial: serial.trim().replace('serial=', ''),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function untilListening(port: number, master: ChildProcess): Promise<void> {
  for (;;) {
    if (master.exitCode !== null) throw new Error(`nginx ended with ${master.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    const connected = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (connected) return;
  }
}
