import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createAnswerRound, type SendInRound } from '../../http/answer-round.ts';
import { addressOfRequest } from '../../http/request/client-address.ts';
import { readCredential } from '../../http/request/credential.ts';
import type { AddressSet } from '../../http/request/ip-address.ts';
import { parseQuery, rawQueryOf, valuesOf } from '../../http/request/raw-query.ts';
import { contentDisposition } from './download-name.ts';
import { jsonContentType, pemContentType } from './retrieval-envelope.ts';
import type { RetrievalAnswer, RetrievalRequest, RetrieveCertificate } from './retrieve-certificate.ts';

export interface RetrievalRoutesNeeds {
  readonly retrieve: RetrieveCertificate;
  readonly trustedProxies: AddressSet;
  /** Hears of a forwarded header that nobody is trusted to send. */
  readonly onUntrustedForward: (peer: string) => void;
}

/** GET and HEAD of /api/certificate and /api/download (contract §1). */
export function registerRetrievalRoutes(app: FastifyInstance, needs: RetrievalRoutesNeeds): void {
  const sendInRound = createAnswerRound();
  const handle = (operation: RetrievalRequest['operation']) => async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = await needs.retrieve(readRequest(request, operation, needs));
    // Past Fastify's reply: nothing of ours hooks into it.
    reply.hijack();
    send(sendInRound, reply.raw, answer);
  };
  app.get('/api/certificate', handle('info'));
  app.get('/api/download', handle('download'));
}

function readRequest(
  request: FastifyRequest,
  operation: RetrievalRequest['operation'],
  { trustedProxies, onUntrustedForward }: RetrievalRoutesNeeds,
): RetrievalRequest {
  const { raw } = request;
  const { rawHeaders, headers } = raw;
  const query = parseQuery(rawQueryOf(raw.url ?? ''));
  return {
    operation,
    headOnly: raw.method === 'HEAD',
    credential: readCredential(rawHeaders, valuesOf(query, 'key')),
    address: addressOfRequest(raw, trustedProxies, onUntrustedForward),
    versions: valuesOf(query, 'version'),
    types: operation === 'download' ? valuesOf(query, 'type') : undefined,
    ifNoneMatch: headers['if-none-match'],
    userAgent: headers['user-agent'] ?? '',
  };
}

function send(sendInRound: SendInRound, response: ServerResponse, answer: RetrievalAnswer): void {
  const { version, representation, status, body } = answer;
  const headers: OutgoingHttpHeaders = {
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    etag: answer.tag,
    'certificate-version': version.id,
  };
  if (status === 200) {
    headers['content-type'] = representation === 'info' ? jsonContentType : pemContentType;
    if (representation !== 'info') {
      // Before the length: after it, Node takes this header through a buffer and back, which costs as much as all others.
      headers['content-disposition'] = contentDisposition(version.downloadName, representation);
    }
    headers['content-length'] = body.bytes;
  }
  sendInRound(response, status, headers, body.text);
}
