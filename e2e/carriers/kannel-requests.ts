import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The parameters of a request, as the octets that they stand for. */
export type RequestParameters = Readonly<Record<string, Buffer>>;

/** Takes what Kannel asks for receipts and replies. It answers with nothing, so Kannel sends no answer to a phone. */
export interface KannelRequests extends AsyncDisposable {
  readonly url: string;
  /** The first requests with this path, once there are so many. */
  received(path: string, count: number): Promise<readonly RequestParameters[]>;
}

export async function takeKannelRequests(): Promise<KannelRequests> {
  const requests: { readonly path: string; readonly parameters: RequestParameters }[] = [];
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end();
    const [path = '', query = ''] = (request.url ?? '').split('?');
    requests.push({ path, parameters: parametersOf(query) });
    arrivals.emit('arrival');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async received(path, count) {
      for (;;) {
        const found = requests.filter((request) => request.path === path);
        if (found.length >= count) return found.map(({ parameters }) => parameters);
        await once(arrivals, 'arrival');
      }
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A reply in UCS-2 stands in the URL as UTF-16BE, which URLSearchParams would read as UTF-8. */
function parametersOf(query: string): RequestParameters {
  const pairs = query.split('&').map((pair): [string, Buffer] => {
    const [name = '', value = ''] = pair.split('=');
    const octets = value
      .replaceAll('+', ' ')
      .replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    return [name, Buffer.from(octets, 'latin1')];
  });
  return Object.fromEntries(pairs);
}
