import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type IpAddress, parseAddress } from '../http/request/ip-address.ts';
import type { Failure } from './outcome.ts';
import { blockedReason, codeOf, judgeHost, type TargetGuard } from './target-guard.ts';
import type { TargetUrl } from './target-url.ts';

/** Why no connection came about, as the part of an outcome that says so. */
export class DialError extends Error {
  readonly failure: DialFailure;
  readonly address: string | undefined;

  constructor(failure: DialFailure, address?: string) {
    super(failure.kind);
    this.name = 'DialError';
    this.failure = failure;
    this.address = address;
  }
}

type WithoutCircumstances<Kind> = Kind extends unknown ? Omit<Kind, 'ms' | 'address' | 'sentTwice'> : never;
export type DialFailure = WithoutCircumstances<Failure>;

export interface DialOptions {
  readonly guard: TargetGuard;
  /** PEM; replaces the certification authorities that are trusted by default. */
  readonly authorities?: string;
  /** Opens a TCP connection; `connect` of node:net unless a test has another. */
  readonly openSocket?: (options: TcpNetConnectOpts) => Socket;
}

/** Hears of the address before it is dialled, when there is only one to be. */
export type HearAddress = (address: IpAddress) => void;

export interface Dialled {
  readonly socket: Socket;
  readonly peer: IpAddress;
}

/**
 * Connects to a target, over TLS when its URL says so, with the certificate verified. The host is judged again here.
 * Only the addresses just judged are dialled, and the peer's address is judged before the first byte is written. So
 * neither a changed DNS answer nor anything between look-up and connection leads elsewhere.
 * @param signal ends it at any point; the socket is closed then
 * @throws DialError
 */
export async function dial(
  target: TargetUrl,
  options: DialOptions,
  signal: AbortSignal,
  onAddress: HearAddress = () => {},
): Promise<Dialled> {
  const verdict = await judgeHost(target, options.guard);
  if (verdict.kind === 'unresolved') throw new DialError(verdict);
  if (verdict.kind === 'blocked') throw new DialError({ kind: 'blocked', why: verdict.why }, verdict.address);
  if (signal.aborted) throw new DialError({ kind: 'cutOff' });
  const [address, ...others] = verdict.addresses;
  if (address !== undefined && others.length === 0) onAddress(address);
  const socket = await openTcp(target, verdict.addresses, options, signal);
  const peer = judgePeer(socket, target.port, options.guard);
  return { socket: target.secure ? await secure(socket, target, options, signal) : socket, peer };
}

async function openTcp(
  target: TargetUrl,
  addresses: readonly IpAddress[],
  { openSocket = connect }: DialOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = openSocket({
    host: target.host,
    port: target.port,
    lookup: lookupOf(addresses),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    // By default each of several addresses has a quarter of a second, less than a round trip to a distant continent.
    autoSelectFamilyAttemptTimeout: 1500,
  });
  try {
    await opened(socket, 'connect', signal);
    return socket;
  } catch (error) {
    const code = codeOf(error);
    const address = addresses.length === 1 ? addresses[0]?.text : undefined;
    throw new DialError(code === 'ETIMEDOUT' ? { kind: 'timedOut' } : { kind: 'refused', code }, address);
  }
}

/** Answers with the judged addresses whatever is asked. Node does not call it for a literal address. */
function lookupOf(addresses: readonly IpAddress[]): LookupFunction {
  const list = addresses.map(({ text, family }) => ({ address: text, family }));
  return (_name, options, done) => {
    if (options.all) done(null, list);
    else done(null, list[0]?.address ?? '', list[0]?.family);
  };
}

function judgePeer(socket: Socket, port: number, guard: TargetGuard): IpAddress {
  // It hung up in the moment between.
  if (socket.remoteAddress === undefined) throw new DialError({ kind: 'refused', code: 'ECONNRESET' });
  const peer = parseAddress(socket.remoteAddress);
  const why = peer === undefined ? 'not-public' : blockedReason(peer, port, guard);
  if (peer !== undefined && why === undefined) return peer;
  socket.destroy();
  throw new DialError({ kind: 'blocked', why: why ?? 'not-public' }, peer?.text);
}

async function secure(
  socket: Socket,
  target: TargetUrl,
  { authorities }: DialOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const address = socket.remoteAddress;
  const tls = connectTls({
    socket,
    host: target.host,
    // RFC 6066 §3: an address is no server name.
    servername: isIP(target.host) === 0 ? target.host : '',
    ALPNProtocols: ['http/1.1'],
    // Said here, or NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment would take every certificate.
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: authorities }),
  });
  try {
    await opened(tls, 'secureConnect', signal);
    return tls;
  } catch (error) {
    const code = codeOf(error);
    // Node sets it before it ends a connection whose certificate it does not accept, and leaves it null otherwise.
    const untrusted = tls.authorizationError != null;
    throw new DialError({ kind: untrusted ? 'badCertificate' : 'broken', code }, address);
  }
}

/** Waits for a socket to be open. However it fails, it is closed, and none of its later errors is unhandled. */
function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => socket.destroy();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    socket.on('error', reject);
    socket.once('close', () => {
      signal.removeEventListener('abort', end);
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
    socket.once(event, () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}
