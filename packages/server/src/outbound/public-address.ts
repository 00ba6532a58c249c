/**
 * What kind of address an address is, by the registries of IANA: "IPv4 Special-Purpose Address Space", "IPv6
 * Special-Purpose Address Space", "IPv6 Global Unicast Address Assignments" (all as of 2025).
 */
import {
  type AddressSet,
  type IpAddress,
  type Ipv6Address,
  networkSet,
  parseAddress,
} from '../http/request/ip-address.ts';

/** `platform` is public on paper, but answered by the cloud's host under the machine. */
export type AddressScope =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'shared'
  | 'multicast'
  | 'broadcast'
  | 'documentation'
  | 'benchmarking'
  | 'reserved'
  | 'tunnel'
  | 'platform';

/** The first that holds the address counts. What none holds is public in IPv4, and in IPv6 within 2000::/3. */
const ranges: readonly (readonly [network: string, scope: AddressScope])[] = [
  ['0.0.0.0', 'unspecified'],
  // Linux connects all of 0.0.0.0/8 nowhere, other systems to themselves.
  ['0.0.0.0/8', 'reserved'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  // Azure's WireServer: keys and settings of the virtual machine.
  ['168.63.129.16', 'platform'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'tunnel'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
  // Teredo, RFC 4380. The rest of 2001::/23 belongs to protocols, benchmarks and identifiers, none to a web server.
  ['2001::/32', 'tunnel'],
  ['2001:2::/48', 'benchmarking'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
  // 6to4, RFC 3056; its relays are gone (RFC 7526).
  ['2002::/16', 'tunnel'],
  // The 6bone, given back (RFC 3701).
  ['3ffe::/16', 'reserved'],
];

const table = ranges.map(([network, scope]) => ({ set: networkSet([network]), scope }));
const globalUnicast = networkSet(['2000::/3']);
/** Translation by a network's own gateway (RFC 6052): the address behind it is what is reached. */
const wellKnownNat64 = networkSet(['64:ff9b::/96']);
const localNat64 = networkSet(['64:ff9b:1::/48']);
const compatible = networkSet(['::/96']);
const sixToFour = networkSet(['2002::/16']);
const teredo = networkSet(['2001::/32']);

/** The kind of an address. An IPv6 address that leads to an IPv4 one is at best as public as that. */
export function scopeOf(address: IpAddress): AddressScope {
  const found = table.find(({ set }) => set.has(address));
  if (found !== undefined) return found.scope;
  if (address.family === 4) return 'public';
  const hidden = hiddenIpv4(address);
  if (wellKnownNat64.has(address) && hidden !== undefined) return scopeOf(hidden);
  if (!globalUnicast.has(address)) return 'reserved';
  return hidden === undefined ? 'public' : scopeOf(hidden);
}

/**
 * Whether a push may go to an address: public unicast, or inside one of the networks that the operator has named.
 * Naming a network never opens what has no single machine at its other end, nor the unspecified address, which on
 * Linux is this machine.
 */
export function isPublicAddress(address: IpAddress, allowed?: AddressSet): boolean {
  const scope = scopeOf(address);
  if (scope === 'public') return true;
  return !neverAllowed.has(scope) && allowed?.has(address) === true;
}

const neverAllowed: ReadonlySet<AddressScope> = new Set(['unspecified', 'multicast', 'broadcast']);

/**
 * The IPv4 address inside an IPv6 one, where its form has one: NAT64 (RFC 6052), IPv4-compatible (RFC 4291 §2.5.5.1),
 * 6to4 (RFC 3056), Teredo (RFC 4380, whose client's address has its bits inverted) and ISATAP (RFC 5214). IPv4-mapped
 * addresses are IPv4 addresses here from the start.
 */
export function hiddenIpv4(address: Ipv6Address): IpAddress | undefined {
  const low = Number(address.value & 0xffff_ffffn);
  if (sixToFour.has(address)) return ipv4Of(Number((address.value >> 80n) & 0xffff_ffffn));
  if (teredo.has(address)) return ipv4Of(~low >>> 0);
  if (wellKnownNat64.has(address) || localNat64.has(address)) return ipv4Of(low);
  if (compatible.has(address) && low > 1) return ipv4Of(low);
  const interfaceId = Number((address.value >> 32n) & 0xffff_ffffn);
  return (interfaceId & ~0x0200_0000) === 0x0000_5efe ? ipv4Of(low) : undefined;
}

function ipv4Of(value: number): IpAddress | undefined {
  return parseAddress(`${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`);
}
