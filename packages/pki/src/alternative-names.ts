import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { children, contextPrimitive, type DerElement, expectTag, tags } from './der/der.ts';
import { primitive } from './der/der-writer.ts';

export interface AlternativeNames {
  /** DNS names (A-labels, lower case) and IP addresses (canonical text) in the order of the extension, each once. */
  readonly domains: readonly string[];
  /** Names that no server can have, in printable form. */
  readonly malformed: readonly string[];
}

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const dnsName = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`);

/** The names of a SubjectAltName extension (RFC 5280 §4.2.1.6). OpenSSL's text of them cannot be parsed safely. */
export function readAlternativeNames(extension: DerElement): AlternativeNames {
  const domains = new Set<string>();
  const malformed: string[] = [];
  for (const name of children(expectTag(extension, tags.sequence))) {
    const domain = readDomain(name);
    if (domain === undefined) malformed.push(JSON.stringify(name.content.toString('latin1').slice(0, 100)));
    else if (domain !== '') domains.add(domain);
  }
  return { domains: [...domains], malformed };
}

/** Empty for an ignored kind, undefined for a malformed name. */
function readDomain(name: DerElement): string | undefined {
  switch (name.tag) {
    case contextPrimitive(2): {
      const text = name.content.toString('latin1').toLowerCase();
      return text.length <= 253 && dnsName.test(text) ? text : undefined;
    }
    case contextPrimitive(7):
      return addressText(name.content);
    default:
      return '';
  }
}

function addressText(octets: Buffer): string | undefined {
  if (octets.length === 4) return octets.join('.');
  return octets.length === 16 ? new ipaddr.IPv6([...octets]).toRFC5952String() : undefined;
}

/** One name of that extension: an IP address if the text is one, else a DNS name. */
export function generalName(name: string): Buffer {
  if (isIP(name) === 0) return primitive(2, Buffer.from(name, 'latin1'));
  return primitive(7, Buffer.from(ipaddr.parse(name).toByteArray()));
}
