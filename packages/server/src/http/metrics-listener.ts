import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { listenProblem } from './listen-problem.ts';

const mostConnections = 64;
const hint = 'The metrics are at /metrics; the probes /healthz and /readyz are on the main listener.\n';

/**
 * Serves `GET /metrics` in the text format of Prometheus, on a listener of its own.
 * @throws Problem that names WAXWING_METRICS_LISTEN when the address cannot be listened on
 */
export async function listenForMetrics(
  metrics: Pick<Registry, 'metrics' | 'contentType'>,
  address: { host: string; port: number },
): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET') response.writeHead(404).end();
    else if (request.url === '/metrics') void answer(metrics, response);
    else if (request.url === '/') response.writeHead(200, { 'content-type': 'text/plain' }).end(hint);
    else response.writeHead(404).end();
  });
  server.maxConnections = mostConnections;
  try {
    server.listen(address.port, address.host);
    await once(server, 'listening');
  } catch (error) {
    throw listenProblem('WAXWING_METRICS_LISTEN', address, error);
  }
  return server;
}

/** A figure that cannot be read costs this answer, not the server. */
async function answer(metrics: Pick<Registry, 'metrics' | 'contentType'>, response: ServerResponse): Promise<void> {
  try {
    const text = await metrics.metrics();
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text);
  } catch {
    response.writeHead(500).end();
  }
}
