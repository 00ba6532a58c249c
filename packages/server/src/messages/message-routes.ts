import { maxEvents, type SendMessagesSuccess } from '@waxwing/contract/messaging-api.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readStrictJson } from '../api/strict-json.ts';
import type { Database } from '../database/database.ts';
import { addressOfRequest } from '../http/request/client-address.ts';
import { type Credential, readCredential } from '../http/request/credential.ts';
import { readIdempotencyKey } from '../http/request/idempotency-key.ts';
import type { AddressSet, IpAddress } from '../http/request/ip-address.ts';
import { parseQuery, type QueryParameters, rawQueryOf, valuesOf } from '../http/request/raw-query.ts';
import { Problem } from '../runtime/problem.ts';
import { orUnavailable } from '../runtime/unavailable.ts';
import { type ReadPushStates, reportBatch } from './history/batch-report.ts';
import { parseCursor } from './history/event-cursor.ts';
import { listEvents } from './history/list-events.ts';
import type { SendMessages } from './send/send-messages.ts';
import type { AuthenticateSender } from './senders/authenticate-sender.ts';
import type { Sender } from './senders/messaging-access.ts';

export interface MessageRoutesNeeds {
  readonly database: Database;
  readonly authenticate: AuthenticateSender;
  readonly messages: Pick<SendMessages, 'send'>;
  readonly readPushStates: ReadPushStates;
  readonly trustedProxies: AddressSet;
  /** Hears of a forwarded header that nobody is trusted to send. */
  readonly onUntrustedForward: (peer: string) => void;
}

/** What a request shows for itself, by which it can be admitted again. */
interface Asking {
  readonly credential: Credential;
  readonly address: IpAddress | undefined;
}

interface Admitted {
  readonly asking: Asking;
  readonly sender: Sender;
}

/** A thousand numbers and the longest content, with every character escaped, take four fifths of it. */
const bodyBytes = 262_144;
const standardLimit = 100;

/** POST /api/messages, GET /api/messages/events and GET /api/messages/{batch_id} (contract §3). */
export function registerMessageRoutes(app: FastifyInstance, needs: MessageRoutesNeeds): void {
  const { database, messages, readPushStates } = needs;
  app.register(async (scope) => {
    readStrictJson(scope, { empty: true, repeated: true });
    scope.decorateRequest('admitted');
    // Before the body is read: strangers cannot make us parse anything.
    scope.addHook('onRequest', async (request) => {
      // `/api/messages/`, which the router takes for a batch without an id.
      if (batchIdOf(request) === '') throw new Problem('route_not_found');
      const asking = whoAsks(request, needs);
      const sender = await needs.authenticate(asking.credential, asking.address);
      request.setDecorator('admitted', { asking, sender });
    });

    scope.post('/api/messages', { bodyLimit: bodyBytes }, async (request, reply) => {
      // Once more: who takes half a minute to send a body may have lost the right meanwhile.
      const { asking } = admittedOf(request);
      const again = () => needs.authenticate(asking.credential, asking.address);
      const { organizationId, keyId, revision } = await again();
      const idempotencyKey = readIdempotencyKey(request.raw.rawHeaders);
      const admission = { revision, again };
      const batchId = await messages.send({ organizationId, keyId, admission, body: request.body, idempotencyKey });
      return succeed(reply, { batch_id: batchId } satisfies SendMessagesSuccess['data']);
    });

    scope.get('/api/messages/events', async (request, reply) => {
      const { organizationId } = admittedOf(request).sender;
      const query = queryOf(request);
      const after = readAfter(query);
      const limit = readLimit(query);
      return succeed(reply, await orUnavailable(listEvents(database, { organizationId, after, limit })));
    });

    scope.get('/api/messages/:batchId', async (request, reply) => {
      const { organizationId } = admittedOf(request).sender;
      const report = reportBatch(database.db, readPushStates, organizationId, batchIdOf(request) ?? '');
      return succeed(reply, await orUnavailable(report));
    });
  });
}

const batchIdOf = ({ params }: FastifyRequest) => (params as { readonly batchId?: string }).batchId;

function whoAsks(request: FastifyRequest, { trustedProxies, onUntrustedForward }: MessageRoutesNeeds): Asking {
  return {
    credential: readCredential(request.raw.rawHeaders, valuesOf(queryOf(request), 'key')),
    address: addressOfRequest(request.raw, trustedProxies, onUntrustedForward),
  };
}

/** @throws Error in a route that the hook does not stand before */
function admittedOf(request: FastifyRequest): Admitted {
  const admitted = request.getDecorator<Admitted | undefined>('admitted');
  if (admitted === undefined) throw new Error('a message route was reached without a sender');
  return admitted;
}

function queryOf(request: FastifyRequest): QueryParameters {
  return parseQuery(rawQueryOf(request.raw.url ?? ''));
}

function readAfter(query: QueryParameters): number | undefined {
  const [after, ...others] = valuesOf(query, 'after');
  if (after === undefined) return undefined;
  return parseCursor(others.length === 0 ? after : '');
}

function readLimit(query: QueryParameters): number {
  const given = valuesOf(query, 'limit');
  if (given.length === 0) return standardLimit;
  const limit = given.length === 1 && /^\d{1,4}$/.test(given[0] ?? '') ? Number(given[0]) : 0;
  if (limit >= 1 && limit <= maxEvents) return limit;
  throw new Problem('invalid_parameter', {
    field: 'limit',
    detail: `limit must be a whole number from 1 to ${maxEvents}.`,
  });
}

function succeed(reply: FastifyReply, data: object): FastifyReply {
  return reply
    .headers({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(JSON.stringify({ status: 'success', data }));
}
