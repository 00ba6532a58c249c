import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Session } from './session.ts';
import type { SessionEvents, SessionOptions } from './session-options.ts';
import type { SessionPdu } from './session-protocol.ts';

export interface ListenerOptions<P extends SessionPdu> extends Omit<SessionOptions<P>, 'events'> {
  readonly listen: Pick<ListenOptions, 'host' | 'port'>;
  /** PEM. Undefined: TCP alone. */
  readonly tls: ListenerTls | undefined;
  /** Further connections are closed at once. */
  readonly mostConnections: number;
  /** A connection that is not bound after this is closed. */
  readonly bindLimitMs: number;
  /** The events of a new session. `onRequest` calls `markBound` when it takes a bind. */
  readonly eventsFor: (session: () => Session<P>) => SessionEvents<P>;
}

export interface ListenerTls {
  readonly certificate: string;
  readonly key: string;
  /** Authorities of clients, which then must show a certificate. */
  readonly clientAuthorities: string | undefined;
}

export interface SessionListener<P extends SessionPdu> {
  readonly port: number;
  readonly sessions: ReadonlySet<Session<P>>;
  /** Takes no more connections, and drains the sessions. @param limitMs for each session */
  close(limitMs: number): Promise<void>;
}

/**
 * Listens for clients and gives each connection a session.
 * @throws Error of the system, such as EADDRINUSE, or of TLS
 */
export async function acceptSessions<P extends SessionPdu>(options: ListenerOptions<P>): Promise<SessionListener<P>> {
  const sessions = new Set<Session<P>>();
  const server = createListener(options, (socket) => {
    const session = startSession(socket, options);
    sessions.add(session);
    void session.ended.then(() => sessions.delete(session));
  });
  // Connections in the middle of a TLS handshake have no session yet.
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.maxConnections = options.mostConnections;
  await listen(server, options.listen);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    sessions,
    async close(limitMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      await Promise.all([...sessions].map((session) => session.drain(limitMs)));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function createListener<P extends SessionPdu>(
  { tls, bindLimitMs }: ListenerOptions<P>,
  onConnection: (socket: Socket) => void,
): Server {
  if (tls === undefined) return createServer({ noDelay: true }, onConnection);
  const clients = tls.clientAuthorities === undefined ? {} : { ca: tls.clientAuthorities, requestCert: true };
  return createTlsServer(
    { cert: tls.certificate, key: tls.key, handshakeTimeout: bindLimitMs, noDelay: true, ...clients },
    onConnection,
  );
}

function startSession<P extends SessionPdu>(socket: Socket, options: ListenerOptions<P>): Session<P> {
  const events = options.eventsFor(() => session);
  const session: Session<P> = new Session(socket, { ...options, events });
  const timer = setTimeout(() => {
    if (!session.isBound) session.destroy();
  }, options.bindLimitMs);
  void session.ended.then(() => clearTimeout(timer));
  return session;
}

function listen(server: Server, where: Pick<ListenOptions, 'host' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      // A connection that could not be accepted concerns no other.
      server.on('error', () => {});
      resolve();
    });
  });
}
