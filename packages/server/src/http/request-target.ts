import type { IncomingMessage } from 'node:http';

const absoluteForm = /^https?:\/\/[^/?]+/i;

/**
 * The request target in origin-form (`/path?query`), or undefined when the request cannot be understood and deserves
 * a 400: an undecodable URL, a fragment (RFC 9112 §3.2 has none), another form than origin or absolute, and a missing
 * or repeated Host (RFC 9112 §3.2: "A server MUST respond with a 400").
 *
 * This runs before routing because the router decodes a path only where it knows the method, and never the query.
 */
export function requestTarget(
  request: Pick<IncomingMessage, 'url' | 'rawHeaders' | 'httpVersion'>,
): string | undefined {
  const target = originForm(request.url ?? '');
  if (target === undefined || target.includes('#') || !isDecodable(target)) return undefined;
  const hosts = countHosts(request.rawHeaders);
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) return undefined;
  return target;
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

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}
