import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

/** Anonymous requests over a number of new connections at once. */
export interface StrangerLoad {
  readonly url: string;
  readonly origin: string;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly connections: number;
  /** Their loopback addresses. */
  readonly addresses: number;
}

type Order = StrangerLoad & { readonly seconds: number };

/** Starts the load in another process, which ends by itself. @returns the number of answers by status */
export async function startStrangers(
  load: StrangerLoad,
  seconds: number,
): Promise<{ end(): Promise<ReadonlyMap<string, number>> }> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify({ ...load, seconds } satisfies Order)]);
  const answered = once(child, 'message').then(([counts]: [string, number][][]) => new Map(counts));
  const exited = once(child, 'exit');
  return {
    async end() {
      const counts = await Promise.race([answered, exited.then(() => new Map<string, number>())]);
      await exited;
      return counts;
    },
  };
}

async function flood(order: Order): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const until = performance.now() + order.seconds * 1_000;
  const one = async (connection: number) => {
    for (let attempt = 0; performance.now() < until; attempt += 1) count(await send(order, connection, attempt));
  };
  await Promise.all(Array.from({ length: order.connections }, (_, connection) => one(connection)));
  return counts;
}

/** @returns the status, or the reason for none */
async function send(
  { url, origin, path, method = 'POST', addresses }: Order,
  connection: number,
  attempt: number,
): Promise<string> {
  const from = connection % addresses;
  const password = path.endsWith('/sign-in')
    ? { email: `x${connection}-${attempt}@example.com`, password: 'wrong words here' }
    : {};
  const body = method === 'GET' ? '' : JSON.stringify(password);
  const sent = request(url + path, {
    method,
    agent: new Agent(),
    localAddress: `127.200.${from >> 7}.${(from & 127) + 1}`,
    headers: { origin, 'content-type': 'application/json', 'content-length': body.length, connection: 'close' },
  });
  sent.end(body);
  try {
    const [answer] = await once(sent, 'response');
    for await (const _ of answer);
    return String(answer.statusCode);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'failed';
  }
}

const order = process.argv[2];
if (process.send !== undefined && order?.startsWith('{') === true) {
  process.once('disconnect', () => process.exit());
  const counts = await flood(JSON.parse(order) as Order);
  process.send([...counts], () => process.exit());
}
