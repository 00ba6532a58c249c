import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import { apiPage } from './api-page.ts';
import { allOperations } from './management-api/all-operations.ts';
import { type Operation, pathParameters } from './management-api/operation.ts';
import { openApiDocument, tags } from './open-api.ts';
import { createSchemaCollection, type Json, type JsonObject } from './schema-collection.ts';

const document = openApiDocument(allOperations, { version: '1.2.3', server: 'https://waxwing.example' });

interface Described {
  readonly where: string;
  readonly path: string;
  readonly operation: JsonObject;
}

function described(): Described[] {
  return [document.paths, document.webhooks].flatMap((paths) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item as JsonObject).map(([method, each]) => ({
        where: `${method} ${path}`,
        path,
        operation: each as JsonObject,
      })),
    ),
  );
}

function* everyObject(value: Json): Generator<JsonObject> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as JsonObject;
  for (const inner of Object.values(value)) yield* everyObject(inner);
}

test('the document has what OpenAPI 3.1 demands of every document', () => {
  assert.match(document.openapi, /^3\.1\.\d+$/);
  const info = ['description', 'license', 'summary', 'title', 'version'];
  assert.deepEqual(Object.keys(document.info as JsonObject).sort(), info);
  for (const path of Object.keys(document.paths)) assert.match(path, /^\//);
  for (const name of Object.keys(document.components.schemas as JsonObject)) assert.match(name, /^[A-Za-z0-9._-]+$/);
  for (const { where, operation: each } of described()) {
    for (const [status, answer] of Object.entries(each.responses as JsonObject)) {
      assert.match(status, /^(?:[1-5]\d\d|[1-5]XX|default)$/, where);
      assert.equal(typeof (answer as JsonObject).description, 'string', `${where} ${status}`);
    }
    const statuses = Object.keys(each.responses as JsonObject);
    assert.ok(
      statuses.some((status) => status.startsWith('2') || status === 'default'),
      `${where} has an answer that is none of its problems`,
    );
  }
});

test('every operationId exists once', () => {
  const ids = described().map(({ operation: each }) => each.operationId);
  assert.deepEqual(ids, [...new Set(ids)]);
});

test('every reference leads to something, and everything that can be referred to is', () => {
  const references = new Set(
    [...everyObject(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])),
  );
  const names = Object.keys(document.components.schemas as JsonObject).map((name) => `#/components/schemas/${name}`);
  assert.deepEqual([...references].sort(), names.sort());
  for (const each of everyObject(document)) assert.equal('$id' in each && typeof each.$id === 'string', false);
});

test('every parameter of a path is declared, required and there; no parameter is declared twice', () => {
  for (const { where, path, operation: each } of described()) {
    const parameters = (each.parameters ?? []) as readonly JsonObject[];
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    assert.deepEqual(
      inPath.map(({ name }) => name),
      pathParameters(path),
      where,
    );
    assert.ok(
      inPath.every(({ required }) => required === true),
      where,
    );
    const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    assert.deepEqual(keys, [...new Set(keys)], where);
    for (const parameter of parameters) assert.ok(parameter.schema !== undefined, `${where} ${parameter.name}`);
  }
});

test('every security requirement names a scheme, every tag is described', () => {
  const schemes = Object.keys(document.components.securitySchemes as JsonObject);
  for (const { where, operation: each } of described()) {
    const names = (each.security as readonly JsonObject[]).flatMap((requirement) => Object.keys(requirement));
    assert.ok(
      names.every((name) => schemes.includes(name)),
      where,
    );
    assert.ok(
      (each.tags as readonly string[]).every((tag) => tag in tags),
      where,
    );
  }
});

test('the given interfaces and the pushes are in it', () => {
  const ids = described().map(({ operation: each }) => each.operationId);
  for (const id of ['fetchCertificate', 'downloadCertificate', 'sendMessages', 'showBatch', 'listMessageEvents']) {
    assert.ok(ids.includes(id), id);
  }
  const status = (document.webhooks.deliveryStatus as JsonObject).get as JsonObject;
  const names = (status.parameters as readonly JsonObject[])
    .filter((each) => each.in === 'query')
    .map(({ name }) => name);
  assert.deepEqual(names, ['batch_id', 'mobile', 'status', 'memo']);
});

/** An operation's flags must show in its schemas. */
function faultsOf(each: Operation): string[] {
  const { path, params, query, body = {}, answer, paged, tagged, ifMatch, idempotent, secret, method } = each;
  const shown = answer.schema as (TSchema & { properties?: object }) | undefined;
  const faults: (string | false)[] = [
    pathParameters(path).join() !== Object.keys(params?.properties ?? {}).join() && 'params are not those of the path',
    path.startsWith('/organizations/{') && !path.startsWith('/organizations/{organization_id}') && 'odd organization',
    paged === true && !('cursor' in (query?.properties ?? {})) && 'paged without cursor',
    paged === true && !('next_cursor' in (shown?.properties ?? {})) && 'paged without next_cursor',
    paged !== true && 'items' in (shown?.properties ?? {}) && 'a list that is not paged',
    ifMatch === true && tagged === undefined && 'ifMatch without tagged',
    idempotent === true && method !== 'POST' && 'idempotent, and no POST',
    secret === true && method === 'GET' && 'a GET that shows a secret',
    // Additions to the person's own account, such as a second factor, have a step of confirmation.
    !path.startsWith('/me') &&
      method === 'POST' &&
      answer.status === 201 &&
      idempotent !== true &&
      'a creation without Idempotency-Key',
    largestJson(body) > 16_384 !== (each.longBody === true) && 'a long body without longBody, or another with it',
    each.longBody === true && each.action === 'public' && 'strangers send long bodies',
    (answer.status === 204 || answer.status === 303) === (shown !== undefined) &&
      'a body with 204 or 303, or none without',
  ];
  return faults.filter((fault) => fault !== false);
}

interface Sized {
  readonly type?: string;
  readonly anyOf?: readonly Sized[];
  readonly properties?: Readonly<Record<string, Sized>>;
  readonly items?: Sized;
  readonly maxItems?: number;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** The largest JSON of a value, UTF-8 bytes. Open objects, which no schema bounds, count nothing. */
function largestJson(schema: object): number {
  const { type, anyOf, properties = {}, items = {}, maxItems = Infinity, ...of } = schema as Sized;
  if (anyOf !== undefined) return Math.max(...anyOf.map(largestJson));
  if (type === 'array') return maxItems * (largestJson(items) + 1) + 2;
  if (type === 'string') return largestText(of);
  if (type !== 'object' || (schema as TSchema & { additionalProperties?: unknown }).additionalProperties !== false)
    return 20;
  return Object.entries(properties).reduce((sum, [name, each]) => sum + name.length + 4 + largestJson(each), 2);
}

function largestText({ format, pattern = '', maxLength, const: only, enum: choices }: Sized): number {
  if (only !== undefined) return JSON.stringify(only).length;
  if (choices !== undefined) return Math.max(...choices.map((choice) => JSON.stringify(choice).length));
  if (format === 'date-time') return 64;
  // A pattern that ends with a count is ASCII.
  const ofPattern = /\{(?:\d+,)?(\d+)\}\$$/.exec(pattern)?.[1];
  return ofPattern === undefined ? (maxLength ?? Infinity) * 4 + 2 : Number(ofPattern) + 2;
}

test('what operations promise by their flags is in their schemas', () => {
  for (const each of allOperations) assert.deepEqual(faultsOf(each), [], each.id);
  const odd: Operation = {
    id: 'odd',
    method: 'POST',
    path: '/things/{thing_id}',
    tag: 'events',
    summary: '',
    action: 'x',
    answer: { status: 201, schema: Type.Object({ items: Type.Array(Type.String()) }) },
    ifMatch: true,
  };
  assert.equal(faultsOf(odd).length, 4);
});

test('two different schemas of one name are refused', () => {
  const schemas = createSchemaCollection();
  schemas.use(Type.String({ $id: 'Thing' }));
  assert.deepEqual(schemas.use(Type.String({ $id: 'Thing' })), { $ref: '#/components/schemas/Thing' });
  assert.throws(() => schemas.use(Type.Integer({ $id: 'Thing' })), /Thing/);
  const described = schemas.use(Type.String({ $id: 'Thing', description: 'Another.' }));
  assert.deepEqual(described, { $ref: '#/components/schemas/Thing', description: 'Another.' });
});

test('the page for people shows every operation and schema, loads nothing and runs nothing', () => {
  const { html, policy } = apiPage(document);
  for (const { operation: each } of described())
    assert.ok(html.includes(`id="${each.operationId}"`), String(each.operationId));
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
  for (const [, target = ''] of html.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(target), target);
  assert.doesNotMatch(html, /<script|<img|<link|\son\w+=|src=|@import|url\(|undefined|\[object/);
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='/);
});

test('what stands in a description is text on the page, not markup', () => {
  const sly = openApiDocument(
    [{ ...(allOperations[0] as Operation), summary: '<script>alert(1)</script>', description: '`<b>` & "x"' }],
    { version: '1' },
  );
  const { html } = apiPage(sly);
  assert.doesNotMatch(html, /<script/);
  assert.match(html, /<code>&lt;b&gt;<\/code> &amp; &quot;x&quot;/);
});
