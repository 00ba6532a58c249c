import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from '../parts/child-link.ts';

/** The baseline: node:http alone with a constant body of `BENCH_BODY_BYTES`, two headers, no routing and no record. */
const body = Buffer.alloc(Number(process.env.BENCH_BODY_BYTES), 'x');
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serveParent(`http://127.0.0.1:${port}`, {}, async () => {
    server.close();
    server.closeAllConnections();
  });
});
