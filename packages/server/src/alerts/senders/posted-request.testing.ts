import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Notice } from './notice.ts';

export interface PostedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server for tests that keeps whole requests with their bodies. */
export interface PostReceiver extends AsyncDisposable {
  readonly port: number;
  readonly posted: PostedRequest[];
  /** Sets the answer from now on. */
  answer: { readonly status: number; readonly body: string };
}

export async function startPostReceiver(): Promise<PostReceiver> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    receiver.posted.push({ method, url, headers, body: await text(request) });
    response.writeHead(receiver.answer.status).end(receiver.answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const receiver: PostReceiver = {
    port: (server.address() as AddressInfo).port,
    posted: [],
    answer: { status: 200, body: '' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

export function noticeOf(parts: Partial<Notice> = {}): Notice {
  return {
    id: 'notice-1',
    type: 'certificate.expiring',
    at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    organization: { id: 'org-1', name: 'Acme' },
    subject: 'The certificate shop.example.com ends in 7 days.',
    detail: 'It was not renewed. It ends on 2026-01-09.',
    ...parts,
  };
}
