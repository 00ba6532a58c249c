import { isIPv6 } from 'node:net';

export interface CarrierAddress {
  /** A name or an address, an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A host name, or an IPv4 address, which has the form of one. */
const hostForm = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_][A-Za-z0-9_-]{0,62})*\.?$/;

/** @param text `HOST:PORT`, `[2001:db8::1]:2775` @returns undefined for everything else */
export function readCarrierAddress(text: string): CarrierAddress | undefined {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === '' || port < 1 || port > 65_535) return undefined;
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : undefined;
  return plain !== undefined && isHostName(plain) ? { host: plain, port } : undefined;
}

export function isHostName(text: string): boolean {
  return hostForm.test(text);
}
