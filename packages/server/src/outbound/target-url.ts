import { type IpAddress, parseAddress } from '../http/request/ip-address.ts';

/** A URL to which requests may go, taken apart. It holds no user info and no fragment. */
export interface TargetUrl {
  /** Scheme, host and port as the key of a connection: `https://example.com:8443`. */
  readonly origin: string;
  readonly secure: boolean;
  /** A name in A-label form without a trailing dot, or an address; IPv6 without brackets. */
  readonly host: string;
  /** The host, when it is an address. */
  readonly address: IpAddress | undefined;
  readonly port: number;
  /** Begins with a slash. */
  readonly path: string;
  /** The query as it is sent in front of ours, without its `?`. May hold a customer's secret. */
  readonly ownQuery: string;
}

/** Why a URL is not accepted; `message` is a whole sentence that names the remedy and repeats nothing of the query. */
export interface TargetFault {
  readonly code: TargetFaultCode;
  readonly message: string;
}

export type TargetFaultCode =
  | 'malformed'
  | 'scheme'
  | 'user-info'
  | 'port'
  | 'host'
  | 'parameter'
  | 'local-name'
  | 'unresolved'
  | 'not-public'
  | 'own-address';

export type ParsedTarget =
  | { readonly ok: true; readonly target: TargetUrl }
  | { readonly ok: false; readonly fault: TargetFault };

const MAXIMUM_LENGTH = 2048;
/** What WHATWG would drop in silence: a line feed is a mistake, and U+0000 is no text to PostgreSQL. */
const control = /\p{Cc}/u;
const authority = /^[a-z][a-z\d+.-]*:[/\\]*[^/\\?#]*@/i;
const label = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/**
 * Reads a URL the way browsers do (WHATWG), so that the host that is checked is the host that is dialled: octal,
 * hexadecimal, short and full-width spellings of an address, percent-encoding and international names all become one
 * canonical form first. Looks nothing up.
 * @param ourParameters the query parameters that each request sets, so the URL must not have them
 */
export function parseTargetUrl(text: string, ourParameters: readonly string[] = []): ParsedTarget {
  const url = text.length > MAXIMUM_LENGTH || control.test(text) ? null : URL.parse(text);
  if (url === null) {
    const limit = `no longer than ${MAXIMUM_LENGTH} characters and without control characters`;
    return refuse('malformed', `The URL cannot be read; write one such as https://example.com/status, ${limit}.`);
  }
  const secure = url.protocol === 'https:';
  if (!secure && url.protocol !== 'http:') return refuse('scheme', 'The URL must begin with https:// or http://.');
  // WHATWG forgets user info that is empty, as in http://@host/.
  if (url.username !== '' || url.password !== '' || authority.test(text.trim())) {
    return refuse('user-info', 'The URL must not hold a user name or password; put a secret into its query.');
  }
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  if (port === 0) return refuse('port', 'The port must be from 1 to 65535.');
  const host = hostOf(url.hostname);
  const address = parseAddress(host);
  if (address === undefined && !isName(host)) {
    return refuse('host', 'The URL must name a host, such as example.com.');
  }
  const ownQuery = url.search.slice(1);
  const own = new URLSearchParams(ownQuery);
  const taken = ourParameters.find((name) => own.has(name));
  if (taken !== undefined) {
    return refuse(
      'parameter',
      `The URL already has a parameter ${taken}, which each request sets; rename or remove it.`,
    );
  }
  const origin = `${url.protocol}//${host.includes(':') ? `[${host}]` : host}:${port}`;
  return { ok: true, target: { origin, secure, host, address, port, path: url.pathname, ownQuery } };
}

/** Names that every resolver should answer with loopback (RFC 6761 §6.3), whatever it says. */
export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

export function refuse(code: TargetFaultCode, message: string): { readonly ok: false; readonly fault: TargetFault } {
  return { ok: false, fault: { code, message } };
}

function hostOf(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');
}

function isName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((part) => label.test(part));
}
