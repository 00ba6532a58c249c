import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import { onBothDatabases } from '../database/testing.ts';
import { type Caller, type ManagementWorld, openManagementWorld } from '../whole-server/management-world.testing.ts';

/** Whose organization is found by the thing that the path names. */
const things = [
  'alert_channel_id',
  'dns_provider_id',
  'certificate_id',
  'deployment_id',
  'messaging_key_id',
  'management_key_id',
  'push_id',
];

const below = allOperations.filter(
  ({ path, answer }) => path.startsWith('/organizations/{organization_id}') && answer.type !== 'text/event-stream',
);
const namesThing = ({ path }: Operation): boolean => things.some((name) => path.includes(`{${name}}`));

async function ask(world: ManagementWorld, caller: Caller, operation: Operation, organization = '-') {
  const { path, body } = await world.sample(operation);
  const readable = operation.ifMatch ? await world.request(caller, 'GET', path) : undefined;
  const tag = readable?.headers.get('etag') ?? undefined;
  return world.request(caller, operation.method, path.replace(world.acme, organization), {
    body,
    ...(tag !== undefined && { headers: { 'if-match': tag } }),
  });
}

onBothDatabases('In whichever organization it is', (_open, kind) => {
  test('an operator finds what a path names, and the lists of all', async (t) => {
    const world = await openManagementWorld(t, kind);
    for (const operation of below) {
      const { status } = await ask(world, 'operator', operation);
      if (namesThing(operation)) assert.notEqual(status, 404, operation.id);
      else assert.equal(status, operation.everywhere ? 200 : 404, operation.id);
    }
    const certificate = await world.importCertificate(world.other);
    const listed = await world.request('operator', 'GET', '/organizations/-/certificates?search=example.com&limit=200');
    const { items } = listed.json as { items: { id: string; organization_id: string }[] };
    assert.deepEqual(new Set(items.map(({ organization_id }) => organization_id)), new Set([world.acme, world.other]));
    const shown = await world.request('operator', 'GET', `/organizations/-/certificates/${certificate}`);
    assert.deepEqual([shown.status, shown.json.organization_id], [200, world.other]);
    const unknown = await world.request('operator', 'GET', '/organizations/-/certificates/nothing');
    assert.deepEqual([unknown.status, unknown.json.code], [404, 'not_found']);
  });

  test('a key of an organization means its own, and people have to say which', async (t) => {
    const world = await openManagementWorld(t, kind);
    const deployment = await world.createDeployment(world.other);
    for (const [caller, status] of [
      ['key-viewer', 404],
      ['foreign-key', 200],
      ['foreign-owner', 404],
      ['owner', 404],
      ['nobody', 401],
    ] as const) {
      const shown = await world.request(caller, 'GET', `/organizations/-/deployments/${deployment}`);
      assert.equal(shown.status, status, caller);
    }
    const { json } = await world.request('key-viewer', 'GET', '/organizations/-/deployments');
    assert.deepEqual(json.items, []);
    assert.equal((await world.request('owner', 'GET', '/organizations/-/deployments')).status, 404);
    const own = await world.request('key-viewer', 'GET', '/organizations/-');
    assert.equal(own.json.id, world.acme);
  });
});
