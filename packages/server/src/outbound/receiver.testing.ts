import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A receiver for tests that decides about every byte itself, and counts who comes. */
export interface TrialReceiver extends AsyncDisposable {
  readonly port: number;
  /** Connections ever made. */
  connections: number;
  /** Heads of the requests that came, each up to its empty line. */
  readonly requests: string[];
  /** What to do with a request; an answer for `reply`, say. May be changed at any time. */
  serve: (socket: Socket, head: string) => void;
}

/** Answers 200 with an empty body until told otherwise. */
export async function startTrialReceiver(host = '127.0.0.1', tls?: TlsOptions): Promise<TrialReceiver> {
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
        const head = received.slice(0, end);
        received = received.slice(end + 4);
        receiver.requests.push(head);
        receiver.serve(socket, head);
      }
    });
  };
  const server: Server = tls === undefined ? createServer(accept) : createTlsServer(tls, accept);
  server.on('connection', () => {
    receiver.connections++;
  });
  server.listen(0, host);
  await once(server, 'listening');
  const receiver: TrialReceiver = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    requests: [],
    serve: (socket) => socket.write(reply(200)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** A whole answer as bytes of HTTP/1.1. */
export function reply(status: number, body = '', headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ 'Content-Length': `${Buffer.byteLength(body)}`, ...headers });
  return `HTTP/1.1 ${status} Text\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
