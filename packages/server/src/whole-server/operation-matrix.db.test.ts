import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import { schemaCheck } from '@waxwing/contract/management-api/check-input.ts';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import { actions, type Least, roles } from '../api/roles.ts';
import { onBothDatabasesInFull } from '../database/testing.ts';
import { type Caller, callers, type ManagementWorld, openManagementWorld } from './management-world.testing.ts';

const secrets =
  /#token=[\w-]{43}|wx[dma]_[0-9A-Za-z]{40,}|PRIVATE KEY|whsec_[0-9A-Za-z+/]{16,}|\$argon2|"(?:password|secret|token)":"/;

/** Operations that depend on the person and their factors: only that they are reached is checked. */
function isPersonal({ path, method, action, id }: Operation): boolean {
  return action === 'public' || (path.startsWith('/me/') && method !== 'GET') || id === 'leaveOrganization';
}

const refusals = [
  'unauthenticated',
  'invalid_token',
  'reauthentication_required',
  'origin_not_allowed',
  'internal_error',
];

/** The expected answer by the table of roles: a code, or undefined for admission. */
function expectedRefusal({ action, path, fresh }: Operation, caller: Caller): string | undefined {
  const least: Least = actions[action as keyof typeof actions];
  if (least === 'public') return undefined;
  if (caller === 'nobody' || caller === 'stranger') return 'unauthenticated';
  const isForeign = caller.startsWith('foreign-');
  if (isForeign && path.startsWith('/organizations/{organization_id}')) return 'not_found';
  const isKey = caller.includes('key');
  if (!suffices(caller, isKey, least) || (fresh === true && isKey)) return 'role_not_permitted';
  return fresh !== undefined && caller === 'stale-owner' ? 'reauthentication_required' : undefined;
}

function suffices(caller: Caller, isKey: boolean, least: Least): boolean {
  if (least === 'anyone') return true;
  if (least === 'person') return !isKey;
  if (caller === 'operator' || caller === 'key-instance') return true;
  const role = caller.replace(/^(?:key|stale|foreign)-/, '');
  return (roles as readonly string[]).includes(least) && rank(role) >= rank(least);
}

const rank = (role: string): number => (roles as readonly string[]).indexOf(role);

async function ask(
  world: ManagementWorld,
  operation: Operation,
  caller: Caller,
  sample: { path: string; body: unknown },
) {
  const { method, ifMatch } = operation;
  return world.request(caller, method, sample.path, {
    ...(sample.body !== undefined && { body: sample.body }),
    headers: ifMatch ? { 'if-match': '*' } : {},
  });
}

onBothDatabasesInFull('every operation for every caller', (_open, kind) => {
  test('the roles decide: refused callers learn nothing, others are served', { timeout: 300_000 }, async (t) => {
    const world = await openManagementWorld(t, kind);
    for (const operation of allOperations) {
      const idle = await world.sample(operation);
      for (const caller of callers) {
        const what = `${operation.id} by ${caller}`;
        const expected = expectedRefusal(operation, caller);
        // Only a change may end its object.
        const isSpent = expected === undefined && operation.method !== 'GET';
        const sample = isSpent ? await world.sample(operation, true) : idle;
        const { status, json, text, headers } = await ask(world, operation, caller, sample);
        assert.ok(status < 500, `${what}: ${status} ${text}`);
        if (expected !== undefined) {
          assert.deepEqual([json.code, headers.get('error-code')], [expected, expected], what);
          if (expected === 'not_found')
            assert.deepEqual(json, await unknownOrganization(world, operation, caller), what);
        } else if (isPersonal(operation)) {
          assert.ok(!refusals.includes(String(json.code)), `${what}: ${text}`);
        } else {
          assert.equal(status, operation.answer.status, `${what}: ${text}`);
          const { schema, type } = operation.answer;
          if (schema !== undefined && type === undefined) assert.deepEqual(schemaCheck(schema)(json), [], what);
          if (operation.secret !== true) assert.doesNotMatch(text, secrets, what);
        }
        assert.equal(headers.get('cache-control'), 'private, no-store', what);
        assert.match(headers.get('request-id') ?? '', /^[0-9a-f]{16}$/, what);
      }
    }
  });

  test('what is served below /api/v1 is what the document describes, no more and no less', async (t) => {
    const { request, routes } = await openManagementWorld(t, kind);
    const { paths } = (await request('nobody', 'GET', '/api/openapi.json')).json as { paths: Record<string, object> };
    const described = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/v1/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    const served = [...routes].filter((route) => route.includes(' /api/v1') && !route.startsWith('HEAD '));
    assert.deepEqual(served.sort(), described.sort());
    assert.deepEqual(described.sort(), allOperations.map(({ method, path }) => `${method} /api/v1${path}`).sort());
  });

  test('a thing of another organization is answered as one that does not exist', { timeout: 300_000 }, async (t) => {
    const world = await openManagementWorld(t, kind);
    const isOfId = ({ path }: Operation) => /\{organization_id\}.*\{/.test(path) && !path.includes('{kind}');
    for (const operation of allOperations.filter(isOfId)) {
      const { path, body } = await world.sample(operation);
      const [, , own = ''] = path.split('/');
      const answers = [];
      // The thing is acme's. It is requested below another organization of the operator, and by its owner.
      for (const caller of ['operator', 'foreign-owner', 'foreign-key'] as const) {
        if (operation.fresh === true && caller === 'foreign-key') continue;
        const foreign = path.replace(own, world.other);
        const absent = foreign.replace(/[0-9a-f]{12}(?=\/|$)/g, (end, at: number) => (at < 60 ? end : '0'.repeat(12)));
        for (const each of [foreign, absent]) {
          const { status, text } = await ask(world, operation, caller, { path: each, body });
          answers.push(`${status} ${text}`);
        }
      }
      assert.deepEqual(new Set(answers).size, 1, `${operation.id}: ${answers}`);
      assert.match(answers[0] ?? '', /^404 .*"code":"not_found"/, operation.id);
    }
  });
});

async function unknownOrganization(world: ManagementWorld, operation: Operation, caller: Caller): Promise<object> {
  const { path, body } = await world.sample(operation);
  const nowhere = path.replace(world.acme, '00000000-0000-7000-8000-000000000000');
  return (await ask(world, operation, caller, { path: nowhere, body })).json;
}
