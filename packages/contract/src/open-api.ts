/** The OpenAPI 3.1 document of the management API, the given interfaces, and the pushes as webhooks. Pure. */
import { givenPaths, webhooks } from './given-operations.ts';
import { managementBase, type Operation, pathParameters } from './management-api/operation.ts';
import { ProblemDocument } from './management-api/shared-schemas.ts';
import { createSchemaCollection, type JsonObject, type SchemaCollection } from './schema-collection.ts';

export interface OpenApiDocument extends JsonObject {
  readonly openapi: '3.1.1';
  readonly paths: JsonObject;
  readonly webhooks: JsonObject;
  readonly components: JsonObject;
}

/** What each tag is about, in the order of the documentation. */
export const tags: Readonly<Record<string, string>> = {
  retrieval: 'Servers fetch the certificate of their deployment, with its token.',
  messages: 'Customers send text messages and read their status, with a messaging key.',
  'sign-in':
    'People sign in by a first factor and perhaps a second one, and get a session cookie. Also one-time links.',
  account: "A person's own password, second factors and sessions.",
  organizations: 'The customers of this instance.',
  members: 'The people of an organization, their roles and invitations.',
  accounts: 'The people of this instance, for operators.',
  'management-keys': 'Keys by which programs use this API.',
  certificates: 'Certificates, their versions, import and export.',
  deployments: "Servers' rights to fetch a certificate.",
  messaging: 'Messages sent and received, opt-outs and blocked lists.',
  'messaging-keys': 'Keys by which customers send text messages.',
  'push-settings': 'Where final statuses and replies are pushed, and the state of pushing.',
  pushes: 'Pushes with each attempt, and sending them again.',
  carriers: 'Carriers, and the organizations of inbound numbers.',
  authorities: 'Certification authorities that issue certificates by ACME.',
  'dns providers': 'Accounts that set DNS records, to prove names.',
  alerts: 'Alerts, and the channels that they are sent to.',
  audit: 'Who did what.',
  instance: 'The state of the instance.',
  events: 'Changes as they happen.',
};

const introduction = `Three interfaces: certificate retrieval and text messages for programs of customers, each with tokens of its own,
and the management API below \`${managementBase}\` for people (by session) and automation (by management key).

**Management API.** Fields are \`snake_case\`, times RFC 3339 in UTC, ids opaque. Unknown fields are refused. An error is an RFC 9457 problem
whose \`code\` is stable. What belongs to an organization that one is no member of does not exist: 404. Lists come in pages: hand \`next_cursor\`
back as \`cursor\`. A change of settings needs \`If-Match\` with the \`ETag\` of what was read. A creation that carries an \`Idempotency-Key\` takes
effect once within a day, however often it is sent. Every answer has a \`Request-Id\`; logs name it.`;

/** @param about the software's version, and the base URL if known */
export function openApiDocument(
  operations: readonly Operation[],
  about: { readonly version: string; readonly server?: string },
): OpenApiDocument {
  const schemas = createSchemaCollection();
  const paths: Record<string, JsonObject> = { ...givenPaths(schemas) };
  for (const operation of operations) {
    const path = managementBase + operation.path;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation, schemas) };
  }
  const pushes = webhooks(schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Waxwing',
      version: about.version,
      summary: 'Certificates and text messages',
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: about.server ?? '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: pushes,
    components: { schemas: schemas.components(), securitySchemes },
  };
}

const securitySchemes: JsonObject = {
  session: { type: 'apiKey', in: 'cookie', name: '__Host-waxwing', description: 'Set by signing in.' },
  managementKey: { type: 'http', scheme: 'bearer', description: 'A management key, `wxa_…`.' },
  bearerToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token: `wxd_…` of a deployment, `wxm_…` for messages.',
  },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same token.' },
  apiKeyQuery: { type: 'apiKey', in: 'query', name: 'key', description: 'The same token, in the URL.' },
};

/** The problem codes that an operation may answer, its own included. */
export function problemCodes(operation: Operation): readonly string[] {
  const { method, params, query, body, fresh, ifMatch, idempotent, action, problems = [] } = operation;
  const isPublic = action === 'public';
  const codes = [
    'invalid_request',
    ...(query || body || idempotent ? ['invalid_parameter'] : []),
    ...(isPublic ? [] : ['unauthenticated', 'invalid_token', 'address_not_allowed', 'role_not_permitted']),
    ...(method === 'GET' ? [] : ['origin_not_allowed', 'body_too_large']),
    ...(fresh ? ['reauthentication_required'] : []),
    ...(params ? ['not_found'] : []),
    ...(ifMatch ? ['precondition_required', 'precondition_failed'] : []),
    ...(idempotent ? ['idempotency_conflict'] : []),
    ...problems,
    'too_many_requests',
    'service_unavailable',
    'internal_error',
  ];
  return [...new Set(codes)];
}

function describeOperation(operation: Operation, schemas: SchemaCollection): JsonObject {
  const { id, tag, summary, body, action } = operation;
  const description = descriptionOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    parameters: [...pathParametersOf(operation, schemas), ...queryOf(operation, schemas), ...headersOf(operation)],
    ...(body !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: schemas.use(body) } } },
    }),
    responses: responsesOf(operation, schemas),
    security: securityOf(operation),
    'x-action': action,
  };
}

function descriptionOf({ description, everywhere }: Operation): string | undefined {
  if (!everywhere) return description;
  return [description, 'For an operator `-` lists those of all organizations.'].filter(Boolean).join(' ');
}

/** A key has no `me` and cannot confirm an identity. */
function securityOf({ action, fresh, path }: Operation): JsonObject[] {
  if (action === 'public') return [];
  return fresh === true || path.startsWith('/me') ? [{ session: [] }] : [{ managementKey: [] }, { session: [] }];
}

function pathParametersOf({ path, params }: Operation, schemas: SchemaCollection): JsonObject[] {
  return pathParameters(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: schemas.use((params?.properties[name] ?? { type: 'string' }) as object),
  }));
}

function queryOf({ query }: Operation, schemas: SchemaCollection): JsonObject[] {
  const required = new Set(query?.required ?? []);
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { description, ...rest } = schema as { readonly description?: string; readonly $id?: string };
    const whole = rest.$id === undefined ? rest : schema;
    return {
      name,
      in: 'query',
      required: required.has(name),
      ...(description !== undefined && { description }),
      schema: schemas.use(whole),
    };
  });
}

function headersOf({ ifMatch, idempotent, answer }: Operation): JsonObject[] {
  const header = (name: string, required: boolean, description: string): JsonObject => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  });
  return [
    ...(ifMatch ? [header('If-Match', true, 'The ETag of the last reading.')] : []),
    ...(idempotent
      ? [header('Idempotency-Key', false, '1 to 255 visible ASCII characters, new for each creation.')]
      : []),
    ...(answer.type === 'text/event-stream' ? [header('Last-Event-ID', false, 'The id of the last event seen.')] : []),
  ];
}

function responsesOf(operation: Operation, schemas: SchemaCollection): JsonObject {
  const { answer, tagged, secret } = operation;
  const codes = problemCodes(operation);
  const problem = { 'application/problem+json': { schema: schemas.use(ProblemDocument) } };
  const list = (of: readonly string[]) =>
    `A problem; its \`code\` is one of ${of.map((code) => `\`${code}\``).join(', ')}.`;
  const ours = ['service_unavailable', 'internal_error'];
  return {
    [String(answer.status)]: {
      description: secret ? 'Done. Shows a secret, only this time.' : 'Done.',
      headers: {
        'Request-Id': { schema: { type: 'string' } },
        ...(tagged && { ETag: { schema: { type: 'string' }, description: 'For If-Match.' } }),
        ...(answer.status === 303 && { Location: { schema: { type: 'string' } } }),
      },
      ...(answer.schema !== undefined && {
        content: { [answer.type ?? 'application/json']: { schema: schemas.use(answer.schema) } },
      }),
    },
    '4XX': { description: list(codes.filter((code) => !ours.includes(code))), content: problem },
    // A redirect has no 2XX answer. Linters want one, or a default answer.
    [answer.status === 303 ? 'default' : '5XX']: { description: list(ours), content: problem },
  };
}
