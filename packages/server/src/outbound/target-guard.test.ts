import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkSet, parseAddress } from '../http/request/ip-address.ts';
import { startTrialDns } from './dns-server.testing.ts';
import { dnsResolver, type ResolveHost } from './host-resolver.ts';
import { ownEndpoints } from './own-endpoints.ts';
import { loopbackForms, privateForms } from './target-forms.testing.ts';
import { blockedReason, checkTargetUrl, mayShowAnswer, type TargetGuard } from './target-guard.ts';

const nobody = ownEndpoints(() => []);
const noName: ResolveHost = async () => [];

test('no spelling of a host that is not public can be saved', async () => {
  assert.ok(new Set([...loopbackForms, ...privateForms]).size > 90);
  for (const form of [...loopbackForms, ...privateForms]) {
    for (const scheme of ['http', 'https']) {
      const code = await save(`${scheme}://${form}:8443/status?x=1`, guard());
      // A spelling that no URL can have is as good; a name that only looks like localhost does not resolve.
      assert.match(code, /^(?:not-public|local-name|malformed|unresolved)$/, form);
    }
  }
});

test('a public address can be saved, and a name that resolves to public addresses only', async () => {
  await using dns = await startTrialDns({
    'good.example': ['93.184.216.34', '2606:4700::1'],
    'xn--bcher-kva.example': ['93.184.216.34'],
  });
  const byName = guard({ resolve: dnsResolver(dns.resolver) });
  assert.equal(await save('https://93.184.216.34/', guard()), 'saved');
  assert.equal(await save('https://[2606:4700::1]:65535/', guard()), 'saved');
  assert.equal(await save('https://good.example', byName), 'saved');
  assert.equal(await save('https://good.example.', byName), 'saved');
  assert.equal(await save('https://BÜCHER.example', byName), 'saved');
});

test('a name with one address that is not public is refused whole, in whichever family', async () => {
  await using dns = await startTrialDns({
    'mixed4.example': ['93.184.216.34', '10.0.0.1'],
    'mixed6.example': ['93.184.216.34', '::1'],
    'private.example': ['192.168.0.1'],
    'metadata.example': ['169.254.169.254'],
    'nat64.example': ['64:ff9b::a9fe:a9fe'],
  });
  const byName = guard({ resolve: dnsResolver(dns.resolver) });
  for (const name of dns.zone.keys()) assert.equal(await save(`https://${name}/`, byName), 'not-public', name);
});

test('a name that does not resolve is refused', async () => {
  await using dns = await startTrialDns({ 'empty.example': [] });
  const byName = guard({ resolve: dnsResolver(dns.resolver) });
  for (const name of ['absent.example', 'empty.example', 'intranet']) {
    assert.equal(await save(`https://${name}/`, byName), 'unresolved', name);
  }
  assert.equal(await save('https://odd.example/', guard({ resolve: async () => ['not an address'] })), 'unresolved');
  assert.equal(
    await save('https://odd.example/', guard({ resolve: () => Promise.reject(new Error('no')) })),
    'unresolved',
  );
});

test('the message names the host and what can be done', async () => {
  const context = { guard: guard({ resolve: async () => ['10.0.0.9'] }) };
  const checked = await checkTargetUrl('https://crm.example/?key=hunter2', context);
  assert.deepEqual(checked, {
    ok: false,
    fault: {
      code: 'not-public',
      message:
        'crm.example (10.0.0.9) is not a public address. ' +
        'In a closed network the operator can admit it by WAXWING_PUSH_ALLOW_NETWORKS.',
    },
  });
});

test('a named network admits what lies in it, but never localhost by name', async () => {
  const open = guard({ allowed: networkSet(['127.0.0.0/8', '::1', '10.0.0.0/8']), resolve: async () => ['127.0.0.1'] });
  for (const host of [
    '127.0.0.1:9000',
    '[::1]:9000',
    '0x7f.1:9000',
    '10.1.2.3',
    '[::ffff:10.1.2.3]',
    'crm.example:9000',
  ]) {
    assert.equal(await save(`http://${host}/`, open), 'saved', host);
  }
  for (const host of ['localhost', 'LOCALHOST.', 'a.localhost', 'ｌｏｃａｌｈｏｓｔ']) {
    assert.equal(await save(`http://${host}:9000/`, open), 'local-name', host);
    const refused = await checkTargetUrl(`http://${host}:9000/`, { guard: open });
    assert.match(
      refused.ok ? '' : refused.fault.message,
      /write 127\.0\.0\.1.* WAXWING_PUSH_ALLOW_NETWORKS=127\.0\.0\.0\/8/,
    );
  }
  for (const host of ['0.0.0.0:9000', '[::]:9000', '192.168.0.1', '[::127.0.0.1]:9000', '[64:ff9b::7f00:1]:9000']) {
    assert.equal(await save(`http://${host}/`, open), 'not-public', host);
  }
});

test('our own addresses with a port we listen on are refused, whatever is allowed', async () => {
  const own = ownEndpoints(
    () => [8080, 9464],
    () => ['127.0.0.1', '::1', '192.0.2.10', '93.184.216.34', 'fe80::1%eth0'],
  );
  const allowed = networkSet([
    '127.0.0.0/8',
    '::1',
    '10.0.0.0/8',
    '192.0.2.0/24',
    'fe80::/10',
    '2002::/16',
    '64:ff9b::/96',
  ]);
  const open = guard({ own, allowed, resolve: async () => ['10.0.0.1', '192.0.2.10'] });
  for (const host of [
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '192.0.2.10',
    '93.184.216.34',
    '[::ffff:192.0.2.10]',
    '0.0.0.0',
  ]) {
    for (const port of [8080, 9464]) assert.equal(await save(`http://${host}:${port}/`, open), 'own-address', host);
  }
  for (const host of [
    'crm.example',
    '[fe80::1]',
    '[2002:7f00:1::1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::192.0.2.10]',
  ]) {
    assert.equal(await save(`http://${host}:8080/`, open), 'own-address', host);
  }
  for (const host of ['127.0.0.1:8081', '192.0.2.10', '192.0.2.11:8080', '10.0.0.1:8080', 'crm.example:8081']) {
    assert.equal(await save(`http://${host}/`, open), 'saved', host);
  }
});

test('the addresses of this machine are its own without being told', () => {
  const own = ownEndpoints(() => [8080]);
  const loopback = parseAddress('127.0.0.1');
  assert.ok(loopback !== undefined);
  assert.equal(blockedReason(loopback, 8080, { ...guard(), own }), 'own-address');
  assert.equal(blockedReason(loopback, 8081, { ...guard(), own }), 'not-public');
});

test('answers are shown from public addresses only', () => {
  for (const [text, shown] of [
    ['93.184.216.34', true],
    ['10.0.0.1', false],
    ['127.0.0.1', false],
    ['fd00::1', false],
  ] as const) {
    const address = parseAddress(text);
    assert.ok(address !== undefined);
    assert.equal(mayShowAnswer(address), shown, text);
  }
});

function guard(parts: Partial<TargetGuard> = {}): TargetGuard {
  return { allowed: networkSet([]), own: nobody, resolve: noName, ...parts };
}

async function save(url: string, against: TargetGuard): Promise<string> {
  const checked = await checkTargetUrl(url, { guard: against });
  return checked.ok ? 'saved' : checked.fault.code;
}
