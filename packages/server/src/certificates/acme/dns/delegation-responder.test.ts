import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatName } from '@waxwing/dns/domain-name.ts';
import { delegationZone } from './delegation-responder.ts';

test('the zone names the host of the service as its name server, unless that is an address or this machine', () => {
  for (const [host, servers] of [
    ['hub.example.com', ['hub.example.com']],
    ['192.0.2.1', []],
    ['[2001:db8::1]', []],
    ['localhost', []],
  ] as const) {
    const { records } = delegationZone('acme.example.com', host);
    const named = records.map(({ data }) => data.kind === 'name' && formatName(data.name).replace(/\.$/, ''));
    assert.deepEqual(named, servers, host);
  }
});
