import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAcmeWorld } from '../../certificates/acme/acme-world.testing.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { inspectIssuing } from './inspect-issuing.ts';

const minute = 60_000;

onBothDatabases('the doctor on issuing', (open) => {
  test('an order that failed is named until one succeeds', async (t) => {
    const world = await openAcmeWorld(t, open);
    const inspect = () => inspectIssuing(world);
    assert.deepEqual((await inspect()).parameters, { count: 0 });
    world.authority.look = async () => false;
    const id = await world.request();
    await world.pass(minute);
    const failing = await inspect();
    assert.deepEqual([failing.state, failing.code], ['warn', 'orders_failing']);
    assert.match(failing.message, new RegExp(`\\(1\\): www\\.example\\.com \\(${id}\\)\\.$`));
    world.authority.look = async () => true;
    await world.pass(24 * 60 * minute);
    const fine = await inspect();
    assert.deepEqual([fine.code, fine.parameters], ['orders_succeeding', { count: 1 }]);
  });
});
