import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

/** Serves `GET /metrics` in the text format of Prometheus, on a listener of its own. */
export async function listenForMetrics(metrics: Registry, address: { host: string; port: number }): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    const text = await metrics.metrics();
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return server;
}
