import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from './child-link.ts';

/**
 * The measure of all rows: what node:http alone does with a constant body of the same size, `BENCH_BODY_BYTES`.
 * Two headers, no routing, no decision, nothing recorded.
 */
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
