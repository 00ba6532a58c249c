import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld } from '../acme-world.testing.ts';
import { listFailingRequests } from './failing-requests.ts';

const minute = 60_000;
const day = 86_400_000;

onBothDatabases('requests that fail', (open) => {
  test('a first order and a renewal that fail are facts with the words, until one succeeds', async (t) => {
    const world = await openAcmeWorld(t, open);
    const failing = () => listFailingRequests(world.database);
    const id = await world.request();
    assert.deepEqual(await failing(), [], 'an order under way has not failed');
    world.authority.look = async () => false;
    await world.pass(minute);
    const fact = { organizationId: world.organizationId, id, name: 'www.example.com', attempts: 1, authorities: 1 };
    assert.deepEqual(await failing(), [{ ...fact, notAfter: null, words: 'The proof was not found.' }]);

    world.authority.look = async () => true;
    await world.pass(day);
    assert.deepEqual(await failing(), []);

    world.authority.look = async () => false;
    await world.pass(62 * day);
    const [renewal] = await failing();
    assert.ok(renewal !== undefined && renewal.attempts >= 3, String(renewal?.attempts));
    const version = await world.database.db.selectFrom('certificate_version').selectAll().executeTakeFirstOrThrow();
    assert.equal(renewal.notAfter, version.not_after);

    await world.database.db.updateTable('certificate').set({ state: 'revoked' }).execute();
    assert.deepEqual(await failing(), [], 'a revoked certificate is not renewed');
  });
});
