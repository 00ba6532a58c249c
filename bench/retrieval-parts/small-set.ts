import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import type { Application } from '../../packages/server/src/compose.ts';

/** One common certificate (RSA 2048, one intermediate) and one deployment. @returns its token */
export async function makeSmallSet(application: Application): Promise<string> {
  const { organizations, certificates, deployments, clock } = application;
  const ca = makeTrialCa({ now: clock.now(), keyType: 'rsa-2048' }).intermediate({ keyType: 'rsa-2048' });
  const leaf = ca.issue({ domains: ['example.com', 'www.example.com'], keyType: 'rsa-2048' });
  const organization = await organizations.create('bench', 'Bench');
  const certificate = await certificates.import('bench', {
    organizationId: organization.id,
    files: [{ name: 'bench.pem', bytes: Buffer.from(leaf.chainPem + leaf.keyPem) }],
  });
  const allow = ['127.0.0.1', '192.0.2.0/24'];
  const { token } = await deployments.create('bench', { certificateId: certificate.id, name: 'bench', allow });
  return token.reveal();
}
