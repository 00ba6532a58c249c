import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { attempt, makeAgent } from './attempt.testing.ts';
import { startTrialDns } from './dns-server.testing.ts';
import { dnsResolver } from './host-resolver.ts';
import type { Outcome } from './outcome.ts';
import { startTrialReceiver } from './receiver.testing.ts';

test('only a certificate that is trusted and fits the name is talked to', async () => {
  const ca = makeTrialCa({ now: Date.now() });
  await using dns = await startTrialDns({ 'good.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] });
  const good = ca.issue({ domains: ['good.example', '127.0.0.1'] });
  const expired = ca.issue({ domains: ['good.example'], notAfter: Date.now() - 3_600_000 });
  const selfSigned = ca.selfSigned({ domains: ['good.example'] });
  await using trusted = await startTrialReceiver('127.0.0.1', { cert: good.chainPem, key: good.keyPem });
  await using late = await startTrialReceiver('127.0.0.1', { cert: expired.chainPem, key: expired.keyPem });
  await using alone = await startTrialReceiver('127.0.0.1', { cert: selfSigned.chainPem, key: selfSigned.keyPem });
  await using plain = await startTrialReceiver();
  plain.serve = () => {};
  const resolve = dnsResolver(dns.resolver);
  using agent = makeAgent({ authorities: ca.certificatePem }, { resolve });
  using publicTrust = makeAgent({}, { resolve });
  const code = (outcome: Outcome) => ('code' in outcome ? `${outcome.kind} ${outcome.code}` : outcome.kind);

  assert.equal(code(await attempt(agent, `https://good.example:${trusted.port}/`)), 'answered');
  assert.equal(code(await attempt(agent, `https://127.0.0.1:${trusted.port}/`)), 'answered');
  assert.equal(
    code(await attempt(agent, `https://other.example:${trusted.port}/`)),
    'badCertificate ERR_TLS_CERT_ALTNAME_INVALID',
  );
  assert.equal(code(await attempt(agent, `https://good.example:${late.port}/`)), 'badCertificate CERT_HAS_EXPIRED');
  assert.equal(
    code(await attempt(agent, `https://good.example:${alone.port}/`)),
    'badCertificate DEPTH_ZERO_SELF_SIGNED_CERT',
  );
  assert.match(code(await attempt(publicTrust, `https://good.example:${trusted.port}/`)), /^badCertificate UNABLE_/);
  assert.match(code(await attempt(agent, `http://127.0.0.1:${trusted.port}/`)), /^broken /);
  assert.equal(code(await attempt(agent, `https://good.example:${plain.port}/`, 100)), 'timedOut');
  assert.equal(trusted.requests.length, 2);
  assert.deepEqual([late.requests, alone.requests, plain.requests], [[], [], []]);
});
