import { type AddressInfo, createServer, type Socket } from 'node:net';
import { serveParent, stampMs } from '../parts/child-link.ts';

/**
 * Answers every request 200 with a minimum of HTTP, to weigh little beside the measured process. Connections to the
 * second listener are accepted and never answered.
 */
const answer = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
const headEnd = Buffer.from('\r\n\r\n');
const numberMark = Buffer.from('batch_id=bench-');
const numberLength = 16;

let requests = 0;
let lastAt = 0;
let arrivals = new Float64Array(0);

const receiver = createServer({ noDelay: true }, (socket) => {
  let begun: Buffer | undefined;
  endQuietly(socket);
  socket.on('data', (chunk: Buffer) => {
    const head = begun === undefined ? chunk : Buffer.concat([begun, chunk]);
    // One request at a time, without a body: an empty line ends it.
    const isWhole = head.subarray(-headEnd.length).equals(headEnd);
    begun = isWhole ? undefined : head;
    if (!isWhole) return;
    take(head);
    socket.write(answer);
  });
});

function take(head: Buffer): void {
  requests += 1;
  lastAt = stampMs();
  if (arrivals.length === 0) return;
  const at = head.indexOf(numberMark) + numberMark.length;
  const event = Number.parseInt(head.toString('latin1', at, at + numberLength), 10);
  if (arrivals[event] === 0) arrivals[event] = lastAt;
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
    serveParent(
      `${url} ${silent}`,
      {
        received: () => ({ requests, lastAt }),
        watch(events) {
          const before = [...arrivals];
          arrivals = new Float64Array(events);
          return before;
        },
      },
      async () => {},
    );
  });
});
