import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';

export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: string | object;
}

export interface TakenRequest {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
  /** Of a signed request: its header, and its payload if that is JSON. */
  readonly header?: Readonly<Record<string, unknown>>;
  readonly payload?: unknown;
}

export interface ScriptedAuthority extends AsyncDisposable {
  readonly url: string;
  readonly rootPem: string;
  readonly requests: TakenRequest[];
}

/** An authority that answers as a test says, with a directory and nonces of its own. Undefined: it stays silent. */
export async function startScriptedAuthority(
  answer: (request: TakenRequest, url: string) => ScriptedAnswer | undefined,
): Promise<ScriptedAuthority> {
  const root = makeTrialCa({ now: Date.now() });
  const own = root.issue({ domains: ['127.0.0.1'] });
  const requests: TakenRequest[] = [];
  let nonces = 0;
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const taken = await readRequest(request);
    requests.push(taken);
    const given = taken.path === '/nonce' ? {} : answer(taken, url);
    if (given === undefined) return;
    const { status = 200, headers, body = '' } = given;
    const nonce = taken.path === '/directory' ? {} : { 'replay-nonce': `nonce-${++nonces}` };
    response.writeHead(status, { ...nonce, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const server = createServer({ cert: own.chainPem, key: own.keyPem }, (request, response) => {
    void take(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    rootPem: root.certificatePem,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<TakenRequest> {
  const { method = '', url: path = '', headers } = request;
  const facts = { method, path, userAgent: headers['user-agent'] ?? '' };
  const text = Buffer.concat(await request.toArray()).toString();
  if (text === '') return facts;
  const { protected: header, payload } = JSON.parse(text);
  const decoded = (part: string) => Buffer.from(part, 'base64url').toString();
  return {
    ...facts,
    header: JSON.parse(decoded(header)),
    payload: payload === '' ? undefined : JSON.parse(decoded(payload)),
  };
}

export function directoryAt(url: string, more: object = {}): ScriptedAnswer {
  const names = {
    newAccount: 'account',
    newOrder: 'order',
    revokeCert: 'revoke',
    keyChange: 'change',
    newNonce: 'nonce',
  };
  const urls = Object.entries(names).map(([name, path]) => [name, `${url}/${path}`]);
  return { body: { ...Object.fromEntries(urls), ...more } };
}

export function problem(status: number, type: string, more: object = {}): ScriptedAnswer {
  return { status, body: { type: `urn:ietf:params:acme:error:${type}`, detail: 'No.', ...more } };
}
