import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkSet } from '../../../http/request/ip-address.ts';
import { ownEndpoints } from '../../../outbound/own-endpoints.ts';
import type { TargetGuard } from '../../../outbound/target-guard.ts';
import { SecretText } from '../../../runtime/secret-text.ts';
import { checkProviderOptions } from './provider-options.ts';
import { findTargetFaults } from './provider-target.ts';

const addresses: Readonly<Record<string, readonly string[]>> = {
  'ns.example.com': ['203.0.114.7'],
  'inside.example.com': ['10.0.0.7'],
};
const guard: TargetGuard = {
  allowed: networkSet(['192.168.7.0/24']),
  own: ownEndpoints(() => []),
  async resolve(name) {
    const found = addresses[name];
    if (found === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
    return found;
  },
};

async function faults(kind: 'webhook' | 'rfc2136', leadsTo: string): Promise<readonly string[]> {
  const update = { server: leadsTo, zone: 'example.com', 'key-name': 'waxwing' };
  const secret = kind === 'webhook' ? undefined : new SecretText('AAAA');
  const checked = checkProviderOptions(kind, kind === 'webhook' ? { url: leadsTo } : update, secret);
  assert.ok(checked.ok);
  return (await findTargetFaults(checked.setup, guard)).map(({ option, message }) => `${option}: ${message}`);
}

test('a provider that leads to a public or an admitted address is saved', async () => {
  for (const url of ['https://ns.example.com/dns', 'http://192.168.7.1:8080/']) {
    assert.deepEqual(await faults('webhook', url), []);
  }
  for (const server of ['NS.example.com.:53', '192.168.7.1:53']) assert.deepEqual(await faults('rfc2136', server), []);
});

test('any other is refused, with the setting that admits it', async () => {
  const remedy = 'In a closed network the operator can admit it by WAXWING_ACME_ALLOW_NETWORKS.';
  const inside = `inside.example.com (10.0.0.7) is not a public address. ${remedy}`;
  assert.deepEqual(await faults('webhook', 'https://inside.example.com/dns'), [`url: ${inside}`]);
  assert.deepEqual(await faults('rfc2136', 'inside.example.com:53'), [`server: ${inside}`]);
  const metadata = `169.254.169.254 is not a public address. ${remedy}`;
  assert.deepEqual(await faults('rfc2136', '169.254.169.254:53'), [`server: ${metadata}`]);
  const nowhere = 'The name nowhere.example.com does not resolve (ENOTFOUND); correct it or publish it in DNS.';
  assert.deepEqual(await faults('webhook', 'https://nowhere.example.com/'), [`url: ${nowhere}`]);
  assert.match((await faults('rfc2136', 'localhost:53')).join(), /^server: .* WAXWING_ACME_ALLOW_NETWORKS=/);
});
