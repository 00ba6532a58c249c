import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request of the service to a customer's server. */
export interface Arrival {
  /** `Webhook-Id`, the same for all attempts of a push. */
  readonly id: string;
  readonly kind: 'status' | 'uplink';
  readonly headers: IncomingHttpHeaders;
  /** As received, without the question mark. */
  readonly query: string;
  readonly parameters: URLSearchParams;
  readonly answered: number;
  /** Whether `Webhook-Signature` is valid; undefined without one. */
  readonly signed: boolean | undefined;
}

export interface DemoReceiver {
  readonly url: string;
  /** The secret to check `Webhook-Signature` with. */
  secret: string;
  /** Resolves with the next arrival, in order. */
  next(): Promise<Arrival>;
  close(): void;
}

/** A customer's server in forty lines. Answers the first push of an UNDELIV with 500, to show a retry. */
export async function startDemoReceiver(): Promise<DemoReceiver> {
  const arrivals: Arrival[] = [];
  let announce = () => {};
  let hasFailed = false;
  const server = createServer((request, response) => {
    const { pathname, searchParams, search } = new URL(request.url ?? '', 'http://localhost');
    const fails = !hasFailed && searchParams.get('status') === 'UNDELIV';
    hasFailed ||= fails;
    response.writeHead(fails ? 500 : 200).end();
    arrivals.push({
      id: String(request.headers['webhook-id']),
      kind: pathname === '/uplink' ? 'uplink' : 'status',
      headers: request.headers,
      query: search.slice(1),
      parameters: searchParams,
      answered: response.statusCode,
      signed: isSigned(request.headers, search.slice(1), receiver.secret),
    });
    announce();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const receiver: DemoReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret: '',
    async next() {
      for (;;) {
        const arrival = arrivals.shift();
        if (arrival !== undefined) return arrival;
        await new Promise<void>((resolve) => {
          announce = resolve;
        });
      }
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}

/** As in docs/guides/receiving-pushes.md. */
function isSigned(headers: IncomingHttpHeaders, query: string, secret: string): boolean | undefined {
  const given = headers['webhook-signature'];
  if (typeof given !== 'string') return undefined;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${query}`;
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  return given.split(' ').some((one) => {
    const signature = Buffer.from(one);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}
