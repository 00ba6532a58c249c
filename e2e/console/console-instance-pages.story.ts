import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { filled } from './console-browser.ts';
import { type OperatorApi, type PageLook, pageStory } from './page-walk.ts';

pageStory('every page of the instance, of keys and of the audit trail is readable, complete and quiet', {
  // Never asked: its presence is enough for the account page.
  settings: {
    WAXWING_OIDC_ISSUER: 'https://id.example.com',
    WAXWING_OIDC_CLIENT_ID: 'waxwing',
    WAXWING_OIDC_CLIENT_SECRET: 'a secret of the story',
    WAXWING_OIDC_ALLOWED_DOMAINS: 'example.com',
  },
  furnish,
  before: async ({ browser: { page }, text, look }) => {
    await page.goto('/console/sign-in');
    await page.getByRole('button', { name: text.signIn.useSso }).waitFor();
    await look('sign-in-with-sso');
  },
  visit: async (look, places) => {
    const at = `/console/o/${places.organization}`;
    const empty = `/console/o/${places.empty}`;
    await look.walk({
      'account-with-sso': '/console/account',
      'instance-health': '/console/instance/health',
      carriers: '/console/instance/carriers',
      routes: '/console/instance/routes',
      'routes-from-reply': '/console/instance/routes?number=1069009',
      'unmatched-replies': '/console/instance/replies',
      'instance-blocked-numbers': '/console/instance/blocked',
      'instance-blocked-words': '/console/instance/blocked?tab=words',
      'instance-accounts': '/console/instance/accounts',
      'instance-accounts-none': '/console/instance/accounts?email=nobody%40example.com',
      'instance-keys': '/console/instance/management-keys',
      'instance-audit': '/console/instance/audit',
      'instance-audit-filtered': `/console/instance/audit?organization=${places.organization}&action=management-key.`,
      'organization-keys': `${at}/management-keys`,
      'organization-keys-empty': `${empty}/management-keys`,
      'organization-audit': `${at}/audit`,
      'organization-audit-none-found': `${at}/audit?action=nothing.like.it`,
      'missing-organization-audit': '/console/o/0000/audit',
      'deployments-none-found': `${at}/deployments?search=nothing-like-it`,
      'organizations-found': '/console/organizations?search=acme',
      'organizations-none-found': '/console/organizations?search=nothing-like-it',
    });
    await dialogs(look, at);
  },
});

/** Each dialog, and the secrets it shows once. */
/** Holds a verification's request to show its progress. @returns lets it go on */
async function holdVerification(page: Page, progress: { readonly done: number; readonly total: number }) {
  const held = Promise.withResolvers<void>();
  await page.route('**/api/v1/instance/audit/verify', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.route('**/api/v1/instance/work', (route) =>
    route.fulfill({
      json: { inspection: null, audit_verification: { started_at: new Date().toISOString(), ...progress } },
    }),
  );
  return held.resolve;
}

/** Every worker has a name in the reader's language. */
async function namesEveryWorker(page: Page): Promise<void> {
  const answer = await page.context().request.get('/api/v1/instance');
  const { workers } = (await answer.json()) as { workers: readonly { name: string }[] };
  assert.ok(workers.length > 10);
  for (const { name } of workers) {
    const shown = page.locator(`span[title="${name}"]`).first();
    await shown.waitFor();
    assert.notEqual(await shown.textContent(), name);
  }
}

async function dialogs({ browser: { page }, text, look }: PageLook, at: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const open = async (path: string, button: string) => {
    await page.goto(path);
    await page.getByRole('button', { name: button }).first().click();
    await dialog.waitFor();
  };
  const close = () => dialog.getByRole('button', { name: text.common.cancel }).click();

  await page.goto('/console/instance/health');
  await namesEveryWorker(page);
  await page.getByRole('button', { name: text.instanceHealth.doctor.inspect }).click();
  await page.getByRole('list', { name: text.instanceHealth.doctor.title }).waitFor();
  await look('doctor');

  await open('/console/instance/carriers', text.carriers.reply.button);
  await look('simulate-reply');
  await close();
  await open('/console/instance/routes', text.inboundRoutes.add);
  await look('add-route');
  await close();
  await page.getByRole('button', { name: filled(text.common.removeNamed, { name: '1069001' }) }).click();
  await look('remove-route');
  await open('/console/instance/accounts', text.instanceAccounts.create);
  await look('create-operator');
  await open('/console/instance/accounts', filled(text.instanceAccounts.resetNamed, { email: 'second@example.com' }));
  await look('reset-account');
  await close();
  await page
    .getByRole('button', { name: filled(text.instanceAccounts.disableNamed, { email: 'second@example.com' }) })
    .click();
  await look('disable-account');
  await open('/console/instance/audit', text.audit.verify.button);
  const letItEnd = await holdVerification(page, { done: 12_500, total: 40_000 });
  await dialog.getByRole('button', { name: text.audit.verify.submit }).click();
  await dialog.getByText(filled(text.audit.verify.progress, { done: 12_500, total: 40_000 })).waitFor();
  await look('verifying');
  letItEnd();
  await dialog.locator('.ant-alert-success').waitFor();
  await look('verified');
  await page.goto('/console/instance/audit');
  await page.locator('.ant-table-row-expand-icon, .card-more > summary').first().click();
  await look('audit-detail');
  await open('/console/organizations', filled(text.quotas.named, { name: '示例科技 Acme' }));
  await dialog.getByLabel(text.messaging.settings.perDay).waitFor();
  await look('quotas');
  await open('/console/instance/management-keys', text.managementKeys.create);
  await look('create-instance-key');
  await keyDialogs(page, text, look, open, `${at}/management-keys`);
}

async function keyDialogs(
  page: Page,
  text: PageLook['text'],
  look: PageLook['look'],
  open: (path: string, button: string) => Promise<void>,
  path: string,
): Promise<void> {
  const dialog = page.getByRole('dialog');
  await open(path, filled(text.managementKeys.edit, { name: 'ci' }));
  await dialog.getByLabel(text.common.name).waitFor();
  await look('edit-key');
  await open(path, filled(text.managementKeys.rotateNamed, { name: 'ci' }));
  await look('rotate-key');
  await open(path, filled(text.common.deleteNamed, { name: 'ci' }));
  await look('delete-key');
  await open(path, text.managementKeys.create);
  await dialog.getByLabel(text.common.name).fill('terraform');
  await dialog.getByRole('button', { name: text.deployments.addMyAddress }).click();
  await dialog.locator('.ant-select-selection-item, .ant-select-content-item').first().waitFor();
  await look('create-key');
  await dialog.getByRole('button', { name: text.deployments.createSubmit }).click();
  await dialog.getByText(text.deployments.token.once).waitFor();
  await look('key-token');
  await dialog.getByRole('tab', { name: 'waxwing' }).click();
  await look('key-token-waxwing');
  await dialog.getByRole('button', { name: text.deployments.tokenKept }).click();
  await dialog.waitFor({ state: 'detached' });
}

interface Places {
  readonly organization: string;
  readonly empty: string;
}

/** Two organizations, one empty; keys, routes, unmatched replies, blocked numbers and words, a second operator. */
async function furnish({ post }: OperatorApi): Promise<Places> {
  const { id: organization } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const { id: empty } = await post<{ id: string }>('/organizations', { name: 'Empty' });
  const of = `/organizations/${organization}`;
  const allow = ['127.0.0.1', '2001:db8::/32'];
  await post(`${of}/management-keys`, { name: 'ci', role: 'developer', allow, expires_at: '2099-01-31T00:00:00Z' });
  await post(`${of}/management-keys`, { name: '上海机房巡检', role: 'viewer', allow: [] });
  await post('/instance/management-keys', { name: 'monitoring', allow: ['192.0.2.0/24'] });
  await post('/instance/operators', { email: 'second@example.com' });
  const route = { organization_id: organization, carrier: 'simulator' };
  await post('/instance/routes', { ...route, kind: 'number', address: '1069001' });
  await post('/instance/routes', { ...route, kind: 'prefix', address: '10690' });
  const reply = { from: '+8613800138000', to: '1069009', text: '你好，请问营业到几点？' };
  await post('/instance/carriers/simulator/replies', reply);
  await post('/instance/blocked-numbers', { number: '+8613900001234' });
  await post('/instance/blocked-words', { word: '免费领取' });
  return { organization, empty };
}
