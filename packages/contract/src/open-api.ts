/**
 * The OpenAPI 3.1 document of all that Waxwing speaks over HTTP: the management API from its operations, the given
 * retrieval and messaging interfaces, and the pushes as webhooks. Pure.
 */
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
  retrieval: 'How servers fetch the certificate of their deployment, with the token of the deployment.',
  messages: 'How customers send text messages and learn what became of them, with a messaging key.',
  'sign-in':
    'How people sign in: a first factor, a second one where there is one, then a session by cookie; and one-time links.',
  account: 'What people do about themselves: password, second factors, sessions.',
  organizations: 'The customers of this instance.',
  members: 'The people of an organization, their roles and invitations.',
  accounts: 'The people of this instance, for those who run it.',
  'management-keys': 'Keys by which programs use this API.',
  certificates: 'Certificates, their versions, import and export.',
  deployments: "Servers' rights to fetch a certificate.",
  messaging: 'What an organization sends and receives, and whom it sends nothing.',
  'messaging-keys': 'Keys by which customers send text messages.',
  'push-settings': 'Where final statuses and replies are pushed, and how that goes.',
  pushes: 'What was pushed with each attempt, and sending it again.',
  carriers: 'Who carries messages, and whose inbound numbers are whose.',
  audit: 'Who did what.',
  instance: 'How the instance is.',
  events: 'What changes, as it changes.',
};

const introduction = `Three interfaces: certificate retrieval and text messages for programs of customers, each with tokens of its own,
and the management API below \`${managementBase}\` for people (by session) and automation (by management key).

**Management API.** Fields are \`snake_case\`, times RFC 3339 in UTC, ids opaque. Unknown fields are refused. An error is an RFC 9457 problem
whose \`code\` is stable. What belongs to an organization that one is no member of does not exist: 404. Lists come in pages: hand \`next_cursor\`
back as \`cursor\`. A change of settings needs \`If-Match\` with the \`ETag\` of what was read. A creation that carries an \`Idempotency-Key\` takes
effect once within a day, however often it is sent. Every answer has a \`Request-Id\`; logs name it.`;

/** @param about the version of the software, and the base URL where it is known */
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
  session: { type: 'apiKey', in: 'cookie', name: '__Host-waxwing', description: 'Given by signing in.' },
  managementKey: { type: 'http', scheme: 'bearer', description: 'A management key, `wxa_…`.' },
  bearerToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API token: `wxd_…` of a deployment, `wxm_…` for messages.',
  },
  apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same token.' },
  apiKeyQuery: { type: 'apiKey', in: 'query', name: 'key', description: 'The same token, in the URL.' },
};

/** The codes of the problems that an operation may answer with, its own among them. */
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
  const { id, tag, summary, description, body, action } = operation;
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

/** A key proves nobody's presence, and has no `me`. */
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
    ...(ifMatch ? [header('If-Match', true, 'The ETag of what was read.')] : []),
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
      description: secret ? 'Done. Shows a secret, this once.' : 'Done.',
      headers: {
        'Request-Id': { schema: { type: 'string' } },
        ...(tagged && { ETag: { schema: { type: 'string' }, description: 'Of the settings, for If-Match.' } }),
        ...(answer.status === 303 && { Location: { schema: { type: 'string' } } }),
      },
      ...(answer.schema !== undefined && {
        content: { [answer.type ?? 'application/json']: { schema: schemas.use(answer.schema) } },
      }),
    },
    '4XX': { description: list(codes.filter((code) => !ours.includes(code))), content: problem },
    // Success that is a redirect has no 2XX. Linters want one, or an answer for all that is not named.
    [answer.status === 303 ? 'default' : '5XX']: { description: list(ours), content: problem },
  };
}
