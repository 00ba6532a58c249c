import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trialCertificate, withoutTrialCertificates } from '@waxwing/carrier-session/trial-certificates.testing.ts';
import { smppClient } from './smpp-client.testing.ts';
import { trialSmsc } from './trial-smsc.testing.ts';

test('over TLS, with certificates of clients', { skip: withoutTrialCertificates }, async (t) => {
  const server = trialCertificate('IP:127.0.0.1');
  const ours = trialCertificate('DNS:client.test');
  const smsc = await trialSmsc(t, 'smpp', {}, { tls: { ...server, clientAuthorities: ours.certificate } });
  const tls = { authorities: server.certificate, serverName: undefined, identity: ours };
  const client = await smppClient(t, smsc.port, { tls });
  assert.equal((await client.send('1')).status, 0);
  await client.receives(1);
  await assert.rejects(smppClient(t, smsc.port, { tls: { ...tls, identity: undefined } }));
});
