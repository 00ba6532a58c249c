import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenValues, valuesOf } from '@waxwing/contract/json-schema.testing.ts';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import { schemaCheck } from '@waxwing/contract/management-api/check-input.ts';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import { ProblemDocument } from '@waxwing/contract/management-api/shared-schemas.ts';
import { problemCodes } from '@waxwing/contract/open-api.ts';
import fc, { type Arbitrary } from 'fast-check';
import { type Action, actions } from '../api/roles.ts';
import { onBothDatabasesInFull } from '../database/testing.ts';
import { type Answer, type Caller, type ManagementWorld, openManagementWorld } from './management-world.testing.ts';

const seed = 20_260_401;
const numRuns = process.env.WAXWING_TEST_SCALE === 'full' ? 1_000 : 12;
const isProblem = schemaCheck(ProblemDocument);

/** One request to an operation, with some valid parts. */
interface Attempt {
  readonly ids: 'known' | 'unknown' | 'odd';
  readonly oddId: string;
  readonly query: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

function attempts({ method, query, body, ifMatch, idempotent }: Operation): Arbitrary<Attempt> {
  const noBody = fc.constant(undefined);
  return fc.record({
    ids: fc.oneof(
      { weight: 6, arbitrary: fc.constant('known' as const) },
      fc.constantFrom('unknown' as const, 'odd' as const),
    ),
    oddId: fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
    query: query === undefined ? fc.constantFrom('', '', '', '?x=1', '?%00', '?a=%zz') : queries(query),
    body:
      body === undefined
        ? method === 'GET'
          ? noBody
          : fc.oneof(noBody, fc.constant({}), fc.jsonValue())
        : fc.oneof(valuesOf(body), valuesOf(body), brokenValues(body), noBody),
    headers: fc.record(
      {
        ...(ifMatch && { 'if-match': fc.constantFrom('*', '"x"', 'W/"x", "y"', '""', 'nonsense') }),
        ...(idempotent && { 'idempotency-key': fc.oneof(fc.uuid(), fc.constantFrom('same', '', 'a b')) }),
        'last-event-id': fc.constantFrom('0.0', '999999999.1', 'x'),
      },
      { requiredKeys: ifMatch ? ['if-match'] : [] },
    ) as Arbitrary<Record<string, string>>,
  });
}

function queries(schema: object): Arbitrary<string> {
  const valid = valuesOf(schema).map((value) =>
    Object.entries(value as object).map(([name, each]) => [name, String(each)]),
  );
  const odd = fc.array(
    fc.tuple(fc.constantFrom('limit', 'cursor', 'search', 'x', ''), fc.string({ unit: 'binary', maxLength: 12 })),
    {
      maxLength: 3,
    },
  );
  return fc.oneof(valid, valid, odd).map((pairs) => {
    const text = pairs
      .map(([name = '', value = '']) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
      .join('&');
    return text === '' ? '' : `?${text}`;
  });
}

/** A caller who reaches the operation itself. */
function callerOf({ action }: Operation): Caller {
  return actions[action as Action] === 'operator' ? 'operator' : 'owner';
}

async function attempt(
  world: ManagementWorld,
  operation: Operation,
  each: Attempt,
  sample: { path: string },
): Promise<Answer> {
  const ids = {
    known: undefined,
    unknown: '00000000-0000-7000-8000-000000000000',
    odd: encodeURIComponent(each.oddId.toWellFormed()),
  };
  const id = ids[each.ids];
  const known = sample.path.split('/');
  const path = operation.path
    .split('/')
    .map((part, index) =>
      id !== undefined && part.startsWith('{') && part !== '{organization_id}' ? id : known[index],
    )
    .join('/');
  return world.request(callerOf(operation), operation.method, path + each.query, {
    headers: each.headers,
    ...(each.body !== undefined && { body: JSON.stringify(each.body) }),
  });
}

/** Codes without an operation: another path, or not well-formed. */
const ofAnyPath = ['route_not_found', 'method_not_allowed', 'invalid_request', 'not_found'];

function judge(operation: Operation, answer: Answer): void {
  const { status, json, text, headers } = answer;
  assert.ok(status < 500, `${status} ${text}`);
  if (status < 400) {
    assert.equal(status, operation.answer.status, text);
    const { schema, type } = operation.answer;
    if (schema === undefined) assert.equal(text, '');
    else if (type === undefined) assert.deepEqual(schemaCheck(schema)(json), [], text);
    return;
  }
  assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.deepEqual(isProblem(json), [], text);
  assert.deepEqual([json.status, json.code], [status, headers.get('error-code')]);
  const codes = [...problemCodes(operation), ...ofAnyPath, ...(operation.query ? [] : ['invalid_parameter'])];
  assert.ok(codes.includes(String(json.code)), `${json.code} is not among what the document says`);
}

onBothDatabasesInFull('whatever is sent to', (_open, kind) => {
  test('each operation, it answers as the document says, and never 5xx', { timeout: 3_600_000 }, async (t) => {
    const world = await openManagementWorld(t, kind);
    for (const operation of allOperations) {
      await t.test(operation.id, async () => {
        let sample = await world.sample(operation);
        const property = fc.asyncProperty(attempts(operation), async (each) => {
          const answer = await attempt(world, operation, each, sample);
          judge(operation, answer);
          // The request may have ended its object.
          if (answer.status < 300 && operation.method !== 'GET') sample = await world.sample(operation);
        });
        await fc.assert(property, { seed, numRuns });
      });
    }
    t.diagnostic(`seed ${seed}, ${numRuns} requests to each operation`);
  });

  test('a list with a forged cursor, it is refused or read as a position, and never 5xx', async (t) => {
    const world = await openManagementWorld(t, kind);
    for (const operation of allOperations.filter(({ paged }) => paged)) {
      const { path } = await world.sample(operation);
      const first = await world.request(callerOf(operation), 'GET', `${path}?limit=1`);
      assert.equal(first.status, 200, operation.id);
      const forged = ['', 'x', '[]', '["a","b"]', '["1","2"]', '["a","b","c"]', '["9","9","9"]'].map((position) =>
        Buffer.from(`${operation.id} ${position}`).toString('base64url'),
      );
      for (const cursor of ['x', 'AAAA', 'a'.repeat(512), ...forged]) {
        judge(operation, await world.request(callerOf(operation), 'GET', `${path}?cursor=${cursor}`));
      }
    }
  });
});
