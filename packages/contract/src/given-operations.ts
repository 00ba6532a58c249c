/** The given interfaces as OpenAPI paths: certificate retrieval, text messages, and the pushes to customers. */
import {
  BatchReportSuccess,
  EventsQuery,
  EventsSuccess,
  SendMessagesRequest,
  SendMessagesSuccess,
} from './messaging-api.ts';
import { UplinkPush } from './push-request.ts';
import { DownloadType, RetrievalError, RetrievalSuccess } from './retrieval-api.ts';
import type { JsonObject, SchemaCollection } from './schema-collection.ts';

const security = [{ bearerToken: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }];
const text = { type: 'string' };

interface Parts {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  readonly success: JsonObject;
}

export function givenPaths(schemas: SchemaCollection): Record<string, JsonObject> {
  const error = {
    description: 'Refused. The header `Error-Code` carries a stable code, `Error-Field` the field at fault.',
    content: { 'application/json': { schema: schemas.use(RetrievalError) } },
  };
  const describe = ({ tag, parameters = [], success, ...parts }: Parts): JsonObject => ({
    ...parts,
    tags: [tag],
    parameters,
    security,
    responses: { '200': success, '4XX': error, '5XX': error },
  });
  const json = (schema: object, description: string): JsonObject => ({
    description,
    content: { 'application/json': { schema: schemas.use(schema) } },
  });
  const version = {
    name: 'version',
    in: 'query',
    description: 'The current version or the one before it, by the id that `Certificate-Version` carried.',
    schema: text,
  };

  return {
    '/api/certificate': {
      get: describe({
        operationId: 'fetchCertificate',
        tag: 'retrieval',
        summary: 'Fetch certificate and key as one JSON object',
        description: 'Poll with `If-None-Match`: 304 while nothing has changed.',
        parameters: [version],
        success: json(RetrievalSuccess, 'One matching pair. `Certificate-Version` names the version.'),
      }),
    },
    '/api/download': {
      get: describe({
        operationId: 'downloadCertificate',
        tag: 'retrieval',
        summary: 'Download certificate or key as a file',
        parameters: [
          { name: 'type', in: 'query', description: '`certificate` by default.', schema: schemas.use(DownloadType) },
          version,
        ],
        success: { description: 'A PEM file.', content: { 'application/x-pem-file': { schema: text } } },
      }),
    },
    '/api/messages': {
      post: describe({
        operationId: 'sendMessages',
        tag: 'messages',
        summary: 'Send a text to one or many telephones',
        description: 'Answered once the batch is on disk. One bad entry refuses the whole batch.',
        parameters: [
          {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'The same request with the same key within 24 hours is one batch.',
            schema: { ...text, minLength: 1, maxLength: 255 },
          },
        ],
        requestBody: { required: true, content: { 'application/json': { schema: schemas.use(SendMessagesRequest) } } },
        success: json(SendMessagesSuccess, 'Accepted.'),
      }),
    },
    '/api/messages/{batch_id}': {
      get: describe({
        operationId: 'showBatch',
        tag: 'messages',
        summary: 'Show the status of a batch',
        parameters: [{ name: 'batch_id', in: 'path', required: true, schema: text }],
        success: json(BatchReportSuccess, 'Every message of it, in the order of the request.'),
      }),
    },
    '/api/messages/events': {
      get: describe({
        operationId: 'listMessageEvents',
        tag: 'messages',
        summary: 'List final statuses and replies',
        description: 'In the order in which they happened. None is ever skipped.',
        parameters: Object.entries(EventsQuery.properties).map(([name, schema]) => ({
          name,
          in: 'query',
          schema: schemas.use(schema),
        })),
        success: json(EventsSuccess, 'A page of events.'),
      }),
    },
  };
}

/** The two pushes. A receiver answers 200, or the push is tried again. */
export function webhooks(schemas: SchemaCollection): JsonObject {
  const push = (operationId: string, summary: string, parameters: readonly JsonObject[]): JsonObject => ({
    get: {
      operationId,
      tags: ['messages'],
      summary,
      description:
        'Sent at least once: `Webhook-Id` stays the same through retries. Signed in the form of Standard Webhooks where the setting has a secret: the signed text is `webhook-id.webhook-timestamp.` followed by the raw query string. To verify, decode the base64 after `whsec_` as the key, compute the HMAC-SHA256 of that text, and compare its base64 with the value after each `v1,` of `Webhook-Signature`. Refuse a timestamp that is more than five minutes off.',
      parameters: [...parameters, ...pushHeaders],
      security: [],
      responses: {
        '200': { description: 'Accepted. Only status 200 ends the push.' },
        default: { description: 'Not accepted. It is sent again, at most as often as the setting says.' },
      },
    },
  });
  const query = (name: string, schema: object, required = true): JsonObject => ({
    name,
    in: 'query',
    required,
    schema: schemas.use(schema),
  });
  return {
    deliveryStatus: push('pushDeliveryStatus', 'The final status of a message', [
      query('batch_id', { type: 'string', description: 'The `batch_id` that the send operation returned.' }),
      query('mobile', { type: 'string', description: 'The phone number, exactly as the customer sent it.' }),
      query('status', { type: 'string', enum: ['DELIVRD', 'UNDELIV', 'REJECTED'] }),
      query('memo', { type: 'string', minLength: 1, description: 'The reason. Only with REJECTED.' }, false),
    ]),
    uplinkMessage: push(
      'pushUplinkMessage',
      'A reply to a message',
      Object.entries(UplinkPush.properties).map(([name, schema]) => query(name, schema)),
    ),
  };
}

const pushHeaders: readonly JsonObject[] = [
  ['Webhook-Id', true, 'Of the push, the same for all its attempts.'],
  ['Webhook-Timestamp', true, 'Of the attempt, Unix time in seconds.'],
  [
    'Webhook-Signature',
    false,
    '`v1,` and the HMAC-SHA256, base64. While the secret is being changed, one for each secret, separated by spaces.',
  ],
].map(([name, required, description]) => ({ name, in: 'header', required, description, schema: text }) as JsonObject);
