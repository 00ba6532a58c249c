import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld } from '../acme-world.testing.ts';
import { foreignNameWords } from '../orders/foreign-names.ts';

onBothDatabases('a name that another organization has a certificate for', (open) => {
  test('is proven by DNS alone, for the name itself and for what its wildcard covers', async (t) => {
    const world = await openAcmeWorld(t, open);
    const first = await world.request();
    const other = (await world.organizations.create('test', 'Other')).id;
    const ask = (domain: string, challenge: 'http-01' | 'tls-alpn-01' | 'dns-01') =>
      world.request({ organizationId: other, domains: ['mine.example.net', domain], challenge });
    await world.tick();
    assert.equal((await world.certificate(first)).state, 'issued');
    const wildcard = { organization_id: world.organizationId, name: '*.example.org', certificate_id: first };
    await world.database.db.insertInto('certificate_name').values(wildcard).execute();
    for (const [domain, named] of [
      ['www.example.com', 'www.example.com'],
      ['shop.example.org', '*.example.org'],
    ] as const) {
      for (const challenge of ['http-01', 'tls-alpn-01'] as const) {
        await assert.rejects(ask(domain, challenge), {
          code: 'invalid_parameter',
          reason: 'name_of_another',
          message: new RegExp(`has a certificate for ${named.replaceAll(/[.*]/g, '\\$&')}\\. .*dns-01`),
        });
      }
      await ask(domain, 'dns-01');
    }
    await ask('deep.shop.example.org', 'http-01');
    // Anybody can import a certificate for any name.
    await world.database.db.updateTable('certificate').set({ source: 'imported' }).where('id', '=', first).execute();
    await ask('www.example.com', 'http-01');
    await world.database.db.updateTable('certificate').set({ source: 'acme' }).where('id', '=', first).execute();
    await world.request({ domains: ['www.example.com', 'more.example.com'] });
  });

  test('is refused to an order that began before, and to none that renews', async (t) => {
    const world = await openAcmeWorld(t, open);
    const { authority, organizationId } = world;
    const other = (await world.organizations.create('test', 'Other')).id;
    const { look } = authority;
    authority.look = async () => false;
    const early = await world.request({ organizationId: other });
    await world.tick();
    authority.look = look;
    await world.dnsProviders.create('test', { organizationId, name: 'hand', kind: 'manual' });
    const first = await world.request({ challenge: 'dns-01', dnsProvider: 'hand' });
    await world.tick();
    assert.equal((await world.certificate(first)).state, 'issued');
    const orders = authority.orders.size;
    await world.requests.requestAgain('test', early);
    await world.pass(6 * 3_600_000);
    assert.equal(authority.orders.size, orders, 'nothing is asked of the authority');
    const { state } = await world.certificate(early);
    assert.deepEqual(
      [state, (await world.issuance(early)).renewal?.last_error],
      ['failed', foreignNameWords('www.example.com')],
    );

    // A name that both have by now stays with both.
    await world.database.db.deleteFrom('certificate_name').execute();
    await world.requests.requestAgain('test', early);
    await world.tick();
    assert.equal((await world.certificate(early)).state, 'issued');
    await world.requests.renew('test', first);
    await world.tick();
    world.advance(3_600_000);
    await world.requests.renew('test', early);
    await world.tick();
    assert.deepEqual([(await world.certificate(first)).versions, (await world.certificate(early)).versions], [2, 2]);
  });
});
