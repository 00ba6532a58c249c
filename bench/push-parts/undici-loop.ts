import { request } from 'undici';
import { serveParent } from '../parts/child-link.ts';
import { flood } from './flood.ts';

/**
 * The baseline of pushes: undici's `request` alone against `BENCH_RECEIVER`, with a constant URL as long as a push's.
 */
const url = `${process.env.BENCH_RECEIVER}/push/17?batch_id=bench-10000&mobile=13800138000&status=DELIVRD`;
const headers = { 'user-agent': 'Waxwing/bench' };

async function get(): Promise<void> {
  const { statusCode, body } = await request(url, { headers });
  await body.dump();
  if (statusCode !== 200) throw new Error(`the receiver answered ${statusCode}`);
}

serveParent('', { flood: (load) => flood(load, get, async () => {}) }, async () => {});
