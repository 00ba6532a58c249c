import { once } from 'node:events';
import { createServer } from 'node:net';

/** Why a story cannot listen on this port, or false. Under CI it is tried, and fails. */
export async function withoutPort(port: number, host = '127.0.0.1'): Promise<string | false> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    server.close();
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return process.env.CI === 'true' ? false : `SKIPPED: port ${port} of ${host} cannot be listened on (${code})`;
  }
}
