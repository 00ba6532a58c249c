import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { untilListening } from './nginx.ts';

/** A real HAProxy in front of one server. It keeps connections and shares them among its clients. */
export async function startHaproxy(
  folder: string,
  serverPort: number,
): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend clients
  bind 127.0.0.1:${port}
  default_backend waxwing
backend waxwing
  http-reuse always
  server one 127.0.0.1:${serverPort}
`,
  );
  const process = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  await untilListening(port, process);
  return {
    port,
    async stop() {
      const exited = once(process, 'exit');
      process.kill('SIGTERM');
      await exited;
    },
  };
}
