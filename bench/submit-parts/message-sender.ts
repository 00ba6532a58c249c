import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { type Pace, serveParent, stampMs } from '../parts/child-link.ts';
import { paced } from '../parts/paced.ts';
import { flood } from '../push-parts/flood.ts';
import { contentOfBench, numberOfEvent } from './bench-message.ts';

/**
 * A customer of the gateway `BENCH_GATEWAY`, with the messaging keys of the file `BENCH_TOKENS` in turn. `pace` sends
 * numbered messages, one to a POST. An event of `flood` is one POST to a thousand numbers.
 */
const tokens = readFileSync(process.env.BENCH_TOKENS ?? '', 'latin1')
  .trim()
  .split('\n');
const pool = new Pool(process.env.BENCH_GATEWAY ?? '', { connections: 50 });
const numbersPerPost = 1_000;

async function post(turn: number, to: object): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: '/api/messages',
    method: 'POST',
    headers: { authorization: `Bearer ${tokens[turn % tokens.length]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...to, content: contentOfBench }),
  });
  const answer = await body.text();
  if (statusCode !== 200) throw new Error(`the gateway answered ${statusCode}: ${answer}`);
}

async function pace(load: Pace): Promise<readonly number[]> {
  const stamps: number[] = [];
  await paced(load, (event) => {
    stamps[event] = stampMs();
    return post(event, { mobile: `+${numberOfEvent(event)}` });
  });
  return stamps;
}

function postMany(event: number): Promise<void> {
  const first = event * numbersPerPost;
  return post(event, {
    mobiles: Array.from({ length: numbersPerPost }, (_, index) => `+${numberOfEvent(first + index)}`),
  });
}

serveParent('', { pace, flood: (load) => flood(load, postMany, async () => {}) }, () => pool.close());
