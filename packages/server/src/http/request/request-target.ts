import type { IncomingMessage } from 'node:http';

const absoluteForm = /^https?:\/\/[^/?]+/i;

/**
 * A host, which may be empty, and a port (RFC 9110 §7.2). Within brackets any character that an address of version 6 or
 * later may have, with a zone. Each character can be matched in one way only, so that no text takes long.
 */
const hostForm = /^(?:\[[\w.:~!$&'()*+,;=%-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-fA-F]{2})*)(?::\d*)?$/;

/**
 * The request target in origin-form (`/path?query`), or undefined when the request cannot be understood and deserves
 * a 400: an undecodable URL, a fragment (RFC 9112 §3.2 has none), another form than origin or absolute, a missing,
 * repeated or invalid Host (RFC 9112 §3.2: "A server MUST respond with a 400"), a version other than 1.0 and 1.1, and a
 * transfer coding that we do not decode or that HTTP/1.0 does not have (RFC 9112 §6.1).
 *
 * This runs before routing because the router decodes a path only where it knows the method, and never the query.
 */
export function requestTarget(
  request: Pick<IncomingMessage, 'url' | 'rawHeaders' | 'httpVersion'>,
): string | undefined {
  const target = originForm(request.url ?? '');
  if (target === undefined || target.includes('#') || !isDecodable(target)) return undefined;
  return isSound(request.rawHeaders, request.httpVersion) ? target : undefined;
}

/** The path as the router compares it, without the query; as it came when it cannot be decoded. */
export function pathOf(target: string): string {
  const path = (originForm(target) ?? target).split('?', 1)[0] ?? '';
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function originForm(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const origin = absoluteForm.exec(target);
  if (origin === null) return undefined;
  const rest = target.slice(origin[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * Decoding the whole target at once accepts exactly what decoding its parts would: `&`, `=`, `/` and `?` cannot stand
 * inside a percent-encoded UTF-8 sequence.
 */
function isDecodable(target: string): boolean {
  if (!target.includes('%')) return true;
  try {
    decodeURIComponent(target);
    return true;
  } catch {
    return false;
  }
}

/** In one pass, since every request takes it; names are told apart by their length first. */
function isSound(rawHeaders: readonly string[], httpVersion: string): boolean {
  // Node's parser also takes lines of HTTP/0.9 and HTTP/2.0 apart.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts++;
      if (hosts > 1 || !hostForm.test(rawHeaders[index + 1] as string)) return false;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      // Node takes the chunks apart whatever they hold, and for HTTP/1.0 too.
      if (httpVersion !== '1.1' || !/^chunked$/i.test(rawHeaders[index + 1] as string)) return false;
    }
  }
  return hosts === 1 || httpVersion !== '1.1';
}
