import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { databaseNow } from '../database/database-clock.ts';
import { onBothDatabases } from '../database/testing.ts';
import { Problem } from '../runtime/problem.ts';
import { type CarriersWorld, openCarriersWorld, smppCarrier } from './carriers-world.testing.ts';
import { noLink } from './link-states.ts';
import { leaseOf } from './run-carriers.ts';
import { openCarrierSecret, sealedCarriers } from './sealed-carriers.ts';

const ca = makeTrialCa({ now: Date.now() });
const client = ca.issue({ domains: ['client.example.com'] });
const other = ca.issue({ domains: ['other.example.com'] });

const refusedAt = (field: string, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Problem, String(error));
  assert.equal(error.field, field);
  assert.match(error.message, words);
  return true;
};

const rowOf = ({ database }: CarriersWorld, id: string) =>
  database.db.selectFrom('carrier').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

onBothDatabases('carriers that an operator sets up', (open) => {
  test('a carrier is shown with every setting and its standard, but without secrets', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main', { for_prefix: ['+86'], window: 50 });
    const { created_at, updated_at, ...shown } = await world.states.show(id);
    assert.equal(created_at, updated_at);
    const { password: _secret, ...given } = smppCarrier;
    assert.deepEqual(shown, {
      ...{ id, name: 'main', ...given, enabled: true, simulated: false },
      ...{ priority: 1, weight: 1, for_prefix: ['+86'], for_organization: [], for_sender: [] },
      ...{ connection_count: 1, window: 50, rate: null, bind: 'transceiver' },
      ...{ tls: 'off', tls_ca: null, tls_name: null, tls_certificate: null },
      ...{ response_timeout: '10s', keep_alive: '30s', unanswered: 'resend' },
      ...{ system_type: null, source_ton: null, source_npi: null, destination_ton: 1, destination_npi: 1 },
      ...{ default_alphabet: 'gsm7', long: 'udh8', receipt_id: 'auto', temporary: [], permanent: [] },
      ...{ source_address: null, service_id: null, enterprise_code: null },
      ...noLink,
      ...{ held_by: null, held_until: null, waiting_parts: 0, oldest_due_at: null },
    });
    assert.doesNotMatch(JSON.stringify([shown, await world.states.list()]), /S3cret/);
  });

  test('a carrier of CMPP has no settings of SMPP', async (t) => {
    const world = await openCarriersWorld(t, open);
    const cmpp = { protocol: 'cmpp2', account: '901234', password: 'a longer secret'.replaceAll(' ', '_') } as const;
    const id = await world.create('cmpp', { ...cmpp, source_address: '10690000', service_id: 'MFG' });
    const shown = await world.states.show(id);
    assert.deepEqual(
      [shown.source_address, shown.service_id, shown.enterprise_code, shown.long, shown.temporary, shown.window],
      ['10690000', 'MFG', null, null, null, 10],
    );
  });

  const wrong: readonly (readonly [what: string, options: object, field: string, words: RegExp])[] = [
    ['an account that is too long for SMPP', { account: 'a'.repeat(16) }, 'account', /1 to 15 visible ASCII/],
    ['a password that is too long for SMPP', { password: '123456789' }, 'password', /1 to 8 visible ASCII/],
    ['a password beyond ASCII', { password: 'pässword' }, 'password', /visible ASCII/],
    ['an account that is too long for CMPP', { protocol: 'cmpp3', account: '9012345' }, 'account', /1 to 6/],
    ['an address without port', { address: 'smpp.example.com' }, 'address', /must be HOST:PORT/],
    ['a port that cannot be', { address: 'smpp.example.com:65536' }, 'address', /must be HOST:PORT/],
    ['an IPv6 address without brackets', { address: '2001:db8::1:2775' }, 'address', /\[2001:db8::1\]:2775/],
    ['a setting of SMPP with CMPP', { protocol: 'cmpp2', account: 'a', long: 'sar' }, 'long', /setting of SMPP/],
    ['a setting of CMPP with SMPP', { service_id: 'MFG' }, 'service_id', /setting of CMPP. Leave it out with smpp/],
    ['a pair of connections with CMPP', { protocol: 'cmpp2', account: 'a', bind: 'pair' }, 'bind', /both directions/],
    ['a CA without TLS', { tls_ca: ca.certificatePem }, 'tls_ca', /Set tls to verify/],
    ['a CA that is none', { tls: 'verify', tls_ca: 'hello' }, 'tls_ca', /no certificate in PEM/],
    ['a name that is none', { tls: 'verify', tls_name: 'a b' }, 'tls_name', /must be a host name/],
    ['a certificate without key', { tls: 'verify', tls_certificate: client.certificatePem }, 'tls_key', /together/],
    ['a key without certificate', { tls: 'verify', tls_key: client.keyPem }, 'tls_certificate', /together/],
    [
      'a key of another certificate',
      { tls: 'verify', tls_certificate: client.certificatePem, tls_key: other.keyPem },
      'tls_key',
      /does not belong/,
    ],
    [
      'a key that is none',
      { tls: 'verify', tls_certificate: client.certificatePem, tls_key: 'hello' },
      'tls_key',
      /no private key in PEM/,
    ],
    ['half the form of senders', { source_ton: 5 }, 'source_npi', /together/],
    ['too long a wait', { response_timeout: '6m' }, 'response_timeout', /100ms to 5m/],
    ['too short a wait', { keep_alive: '99ms' }, 'keep_alive', /100ms to 60m/],
    ['a status that is both', { temporary: ['0x45'], permanent: ['0x00000045'] }, 'permanent', /Name it once/],
    ['success as a fault', { temporary: ['0x0'] }, 'temporary', /means success/],
    ['an unknown organization', { for_organization: ['nobody'] }, 'for_organization', /no organization nobody/],
    ['a name that is empty', { name: ' ' }, 'name', /1 to 200/],
    ['the name of the simulator', { name: 'simulator' }, 'name', /exists already/],
  ];
  test('wrong settings are refused by name, with what to do, and nothing is stored', async (t) => {
    const world = await openCarriersWorld(t, open);
    for (const [what, options, field, words] of wrong) {
      await assert.rejects(world.create('main', options), refusedAt(field, words), what);
    }
    assert.deepEqual(
      (await world.states.list()).map(({ id, enabled }) => [id, enabled]),
      [['simulator', true]],
    );
  });

  test('secrets are sealed, wrapped by another master key, and gone with the carrier', async (t) => {
    const world = await openCarriersWorld(t, open);
    const tls = { tls: 'verify', tls_certificate: client.certificatePem, tls_key: client.keyPem } as const;
    const id = await world.create('main', tls);
    const row = await rowOf(world, id);
    const stored = JSON.stringify(
      Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value)),
    );
    assert.doesNotMatch(stored, /S3cret|PRIVATE KEY/);
    const store = sealedCarriers(world.database);
    const ring = await world.rotate();
    assert.deepEqual([await store.rewrap(ring, 10), await store.rewrap(ring, 10)], [1, 0]);
    assert.deepEqual(await store.keysInUse(world.database.db), [ring.current.id]);
    assert.deepEqual(await store.check({ current: ring.current, keys: [ring.current] }), { sealed: 1, faults: [] });
    const again = await rowOf(world, id);
    assert.equal(openCarrierSecret(ring, 'sealed_password', again)?.reveal(), smppCarrier.password);
    assert.equal(openCarrierSecret(ring, 'sealed_tls_key', again)?.reveal(), client.keyPem);
    await world.carriers.update('test', id, { tls_certificate: null });
    assert.equal((await rowOf(world, id)).sealed_tls_key, null);
    await world.carriers.delete('test', id);
    const { sealed_password, sealed_tls_key, key_id } = await rowOf(world, id);
    assert.deepEqual([sealed_password, sealed_tls_key, key_id], [null, null, null]);
    assert.deepEqual(await store.check(ring), { sealed: 0, faults: [] });
  });

  test('an update changes what it names, and is checked with what stays', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main', { tls: 'verify', tls_ca: ca.certificatePem, rate: 100 });
    await world.carriers.update('test', id, { name: 'prime', rate: null, password: 'another' });
    const { name, rate, tls_ca, window } = await world.states.show(id);
    assert.deepEqual([name, rate, tls_ca, window], ['prime', null, ca.certificatePem, 10]);
    assert.equal(openCarrierSecret(world.ring(), 'sealed_password', await rowOf(world, id))?.reveal(), 'another');
    await world.carriers.update('test', id, { tls: 'off' });
    assert.equal((await world.states.show(id)).tls_ca, ca.certificatePem, 'it is kept for when TLS is on again');
    const unchanged = { name: 'other' };
    const check = (current: object) => assert.deepEqual((current as { name: string }).name, 'prime');
    await world.carriers.update('test', id, unchanged, check);
    await assert.rejects(world.carriers.update('test', id, { service_id: 'x' }), refusedAt('service_id', /CMPP/));
    await assert.rejects(world.carriers.update('test', 'nobody', {}), { code: 'not_found' });
  });

  test('a name belongs to one carrier, and is free once that is deleted', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main');
    await assert.rejects(world.create('main'), { code: 'conflict', reason: 'carrier_name_taken' });
    const second = await world.create('second');
    await assert.rejects(world.carriers.update('test', second, { name: 'main' }), { reason: 'carrier_name_taken' });
    await world.carriers.delete('test', id);
    await world.carriers.update('test', second, { name: 'main' });
    await assert.rejects(world.states.show(id), { code: 'not_found' });
    assert.equal((await world.named.names()).get(id), 'main', 'old messages still name it');
  });

  test('a carrier from which numbers are routed is not deleted', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main');
    world.routes.set(id, 2);
    await assert.rejects(world.carriers.delete('test', id), {
      reason: 'carrier_has_routes',
      parameters: { count: '2' },
    });
    assert.equal((await world.states.show(id)).enabled, true);
  });

  test('what a link says is shown, but a disabled carrier is disabled', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main');
    assert.equal((await world.states.show(id)).state, 'connecting');
    world.links.set(id, { ...noLink, state: 'bound', submitted: 3 });
    const lease = { name: leaseOf(id), holder: 'one', epoch: 1, until: (await databaseNow(world.database)) + 60_000 };
    await world.database.db.insertInto('lease').values(lease).execute();
    const stateOf = async () =>
      (await world.states.list()).map(({ name, state, submitted }) => [name, state, submitted]);
    assert.deepEqual(await stateOf(), [
      ['main', 'bound', 3],
      ['simulator', 'disabled', 0],
    ]);
    await world.carriers.setEnabled('test', id, false);
    assert.deepEqual(await stateOf(), [
      ['main', 'disabled', 3],
      ['simulator', 'disabled', 0],
    ]);
    await world.carriers.setEnabled('test', id, true);
    assert.equal((await world.states.show(id)).state, 'bound');
  });

  test('other domains find a carrier by its id and its name', async (t) => {
    const world = await openCarriersWorld(t, open);
    const id = await world.create('main');
    const find = (text: string) => world.database.transaction((trx) => world.named.require(trx, text));
    assert.deepEqual([await find('main'), await find(id), await find('simulator')], [id, id, 'simulator']);
    await assert.rejects(find('nobody'), { field: 'carrier', message: 'carrier must be one of main, simulator.' });
  });
});
