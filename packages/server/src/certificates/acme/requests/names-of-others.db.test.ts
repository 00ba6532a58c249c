import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../../database/testing.ts';
import { openAcmeWorld } from '../acme-world.testing.ts';

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
    await world.request({ domains: ['www.example.com', 'more.example.com'] });
  });
});
