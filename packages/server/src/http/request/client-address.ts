import type { IncomingMessage } from 'node:http';
import { type AddressSet, type IpAddress, parseAddress } from './ip-address.ts';
import { headerLines, trimBlanks } from './raw-headers.ts';

export interface Connection {
  /** The socket's remote address; undefined once the socket is gone. */
  readonly peer: string | undefined;
  /** Every line of X-Forwarded-For, in the order received. */
  readonly forwardedFor: readonly string[];
}

const withPort = /^(?:\[([^\]]+)\]|([\d.]+)):(\d{1,5})$/;

/**
 * Who the client is. A peer outside the trusted proxies is the client, whatever it claims. Behind trusted proxies each
 * of them has appended the address it was called from, so the entries are walked from the right, and the first one
 * outside the trusted proxies is the client; what stands further left is hearsay and not even parsed. All inside:
 * the leftmost. No header: the proxy itself.
 *
 * @returns undefined when an entry that was reached does not parse (`ip`, `ip:port`, `[v6]:port`). Such a client is on
 * no allow-list: skipping the entry would hand the decision to the one left of it, which the client can write.
 */
export function clientAddress(connection: Connection, trusted: AddressSet): IpAddress | undefined {
  const peer = connection.peer === undefined ? undefined : parseAddress(connection.peer);
  if (peer === undefined || connection.forwardedFor.length === 0 || !trusted.has(peer)) return peer;
  const entries = connection.forwardedFor.join(',').split(',');
  let client: IpAddress | undefined;
  for (let index = entries.length - 1; index >= 0; index--) {
    client = parseEntry(trimBlanks(entries[index] ?? ''));
    if (client === undefined || !trusted.has(client)) return client;
  }
  return client;
}

/**
 * The client's address of a request, by `clientAddress`.
 * @param onUntrustedForward is called for `X-Forwarded-For` while no proxy is trusted
 */
export function addressOfRequest(
  { rawHeaders, socket }: IncomingMessage,
  trusted: AddressSet,
  onUntrustedForward: (peer: string) => void,
): IpAddress | undefined {
  const peer = socket.remoteAddress;
  const forwardedFor = headerLines(rawHeaders, 'x-forwarded-for');
  if (forwardedFor.length > 0 && trusted.isEmpty) onUntrustedForward(peer ?? '');
  return clientAddress({ peer, forwardedFor }, trusted);
}

function parseEntry(entry: string): IpAddress | undefined {
  const address = parseAddress(entry);
  if (address !== undefined) return address;
  const [, bracketed, dotted, port] = withPort.exec(entry) ?? [];
  if (port === undefined || Number(port) > 65_535) return undefined;
  if (dotted !== undefined) return parseAddress(dotted);
  return bracketed?.includes(':') ? parseAddress(bracketed) : undefined;
}
