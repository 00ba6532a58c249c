import type { ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { type AddressSet, countedAddress, parseAddress } from './request/ip-address.ts';

/** The connections that a listener has open, of which there are so many at most. */
export interface OpenConnections {
  /** To be told of each request: its connection is not idle before the response is over. */
  serve(socket: Socket, response: ServerResponse): void;
}

export interface OpenConnectionsOptions {
  readonly most: number;
  /** Their connections are not closed for others: many clients share one. */
  readonly trustedProxies: AddressSet;
}

interface Connection {
  /** Over TLS the plain one, until the secure one above it is there. */
  socket: Socket;
  readonly address: string;
  readonly isOfProxy: boolean;
  requests: number;
  /** When more bytes have come than these, a request has begun. It has a time limit of its own. */
  bytesWhenIdle: number;
}

/**
 * When all places are taken, a new connection takes the place of the one that has been idle longest. Otherwise a client
 * that opens that many and keeps them would lock all others out. An address that holds more than a quarter of all
 * places loses its own first, also those with a request begun. When there is none to close, the new connection is
 * closed.
 */
export function limitConnections(server: Server, { most, trustedProxies }: OpenConnectionsOptions): OpenConnections {
  /** By each of its sockets. */
  const open = new Map<Socket, Connection>();
  /** Connections whose TLS handshake has not ended, by their two sockets. */
  const greeting = new Map<string, Connection>();
  const held = new Map<string, number>();
  /** Those that serve no request, longest idle first. */
  const idle = new Set<Connection>();
  const isSecure = server instanceof TlsServer;
  let connections = 0;

  const isGreedy = (places: number) => places > most / 4;

  function rest(connection: Connection): void {
    connection.bytesWhenIdle = connection.socket.bytesRead;
    if (!connection.isOfProxy) idle.add(connection);
  }

  /** Of a greedy address also one where a request has begun and does not go on: a byte each would keep all its places. */
  function leastBusy(): Connection | undefined {
    const someIsGreedy = held.values().some(isGreedy);
    let longest: Connection | undefined;
    let begun: Connection | undefined;
    for (const connection of idle) {
      const hasBegun = connection.socket.bytesRead > connection.bytesWhenIdle;
      if (someIsGreedy && isGreedy(held.get(connection.address) ?? 0)) {
        if (!hasBegun) return connection;
        begun ??= connection;
      } else if (!hasBegun) {
        longest ??= connection;
        if (!someIsGreedy) break;
      }
    }
    return begun ?? longest;
  }

  function takePlace(socket: Socket): void {
    const peer = parseAddress(socket.remoteAddress ?? '');
    const address = countedAddress(peer);
    const isOfProxy = peer !== undefined && trustedProxies.has(peer);
    const connection: Connection = { socket, address, isOfProxy, requests: 0, bytesWhenIdle: 0 };
    connections += 1;
    held.set(address, (held.get(address) ?? 0) + 1);
    open.set(socket, connection);
    const name = nameOf(socket);
    if (isSecure) greeting.set(name, connection);
    socket.once('close', () => {
      if (greeting.get(name) === connection) greeting.delete(name);
      leavePlace(socket, connection);
    });
    rest(connection);
  }

  function leavePlace(socket: Socket, connection: Connection): void {
    connections -= 1;
    const left = (held.get(connection.address) ?? 0) - 1;
    if (left > 0) held.set(connection.address, left);
    else held.delete(connection.address);
    idle.delete(connection);
    open.delete(socket);
    open.delete(connection.socket);
  }

  server.on('connection', (socket: Socket) => {
    if (connections >= most) {
      const leaving = leastBusy();
      if (leaving === undefined) {
        socket.destroy();
        return;
      }
      // It keeps its place in the count until it is closed, but is not chosen again.
      idle.delete(leaving);
      leaving.socket.destroy();
    }
    takePlace(socket);
  });
  server.on('secureConnection', (secure: Socket) => {
    const connection = greeting.get(nameOf(secure));
    if (connection === undefined) return;
    greeting.delete(nameOf(secure));
    connection.socket = secure;
    open.set(secure, connection);
    idle.delete(connection);
    rest(connection);
  });

  return {
    serve(socket, response) {
      const connection = open.get(socket);
      if (connection === undefined) return;
      idle.delete(connection);
      connection.requests += 1;
      response.once('close', () => {
        connection.requests -= 1;
        if (connection.requests === 0 && open.has(socket)) rest(connection);
      });
    },
  };
}

/** The ends of a connection, which no other has at the same time. */
function nameOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
