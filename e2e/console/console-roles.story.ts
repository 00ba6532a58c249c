import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import { freePort } from '../free-port.ts';
import { quickPushes, setPushSetting } from '../guides/messaging-setup.ts';
import { makeWorld, type World } from '../world.ts';
import { acceptWelcome, type ConsoleBrowser, filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { type OperatorApi, operatorApi, signedIn } from './page-walk.ts';

const language = 'zh-CN';

const day = 86_400_000;

test('everybody is offered on the pages of an organization what their role allows, and nothing else', {
  skip: withoutBrowser,
}, async (context) => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}`, ...quickPushes });
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const operator = await signedIn(world, url);
    try {
      const api = operatorApi(operator, url);
      const { at, pages } = await furnish(api, world);
      await context.test('a viewer looks at every page, and can do nothing there', async () => {
        const { link } = await api.post<{ link: string }>(`${at}/invitations`, {
          email: 'viewer@example.com',
          role: 'viewer',
        });
        await viewerMayOnlyLook(url, link, pages);
      });
      await context.test('an administrator is offered no role above their own', async () => {
        const { link } = await api.post<{ link: string }>(`${at}/invitations`, {
          email: 'admin@example.com',
          role: 'admin',
        });
        const owner = await api.post<{ link: string }>(`${at}/invitations`, {
          email: 'owner@example.com',
          role: 'owner',
        });
        await administratorManagesTheirEquals(
          url,
          link,
          owner.link,
          `/console${at.replace('organizations', 'o')}/members`,
        );
      });
      await context.test('where somebody who may change things is offered it', () => isOffered(operator, pages));
    } finally {
      await operator.close();
    }
  } finally {
    await world.end();
  }
});

/** By the page's address: whether it offers changes to people with the right. */
type Pages = Readonly<Record<string, boolean>>;

async function viewerMayOnlyLook(url: string, link: string, pages: Pages): Promise<void> {
  const text = textsOf(language);
  const viewer = await openBrowser({ url, language });
  try {
    await enterBy(viewer, link, text);
    const forbidden: Record<string, readonly string[]> = {};
    for (const path of Object.keys(pages)) {
      const names = await offered(viewer, path, text);
      if (names.length > 0) forbidden[path] = names;
    }
    assert.deepEqual(forbidden, {});
    assert.deepEqual(viewer.complaints, []);
  } finally {
    await viewer.close();
  }
}

async function administratorManagesTheirEquals(url: string, link: string, ownerLink: string, members: string) {
  const text = textsOf('en');
  const [administrator, owner] = [
    await openBrowser({ url, language: 'en' }),
    await openBrowser({ url, language: 'en' }),
  ];
  try {
    await enterBy(owner, ownerLink, text);
    await enterBy(administrator, link, text);
    const { page } = administrator;
    await page.goto(members);
    const rows = page.getByRole('row');
    const ofOwner = rows.filter({ hasText: 'owner@example.com' });
    await ofOwner.getByText(text.roles.owner, { exact: true }).waitFor();
    assert.equal(await ofOwner.getByRole('button').count(), 0);
    assert.equal(await ofOwner.getByRole('combobox').count(), 0);
    await page.getByRole('button', { name: text.members.invite }).click();
    await page.getByRole('dialog').getByLabel(text.members.role).click();
    const options = page.locator('.ant-select-item-option');
    await options.filter({ hasText: text.roles.admin }).first().waitFor();
    assert.equal(await options.filter({ hasText: text.roleHints.owner }).count(), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    const email = 'viewer@example.com';
    await page.getByRole('button', { name: filled(text.members.removeNamed, { email }) }).click();
    await page.getByRole('dialog').getByText(text.members.removeWhat).waitFor();
    await administrator.checkAccess('removing a member');
    await page.getByRole('dialog').getByRole('button', { name: text.common.remove }).click();
    await rows.filter({ hasText: email }).waitFor({ state: 'detached' });

    await page.getByLabel(filled(text.members.roleOf, { email: 'admin@example.com' })).click();
    await options.filter({ hasText: text.roles.developer }).last().click();
    await page.getByRole('dialog').getByText(text.members.lessenWhat).waitFor();
    await administrator.checkAccess('becoming less');
    await page.getByRole('dialog').getByRole('button', { name: text.members.lessen }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: text.members.leave, exact: true }).click();
    await administrator.checkAccess('leaving');
    await page.getByRole('dialog').getByRole('button', { name: text.members.leave, exact: true }).click();
    await page.getByText(text.shell.noOrganization).waitFor();
    assert.deepEqual(administrator.complaints, []);
  } finally {
    await administrator.close();
    await owner.close();
  }
}

async function enterBy(browser: ConsoleBrowser, link: string, text: ReturnType<typeof textsOf>): Promise<void> {
  await acceptWelcome(browser, link, 'only looking at it', text);
  await browser.page.getByRole('heading', { name: text.menu.certificateManagement }).waitFor();
}

async function isOffered(operator: ConsoleBrowser, pages: Pages): Promise<void> {
  for (const [path, hasChanges] of Object.entries(pages)) {
    const found = await offered(operator, path, textsOf('en'));
    assert.equal(found.length > 0, hasChanges, `${path}: ${found.join(', ')}`);
  }
}

/** Controls that only show or filter. */
const looking = 'search, [role=tablist], .ant-tabs-nav-operations, .ant-segmented';

/** The beginnings of names of harmless buttons. Anyone may leave. */
function harmless(text: ReturnType<typeof textsOf>): readonly string[] {
  const { common, certificates, members, messaging } = text;
  const { named, versionNamed } = certificates.download;
  const shown = [common.exportCsv, common.copyNamed, common.retry, common.loadMore];
  return [...shown, named, versionNamed, messaging.timeline.toBatch, members.leave].map(
    (name) => name.split('{{')[0] ?? '',
  );
}

/** Names of the page's controls, without harmless ones. */
async function offered(
  browser: ConsoleBrowser,
  path: string,
  text: ReturnType<typeof textsOf>,
): Promise<readonly string[]> {
  const { page } = browser;
  await page.goto(path);
  await page.locator('main h1, main [role=alert], .not-found h1').first().waitFor();
  await browser.checkAccess(path);
  const controls = page.locator('main').locator('button, input, textarea, [role=switch], [role=combobox]');
  const names: string[] = [];
  for (const control of await controls.all()) {
    if (!(await control.isVisible()) || (await control.isDisabled())) continue;
    if (await control.evaluate((element, within) => element.closest(within) !== null, looking)) continue;
    const name = (await control.getAttribute('aria-label')) ?? (await control.innerText());
    if (!harmless(text).some((beginning) => name.startsWith(beginning))) names.push(name);
  }
  return names;
}

/** An organization with content on every page, and the pages' addresses. */
async function furnish({ post }: OperatorApi, world: World): Promise<{ at: string; pages: Pages }> {
  const { id: organizationId } = await post<{ id: string }>('/organizations', { name: 'Acme' });
  const at = `/organizations/${organizationId}`;
  const { chainPem, keyPem } = makeTrialCa({ now: Date.now() }).issue({
    domains: ['shop.example.com'],
    notAfter: Date.now() + 90 * day,
  });
  const { id: certificate } = await post<{ id: string }>(`${at}/certificates`, {
    files: [
      { name: 'chain.pem', text: chainPem },
      { name: 'key.pem', text: keyPem },
    ],
  });
  const { id: deployment } = await post<{ id: string }>(`${at}/deployments`, {
    certificate_id: certificate,
    name: 'web-01',
    allow: ['127.0.0.1'],
  });
  const { id: key } = await post<{ id: string }>(`${at}/messaging-keys`, { name: 'shop', allow: [] });
  await post(`${at}/blocked-words`, { word: 'casino' });
  await post(`${at}/blocked-numbers`, { number: '+8613800130030' });
  await post(`${at}/opt-outs`, { number: '+8613800130020' });
  const url = `http://127.0.0.1:${await freePort()}/status`;
  const kind = { organization_id: organizationId, kind: 'status' } as const;
  await setPushSetting(world, kind, { url, enabled: true, retries: 0 });
  const { batch_id: batch } = await post<{ batch_id: string }>(`${at}/messages`, {
    mobile: '+8613800130000',
    content: 'Hello',
  });
  await world.control.call('replyBySimulator', {
    body: { from: '+8613800130000', to: '+8610690000', text: 'Thanks' },
  });
  const push = await failedPush(world, organizationId);
  const to = `/console/o/${organizationId}`;
  return {
    at,
    pages: {
      [`${to}/certificates`]: true,
      [`${to}/certificates/${certificate}`]: true,
      [`${to}/certificates/${certificate}/deploy`]: true,
      [`${to}/certificates/import`]: true,
      [`${to}/deployments`]: false,
      [`${to}/deployments/${deployment}`]: true,
      [`${to}/deployments/${deployment}?tab=refusals`]: true,
      [`${to}/messages`]: true,
      [`${to}/messages/send`]: true,
      [`${to}/messages/${batch}`]: false,
      [`${to}/messages/${batch}/0`]: false,
      [`${to}/replies`]: false,
      [`${to}/opt-outs`]: true,
      [`${to}/blocked`]: true,
      [`${to}/blocked?tab=words`]: true,
      [`${to}/messaging-keys`]: true,
      [`${to}/messaging-keys/new`]: true,
      [`${to}/messaging-keys/${key}`]: true,
      [`${to}/messaging-settings`]: true,
      [`${to}/push-settings`]: true,
      [`${to}/push-settings?tab=health`]: false,
      [`${to}/pushes`]: true,
      [`${to}/pushes/${push}`]: true,
      [`${to}/members`]: true,
      [`${to}/management-keys`]: true,
      [`${to}/alerts`]: false,
      [`${to}/alert-channels`]: true,
    },
  };
}

/** @returns its id after the last attempt */
async function failedPush(world: World, organizationId: string): Promise<string> {
  for (;;) {
    const pushes = await world.control.list(
      'listPushes',
      { params: { organization_id: organizationId } },
      { limit: 10 },
    );
    const failed = pushes.find(({ state }) => state === 'failed');
    if (failed !== undefined) return failed.id;
  }
}
