import type { ServerProcess } from '../parts/child-link.ts';

/** One kind of request, with its expected answer. */
export interface Scenario {
  readonly name: string;
  readonly path: string;
  readonly status: 200 | 304;
  /** Whether each answer is recorded before it leaves. */
  readonly recorded: boolean;
  /** The aimed ratio to the bare server. */
  readonly aim?: number;
}

export const json: Scenario = { name: '200 JSON', path: '/api/certificate', status: 200, recorded: true, aim: 0.5 };
export const certificate: Scenario = { name: '200 certificate', path: '/api/download', status: 200, recorded: false };
export const scenarios: readonly Scenario[] = [
  json,
  { name: '200 key', path: '/api/download?type=key', status: 200, recorded: true, aim: 0.5 },
  certificate,
  { name: '304', path: '/api/certificate', status: 304, recorded: false, aim: 0.7 },
];

/** The headers of a scenario. Asks for the entity tag first. */
export async function headersFor(
  scenario: Scenario,
  server: ServerProcess,
  token: string,
): Promise<Readonly<Record<string, string>>> {
  const headers = { authorization: `Bearer ${token}` };
  if (scenario.status !== 304) return headers;
  const response = await fetch(server.url + scenario.path, { headers });
  await response.arrayBuffer();
  return { ...headers, 'if-none-match': response.headers.get('etag') ?? '' };
}

/** One request outside the load, because wrk accepts every status below 400. @returns the body's length */
export async function check(
  scenario: Scenario,
  server: ServerProcess,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const response = await fetch(server.url + scenario.path, { headers });
  const { byteLength } = await response.arrayBuffer();
  if (response.status !== scenario.status) {
    throw new Error(`${scenario.name}: ${scenario.path} was answered ${response.status}`);
  }
  return byteLength;
}
