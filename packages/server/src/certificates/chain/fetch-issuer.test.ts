import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkSet } from '../../http/request/ip-address.ts';
import { makeAgent } from '../../outbound/attempt.testing.ts';
import { startTrialDns } from '../../outbound/dns-server.testing.ts';
import { dnsResolver } from '../../outbound/host-resolver.ts';
import { reply, startTrialReceiver } from '../../outbound/receiver.testing.ts';
import { createFetchIssuer } from './fetch-issuer.ts';

const limits = { timeoutMs: 10_000, maxBytes: 1024 * 1024, signal: new AbortController().signal };

test('the bytes of an issuer come back as they are', async () => {
  await using server = await startTrialReceiver();
  server.serve = (socket) => {
    socket.write(reply(200, '', { 'Content-Length': '4', 'Content-Type': 'application/pkix-cert' }));
    socket.write(Buffer.from([0x30, 0x00, 0xff, 0x80]));
  };
  using agent = makeAgent();
  const fetch = createFetchIssuer({ agent, userAgent: 'Waxwing/test' });
  const answer = await fetch(`http://127.0.0.1:${server.port}/issuer.cer?v=2`, limits);
  assert.ok(answer.kind === 'fetched');
  assert.deepEqual([...answer.bytes], [0x30, 0x00, 0xff, 0x80]);
  assert.match(server.requests[0] ?? '', /^GET \/issuer\.cer\?v=2 HTTP\/1\.1\r\n[\s\S]*user-agent: Waxwing\/test/i);
});

test('an answer beyond the limit and every status but 200 are told', async () => {
  await using server = await startTrialReceiver();
  using agent = makeAgent();
  const fetch = createFetchIssuer({ agent, userAgent: 'Waxwing/test' });
  const url = `http://127.0.0.1:${server.port}/`;
  server.serve = (socket) => socket.write(reply(200, 'x'.repeat(1024 * 1024 + 1)));
  assert.deepEqual(await fetch(url, limits), { kind: 'too_large' });
  server.serve = (socket) => socket.write(reply(200, 'x'.repeat(1024 * 1024)));
  assert.equal((await fetch(url, limits)).kind, 'fetched');
  for (const status of [204, 302, 404, 500]) {
    server.serve = (socket) => socket.write(reply(status, '', { Location: url }));
    assert.deepEqual(await fetch(url, limits), { kind: 'status', status });
  }
});

test('no URL of a certificate leads into a private network', async () => {
  await using inside = await startTrialReceiver();
  await using dns = await startTrialDns({ 'aia.example': ['127.0.0.1'] });
  using agent = makeAgent({}, { allowed: networkSet([]), resolve: dnsResolver(dns.resolver) });
  const fetch = createFetchIssuer({ agent, userAgent: 'Waxwing/test' });
  for (const url of [
    `http://127.0.0.1:${inside.port}/`,
    `http://aia.example:${inside.port}/`,
    `http://user@127.0.0.1:${inside.port}/`,
    'ldap://directory.example/cn=issuer',
    'file:///etc/passwd',
    'not a URL',
  ]) {
    assert.deepEqual(await fetch(url, limits), { kind: 'blocked' }, url);
  }
  assert.deepEqual(await fetch('http://absent.example/', limits), { kind: 'unreachable' });
  assert.equal(inside.connections, 0);
});
