import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Two ends of a TCP connection, closed after the test. */
export async function connectedSockets(t: TestContext): Promise<readonly [client: Socket, server: Socket]> {
  const server = createServer();
  const port = await listenOnLoopback(t, server);
  const client = connect({ port, host: '127.0.0.1', noDelay: true });
  const [accepted] = (await once(server, 'connection')) as [Socket];
  closeAfter(t, client);
  closeAfter(t, accepted);
  return [client, accepted];
}

/** @returns the port */
export async function listenOnLoopback(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Destroys a socket after the test. Its faults are the other end's matter. */
export function closeAfter(t: TestContext, socket: Socket): void {
  socket.on('error', () => {});
  t.after(() => socket.destroy());
}
