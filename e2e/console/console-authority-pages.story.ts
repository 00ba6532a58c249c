import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import { freePort } from '../free-port.ts';
import { filled } from './console-browser.ts';
import { type OperatorApi, type PageLook, pageStory } from './page-walk.ts';

pageStory('every page of authorities and DNS providers is readable, complete and quiet', {
  // The address of a provider is checked when the provider is saved. No server listens at this one.
  settings: { WAXWING_ACME_ALLOW_NETWORKS: '127.0.0.0/8' },
  furnish,
  visit: async (look, { organization, empty, certificate }) => {
    await look.walk({
      authorities: '/console/instance/authorities',
      'dns-providers-empty': `/console/o/${empty}/dns-providers`,
      'dns-providers': `/console/o/${organization}/dns-providers`,
    });
    await authorityDialogs(look);
    await providerDialogs(look, `/console/o/${organization}/dns-providers`);
    await tokenPage(look, `/console/o/${organization}/certificates/${certificate}/deploy`);
  },
});

function dialogs({ browser: { page } }: PageLook) {
  const dialog = page.getByRole('dialog');
  return {
    dialog,
    async press(name: string) {
      await page.getByRole('button', { name }).first().click();
      await dialog.waitFor();
    },
    async choose(label: string, choice: string) {
      await dialog.getByLabel(label, { exact: true }).click();
      await page.locator('.ant-select-item-option').filter({ hasText: choice }).click();
    },
    async close() {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    },
  };
}

async function authorityDialogs(look: PageLook): Promise<void> {
  const { authorities: words, common } = look.text;
  const { dialog, press, choose, close } = dialogs(look);
  await look.browser.page.goto('/console/instance/authorities');
  await press(words.create);
  await look.look('authority-create');
  await choose(words.preset, 'SSL.com (EC');
  await look.look('authority-create-sslcom');
  await choose(words.preset, words.other);
  await dialog.getByLabel(words.roots).waitFor();
  await look.look('authority-create-other');
  await close();
  await press(filled(words.edit, { name: 'ZeroSSL' }));
  await dialog.getByText(words.externalRemove).waitFor();
  await look.look('authority-edit');
  await close();
  await press(filled(words.testNamed, { name: '内部 CA' }));
  await dialog.getByText(words.testFailed).waitFor();
  await look.look('authority-test-failed');
  await close();
  await press(filled(common.deleteNamed, { name: '内部 CA' }));
  await look.look('authority-delete');
  await dialog.getByRole('button', { name: common.delete, exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  await look.look('authority-in-use');
}

async function providerDialogs(look: PageLook, path: string): Promise<void> {
  const { dnsProviders: words } = look.text;
  const { dialog, press, choose, close } = dialogs(look);
  await look.browser.page.goto(path);
  await press(words.create);
  for (const kind of ['rfc2136', 'cloudflare', 'aliyun', 'dnspod', 'huawei', 'route53', 'webhook', 'manual'] as const) {
    await choose(words.kind, words.kinds[kind]);
    await dialog.getByText(words.hints[kind]).waitFor();
    await look.look(`dns-provider-${kind}`);
  }
  await close();
  await press(filled(words.edit, { name: 'ns1.example.com' }));
  await dialog.getByText(words.secretKept).waitFor();
  await look.look('dns-provider-edit');
  await close();
  await press(filled(words.testNamed, { name: 'ns1.example.com' }));
  await dialog.getByRole('button', { name: words.test, exact: true }).click();
  await dialog.getByText(words.testFailed).waitFor();
  await look.look('dns-provider-test-failed');
}

async function tokenPage({ browser: { page }, text, look }: PageLook, path: string): Promise<void> {
  const { deployments, firstFetch: words } = text;
  await page.goto(path);
  await page.getByLabel(text.common.name).fill('web-01');
  await page.getByRole('combobox', { name: deployments.allowList }).fill('198.51.100.7 ');
  await page.getByRole('button', { name: deployments.createSubmit }).click();
  await page.getByText(words.waiting).waitFor();
  await look('token-waiting');
  const token = /wxd_\w+/.exec(await page.locator('.command pre').first().innerText())?.[0] ?? '';
  const headers = { authorization: `Bearer ${token}` };
  await page.context().request.get('/api/certificate', { headers });
  await page.getByText(words.refused).waitFor();
  await look('token-refused');
}

interface Places {
  readonly organization: string;
  readonly empty: string;
  readonly certificate: string;
}

/** Authorities of three kinds, one of them used and none of them asked; DNS providers of every kind. */
async function furnish({ post }: OperatorApi): Promise<Places> {
  const { id: organization } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const { id: empty } = await post<{ id: string }>('/organizations', { name: 'Empty' });
  const of = `/organizations/${organization}`;
  const email = 'a-colleague-with-a-long-name@operations.example.com';
  await post('/instance/authorities', { name: "Let's Encrypt", preset: 'letsencrypt', email, profile: 'shortlived' });
  const external_account = { kid: 'a-key-id-that-is-rather-long-0123456789', hmac: 'c2VjcmV0LW9mLXRoZS1hY2NvdW50' };
  await post('/instance/authorities', { name: 'ZeroSSL', preset: 'zerossl', email, external_account });
  const directory = `https://127.0.0.1:${await freePort()}/acme/an-issuer-with-a-long-name/directory`;
  const root_pem = makeTrialCa({ now: Date.now() }).certificatePem;
  await post('/instance/authorities', { name: '内部 CA', directory, root_pem, email: 'ops@example.com' });
  const key = { 'key-id': 'AKIDEXAMPLE0123456789' };
  const secret = 'c2VjcmV0LW9mLXRoZS1wcm92aWRlcg==';
  const server = { server: 'ns1.example.com:53', zone: 'example.com', 'key-name': 'waxwing.example.com' };
  const provider = (kind: string, name: string, more: object = { secret }) =>
    post<{ id: string }>(`${of}/dns-providers`, { kind, name, ...more });
  await provider('rfc2136', 'ns1.example.com', {
    ...{ options: { ...server, server: `127.0.0.1:${await freePort()}` }, secret },
  });
  for (const kind of ['aliyun', 'dnspod', 'huawei', 'route53']) await provider(kind, kind, { options: key, secret });
  await provider('cloudflare', 'example.org 与 example.net 的 DNS');
  await provider('webhook', 'Records', { options: { url: `https://127.0.0.1:${await freePort()}/a-path/records` } });
  await provider('manual', '人工', {});
  await post(`${of}/certificates/request`, { authorities: ['内部 CA'], domains: ['used.example.com'] });
  const leaf = makeTrialCa({ now: Date.now() }).issue({ domains: ['shop.example.com'] });
  const files = [
    { name: 'chain.pem', text: leaf.chainPem },
    { name: 'key.pem', text: leaf.keyPem },
  ];
  const { id: certificate } = await post<{ id: string }>(`${of}/certificates`, { files });
  return { organization, empty, certificate };
}
