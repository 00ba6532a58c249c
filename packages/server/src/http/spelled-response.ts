import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';

const irregular: Readonly<Record<string, string>> = { etag: 'ETag', 'www-authenticate': 'WWW-Authenticate' };
/** Names are ours, so there are few. */
const spelled = new Map<string, string>();

/** `Content-Type` for `content-type`. */
export function spelling(name: string): string {
  let known = spelled.get(name);
  if (known === undefined) {
    known = irregular[name] ?? name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
    spelled.set(name, known);
  }
  return known;
}

/** Writes the names of headers as the interface spells them: Fastify makes them lower case, and scripts look for `Content-Type:`. */
export class SpelledResponse extends ServerResponse {
  override writeHead(status: number, ...rest: readonly unknown[]): this {
    const headers: OutgoingHttpHeaders = {};
    for (const [name, value] of Object.entries((rest.at(-1) ?? {}) as OutgoingHttpHeaders)) {
      headers[spelling(name)] = value;
    }
    return super.writeHead(status, headers);
  }
}
