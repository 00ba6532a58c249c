import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { type KeyRing, newMasterKey, withCurrentKey } from '../../secrets/key-ring.ts';
import { accept, openPushWorld, type PushWorld, settingOf, statusOf } from '../push-world.testing.ts';
import { openUrl, sealClearQueries, sealedPushQueries } from './sealed-push-queries.ts';
import { createSettingFactsReader } from './setting-facts.ts';

onBothDatabases('the query of a push URL', (open) => {
  test('rests sealed, is shown whole, and is sent', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const url = await setUrl(world, receiver.port);
    assert.equal((await settingOf(world.settings, world.organizationId, 'status')).url, url);
    await assertSealed(world);
    const engine = world.engine();
    await engine.beat();
    await accept(world, statusOf(world.organizationId));
    await world.quiet(engine);
    assert.match(receiver.requests[0] ?? '', /^GET \/status\?token=hush&batch_id=b1&/);
    const other = url.replace('?token=hush', '');
    await world.settings.set('test', { organizationId: world.organizationId, kind: 'status', url: other });
    const [row] = await rowsOf(world);
    assert.deepEqual([row?.url, row?.sealed_query, row?.query_key_id], [other, null, null]);
  });

  test('is sealed where an earlier version has stored it in clear, and sent as before', async (t) => {
    const world = await openPushWorld(t, open);
    await using receiver = await startTrialReceiver();
    const url = await setUrl(world, receiver.port);
    const clear = { url, sealed_query: null, query_key_id: null };
    await world.database.db.updateTable('push_setting').set(clear).execute();
    assert.equal((await settingOf(world.settings, world.organizationId, 'status')).url, url);
    const before = world.feed.revision();
    assert.equal(await sealClearQueries(world.database, world.feed, world.ring()), false, 'there are no more');
    assert.ok(world.feed.revision() > before, 'every server hears of it');
    await assertSealed(world);
    assert.equal((await settingOf(world.settings, world.organizationId, 'status')).url, url);
  });

  test('is left as it is by a key that is in use no longer', async (t) => {
    const world = await openPushWorld(t, open);
    const url = await setUrl(world, 9);
    const clear = { url, sealed_query: null, query_key_id: null };
    await world.database.db.updateTable('push_setting').set(clear).execute();
    await world.database.db.deleteFrom('master_key').execute();
    assert.equal(await sealClearQueries(world.database, world.feed, world.ring()), false);
    assert.equal((await rowsOf(world))[0]?.url, url);
    await assert.rejects(setUrl(world, 9), { code: 'service_unavailable' });
  });

  test('is wrapped anew when the master key is rotated', async (t) => {
    const world = await openPushWorld(t, open);
    const url = await setUrl(world, 9);
    const store = sealedPushQueries(world.database, world.feed);
    const old = world.ring();
    const key = newMasterKey(2, randomBytes);
    const rotated = withCurrentKey(old, key);
    assert.deepEqual(await store.keysInUse(world.database.db), [old.current.id]);
    assert.equal(await store.rewrap(rotated, 100), 1);
    assert.equal(await store.rewrap(rotated, 100), 0);
    assert.deepEqual(await store.keysInUse(world.database.db), [key.id]);
    const alone: KeyRing = { current: key, keys: [key] };
    assert.deepEqual(await store.check(alone), { sealed: 1, faults: [] });
    const [row] = await rowsOf(world);
    assert.ok(row);
    assert.equal(openUrl(row, alone), url);
    assert.equal((await store.check(old)).faults.length, 1);
  });

  test('that opens no more is shown as stars, and can be replaced', async (t) => {
    const world = await openPushWorld(t, open);
    const url = await setUrl(world, 9);
    await world.database.db
      .updateTable('push_setting')
      .set({ sealed_query: randomBytes(120) })
      .execute();
    const { organizationId, settings } = world;
    const hidden = url.replace('token=hush', '***');
    assert.equal((await settingOf(settings, organizationId, 'status')).url, hidden);
    const stars = settings.set('test', { organizationId, kind: 'status', url: hidden });
    await assert.rejects(stars, { code: 'invalid_parameter', field: 'url' }, 'stars are no query');
    await setUrl(world, 9);
    assert.equal((await settingOf(settings, organizationId, 'status')).url, url);
  });

  test('that opens no more keeps no other setting from being read with it', async (t) => {
    const world = await openPushWorld(t, open);
    await setUrl(world, 9);
    const { database, feed, organizationId, ring, settings } = world;
    await settings.set('test', { organizationId, kind: 'uplink', url: 'http://127.0.0.1:9/uplink?token=hush' });
    const [{ id: closed = '' } = {}] = await database.db
      .updateTable('push_setting')
      .set({ sealed_query: randomBytes(120) })
      .where('kind', '=', 'status')
      .returning('id')
      .execute();
    const whole = (await rowsOf(world)).find(({ id }) => id !== closed)?.id ?? '';
    const facts = createSettingFactsReader({ db: database.db, feed, ring });
    const [refused, read] = await Promise.allSettled([facts.read(closed), facts.read(whole)]);
    assert.equal(refused.status, 'rejected');
    assert.equal(read.status === 'fulfilled' && read.value?.id, whole);
  });
});

async function setUrl(world: PushWorld, port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}/status?token=hush`;
  await world.settings.set('test', { organizationId: world.organizationId, kind: 'status', url, enabled: true });
  return url;
}

const rowsOf = ({ database }: PushWorld) => database.db.selectFrom('push_setting').selectAll().execute();

async function assertSealed(world: PushWorld): Promise<void> {
  const rows = await rowsOf(world);
  for (const row of rows) {
    for (const value of Object.values(row)) {
      assert.ok(!Buffer.from(value instanceof Uint8Array ? value : String(value)).includes('hush'));
    }
  }
  assert.equal(rows.length, 1);
}
