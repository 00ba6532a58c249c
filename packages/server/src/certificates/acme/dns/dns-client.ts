import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import {
  type DecodedMessage,
  type DnsMessage,
  decodeMessage,
  isResponseTo,
  readHeader,
} from '@waxwing/dns/dns-message.ts';
import type { IpAddress } from '../../../http/request/ip-address.ts';
import { codeOf } from '../../../outbound/target-guard.ts';

export interface DnsServer {
  readonly address: IpAddress;
  readonly port: number;
}

export type DnsExchange =
  | { readonly kind: 'answered'; readonly message: DecodedMessage; readonly bytes: Uint8Array }
  /** Not asked: the server's address is none that may be asked. */
  | { readonly kind: 'blocked' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'broken'; readonly code: string };

export interface DnsClientOptions {
  /** Judges the very address that is asked. */
  readonly mayAsk: (address: IpAddress, port: number) => boolean;
  /** For all of one exchange. */
  readonly timeoutMs?: number;
}

export interface DnsClient {
  /**
   * Sends one request, and waits for the response to it. Never rejects.
   * @param bytes the request as it is sent, perhaps signed
   */
  exchange(server: DnsServer, request: DnsMessage, bytes: Uint8Array, signal: AbortSignal): Promise<DnsExchange>;
}

const defaultTimeoutMs = 5000;
/** Unless an answer has come by then, the datagram may be lost. */
const sendAgainAfterMs = 1500;

/**
 * Asks name servers: over UDP, from a port that the system draws, and over TCP where the answer is cut off. Only the
 * response of the server asked, to the very question, counts; anything else that arrives is passed over.
 */
export function createDnsClient({ mayAsk, timeoutMs = defaultTimeoutMs }: DnsClientOptions): DnsClient {
  return {
    async exchange(server, request, bytes, signal) {
      if (!mayAsk(server.address, server.port)) return { kind: 'blocked' };
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const overUdp = await exchangeOverUdp(server, request, bytes, limit);
      const isCut = overUdp.kind === 'answered' && overUdp.message.isTruncated;
      return isCut ? exchangeOverTcp(server, request, bytes, limit) : overUdp;
    },
  };
}

/**
 * We ask without EDNS, so nobody has a reason to send more than 512 bytes (RFC 1035 §4.2.1). Whoever is asked may send many
 * large ones with the right id, and each would be decoded.
 */
const largestDatagram = 1_232;

/** Of a message; unpredictable, as the first thing that a forger must guess. */
export function drawMessageId(): number {
  return randomInt(0x1_0000);
}

function exchangeOverUdp(
  { address, port }: DnsServer,
  request: DnsMessage,
  bytes: Uint8Array,
  limit: AbortSignal,
): Promise<DnsExchange> {
  const { promise, resolve } = Promise.withResolvers<DnsExchange>();
  const socket = createSocket(address.family === 4 ? 'udp4' : 'udp6');
  const send = () => socket.send(bytes);
  const timer = setTimeout(send, sendAgainAfterMs);
  let isOver = false;
  const end = (result: DnsExchange) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    limit.removeEventListener('abort', stop);
    socket.close();
    resolve(result);
  };
  const stop = () => end({ kind: 'timedOut' });
  socket.on('error', (error) => end({ kind: 'broken', code: codeOf(error) }));
  socket.on('message', (datagram) => {
    if (datagram.length > largestDatagram) return;
    const message = readResponse(datagram, request);
    if (message !== undefined) end({ kind: 'answered', message, bytes: datagram });
  });
  if (limit.aborted) {
    stop();
    return promise;
  }
  limit.addEventListener('abort', stop, { once: true });
  // Connected, so that the kernel drops what comes from elsewhere, and tells of a port that is closed.
  socket.once('connect', send);
  socket.connect(port, address.text);
  return promise;
}

function exchangeOverTcp(
  { address, port }: DnsServer,
  request: DnsMessage,
  bytes: Uint8Array,
  limit: AbortSignal,
): Promise<DnsExchange> {
  const { promise, resolve } = Promise.withResolvers<DnsExchange>();
  const socket = connect({ host: address.text, port });
  let received: Buffer = Buffer.alloc(0);
  const end = (result: DnsExchange) => {
    limit.removeEventListener('abort', stop);
    socket.destroy();
    resolve(result);
  };
  const stop = () => end({ kind: 'timedOut' });
  socket.on('error', (error) => end({ kind: 'broken', code: codeOf(error) }));
  socket.on('close', () => end({ kind: 'broken', code: 'ECONNRESET' }));
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const answer = received.subarray(2, 2 + received.readUInt16BE(0));
    const message = readResponse(answer, request);
    end(message === undefined ? { kind: 'broken', code: 'BADRESP' } : { kind: 'answered', message, bytes: answer });
  });
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  socket.write(Buffer.concat([length, bytes]));
  if (limit.aborted) stop();
  else limit.addEventListener('abort', stop, { once: true });
  return promise;
}

/** Decodes nothing but the header of what is no response, or has another id. */
function readResponse(bytes: Uint8Array, request: DnsMessage): DecodedMessage | undefined {
  try {
    const { id, flags } = readHeader(bytes);
    if (!flags.isResponse || id !== request.id) return undefined;
    const message = decodeMessage(bytes);
    return isResponseTo(message, request) ? message : undefined;
  } catch {
    return undefined;
  }
}
