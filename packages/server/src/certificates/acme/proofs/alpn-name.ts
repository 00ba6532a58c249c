import { parseAddress } from '../../../http/request/ip-address.ts';

/**
 * The name that an authority wants proved by TLS-ALPN-01, by what it names in its handshake (SNI). An address cannot stand
 * there: its name in reverse DNS does (RFC 8738 §6).
 */
export function provedName(sni: string): string {
  const name = sni.toLowerCase();
  const labels = name.split('.').slice(0, -2).reverse();
  if (name.endsWith('.in-addr.arpa')) return parseAddress(labels.join('.'))?.text ?? name;
  if (!name.endsWith('.ip6.arpa') || labels.length !== 32) return name;
  const groups = labels.join('').match(/.{4}/g) ?? [];
  return parseAddress(groups.join(':'))?.text ?? name;
}
