import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect as connectTls } from 'node:tls';

export interface LinkTarget {
  readonly host: string;
  readonly port: number;
  /** Undefined: TCP alone. */
  readonly tls: LinkTls | undefined;
}

/** The server is always verified: there is no setting for less. */
export interface LinkTls {
  /** PEM. Undefined: the authorities that Node knows. */
  readonly authorities: string | undefined;
  /** The name that the certificate must have. Undefined: the host. */
  readonly serverName: string | undefined;
  /** Shown to a server that asks for a certificate. */
  readonly identity: { readonly certificate: string; readonly key: string } | undefined;
}

/**
 * Opens a connection, with TLS where that is set.
 * @param timeoutMs for all of it: name, connection, TLS handshake
 * @throws Error of the system or of TLS, `ConnectTimeout`, or the reason of the signal
 */
export async function openConnection(target: LinkTarget, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const { socket, readyEvent } = begin(target);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new ConnectTimeout()), timeoutMs);
  const abort = () => reject(signal.reason);
  const onClose = () => reject(new Error('the server closed the connection'));
  signal.addEventListener('abort', abort);
  socket.once(readyEvent, resolve).once('error', reject).once('close', onClose);
  try {
    await promise;
    return socket;
  } catch (error) {
    // The socket is given up: its later errors change nothing, but without a listener they would end the process.
    socket.on('error', () => {}).destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    socket.off(readyEvent, resolve).off('error', reject).off('close', onClose);
  }
}

/** The server did not accept the connection, or did not finish the TLS handshake, in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
}

function begin({ host, port, tls }: LinkTarget): { readonly socket: Socket; readonly readyEvent: string } {
  if (tls === undefined) return { socket: connect({ host, port, noDelay: true }), readyEvent: 'connect' };
  return { socket: connectTls({ host, port, ...tlsOptions(host, tls) }).setNoDelay(), readyEvent: 'secureConnect' };
}

function tlsOptions(host: string, { authorities, serverName, identity }: LinkTls): ConnectionOptions {
  const name = serverName ?? host;
  return {
    // Set here because the environment can turn the default off (NODE_TLS_REJECT_UNAUTHORIZED).
    rejectUnauthorized: true,
    checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
    // An address is no server name in the handshake (RFC 6066 §3).
    servername: isIP(name) === 0 ? name : '',
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(identity === undefined ? {} : { cert: identity.certificate, key: identity.key }),
  };
}
