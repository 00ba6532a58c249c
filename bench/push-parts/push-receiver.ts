import { type AddressInfo, createServer, type Socket } from 'node:net';
import { countArrivals } from '../parts/arrivals.ts';
import { serveParent } from '../parts/child-link.ts';

/**
 * Answers every request 200 with a minimum of HTTP, to weigh little beside the measured process. Connections to the
 * second listener are accepted and never answered. The number of an event stands behind `BENCH_NUMBER_MARK`.
 */
const answer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
const headEnd = Buffer.from('\r\n\r\n');
const numberMark = Buffer.from(process.env.BENCH_NUMBER_MARK ?? 'batch_id=bench-');
const numberLength = 16;

const arrivals = countArrivals();

const receiver = createServer({ noDelay: true }, (socket) => {
  let begun: Buffer | undefined;
  endQuietly(socket);
  socket.on('data', (chunk: Buffer) => {
    const head = begun === undefined ? chunk : Buffer.concat([begun, chunk]);
    // One request at a time, without a body: an empty line ends it.
    const isWhole = head.subarray(-headEnd.length).equals(headEnd);
    begun = isWhole ? undefined : head;
    if (!isWhole) return;
    arrivals.note(() => numberIn(head));
    socket.write(answer);
  });
});

function numberIn(head: Buffer): number {
  const at = head.indexOf(numberMark) + numberMark.length;
  return Number.parseInt(head.toString('latin1', at, at + numberLength), 10);
}

const blackHole = createServer((socket) => {
  endQuietly(socket);
  socket.resume();
});

function endQuietly(socket: Socket): void {
  socket.on('error', () => socket.destroy());
}

receiver.listen(0, '127.0.0.1', () => {
  blackHole.listen(0, '127.0.0.1', () => {
    const [url, silent] = [receiver, blackHole].map(
      (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    const { received, watch } = arrivals;
    serveParent(`${url} ${silent}`, { received, watch }, async () => {});
  });
});
