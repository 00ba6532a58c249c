import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import { type OperatorApi, pageStory } from './page-walk.ts';

const day = 86_400_000;

pageStory('every page of certificates and accounts is readable, complete and quiet', {
  furnish,
  before: async ({ browser: { page }, text, look }) => {
    await page.goto('/console/sign-in');
    await page.getByLabel(text.signIn.email).waitFor();
    await look('sign-in');
    await page.goto('/console/welcome#token=gone');
    await page.getByRole('alert').waitFor();
    await look('welcome');
  },
  visit: async ({ walk }, { organization, empty, certificate, deployment }) => {
    const at = `/console/o/${organization}`;
    await walk({
      organizations: '/console/organizations',
      'certificates-empty': `/console/o/${empty}/certificates`,
      certificates: `${at}/certificates`,
      'certificates-none-found': `${at}/certificates?search=nothing-like-it`,
      import: `${at}/certificates/import`,
      'certificate-versions': `${at}/certificates/${certificate}`,
      'certificate-chain': `${at}/certificates/${certificate}?tab=chain`,
      'certificate-deployments': `${at}/certificates/${certificate}?tab=deployments`,
      'certificate-outdated': `${at}/certificates/${certificate}?tab=deployments&outdated=true`,
      'certificate-retrievals': `${at}/certificates/${certificate}?tab=retrievals`,
      deploy: `${at}/certificates/${certificate}/deploy`,
      deployments: `${at}/deployments`,
      'deployments-outdated': `${at}/deployments?outdated=true`,
      'deployments-none-outdated': `${at}/deployments?outdated=true&search=nothing-like-it`,
      'deployments-empty': `/console/o/${empty}/deployments`,
      deployment: `${at}/deployments/${deployment}`,
      'deployment-refusals': `${at}/deployments/${deployment}?tab=refusals`,
      members: `${at}/members`,
      account: '/console/account',
      'not-found': '/console/nothing/here',
      'missing-certificate': `${at}/certificates/0000`,
    });
  },
});

interface Places {
  readonly organization: string;
  readonly empty: string;
  readonly certificate: string;
  readonly deployment: string;
}

/** Two organizations, one of them empty; certificates of every age; deployments with hand-outs and refusals. */
async function furnish({ post, fetchWith }: OperatorApi): Promise<Places> {
  const { id: organization } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const { id: empty } = await post<{ id: string }>('/organizations', { name: 'Empty' });
  const of = `/organizations/${organization}`;
  const ca = makeTrialCa({ now: Date.now(), commonName: 'Example Issuing CA 1' });
  const certificates: string[] = [];
  for (const [index, days] of [3, 21, 64, 89, 180, 300].entries()) {
    const domains = [`shop-${index}.example.com`, `www.shop-${index}.example.com`, `api.shop-${index}.example.com`];
    const { chainPem, keyPem } = ca.issue({ domains, notAfter: Date.now() + days * day });
    const files = [
      { name: 'chain.pem', text: chainPem },
      { name: 'key.pem', text: keyPem },
    ];
    certificates.push((await post<{ id: string }>(`${of}/certificates`, { files })).id);
  }
  const certificate = certificates[5] ?? '';
  const allow = ['127.0.0.1', '2001:db8::/32'];
  const deploy = (name: string) =>
    post<{ id: string; token: string; url: string }>(`${of}/deployments`, { certificate_id: certificate, name, allow });
  const [made, behind] = [await deploy('web-01'), await deploy('web-03')];
  await fetchWith('/api/certificate', behind.token);
  const domains = ['shop-5.example.com', 'www.shop-5.example.com', 'api.shop-5.example.com'];
  const next = ca.issue({ domains, notAfter: Date.now() + 365 * day });
  await post(`${of}/certificates`, {
    onto: certificate,
    files: [
      { name: 'chain.pem', text: next.chainPem },
      { name: 'key.pem', text: next.keyPem },
    ],
  });
  await post(`${of}/deployments`, { certificate_id: certificate, name: '上海机房 web-02', allow: [] });
  for (let count = 0; count < 3; count += 1) await fetchWith('/api/certificate', made.token);
  await fetchWith('/api/download?type=nothing', made.token);
  await post(`${of}/invitations`, { email: 'colleague@example.com', role: 'developer' });
  return { organization, empty, certificate, deployment: made.id };
}
