import { once } from 'node:events';
import { createServer } from 'node:http';

export interface ProofRelay extends AsyncDisposable {
  /** Resolves when the next proof was found from everywhere. */
  nextFound(): Promise<void>;
  /** The next look finds nothing, and ends only after this. */
  dropNext(after: Promise<void>): void;
}

/** Pebble looks from three places at once. */
const looksAtOnce = 3;

/** Where an authority looks for proofs by HTTP-01, as a load balancer would stand there. @param target `HOST:PORT` */
export async function startProofRelay(port: number, target: () => string): Promise<ProofRelay> {
  let found = Promise.withResolvers<void>();
  let lacking = looksAtOnce;
  let dropped: Promise<void> | undefined;
  const server = createServer(async (request, response) => {
    const isDropped = dropped !== undefined;
    const wait = dropped;
    dropped = undefined;
    await wait;
    const answer = isDropped ? undefined : await fetch(`http://${target()}${request.url}`).catch(() => undefined);
    if (answer === undefined) return void request.socket.destroy();
    response.writeHead(answer.status).end(await answer.text(), () => {
      lacking -= 1;
      if (lacking === 0) found.resolve();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    nextFound() {
      found = Promise.withResolvers();
      lacking = looksAtOnce;
      return found.promise;
    },
    dropNext(after) {
      dropped = after;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
