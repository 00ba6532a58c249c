import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { makeWorld, mustRun } from '../world.ts';
import { acceptWelcome, type ConsoleBrowser, filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { operatorApi, signedIn } from './page-walk.ts';

const language = 'zh-CN';

type Texts = ReturnType<typeof textsOf>;

const password = 'a feather of grey silk';
const second = 'second@example.com';

test('an operator runs the instance from a browser, and the audit trail has all of it', {
  skip: withoutBrowser,
}, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const first = await signedIn(world, url);
    const { cookies } = await first.context.storageState();
    const browser = await openBrowser({ url, language });
    await browser.context.addCookies(cookies);
    try {
      const text = textsOf(language);
      await letAnotherRunIt(browser, url, text);
      const organization = await makeOrganization(browser.page, text);
      await limitIt(browser.page, text, `${url}/api/v1/organizations/${organization}`);
      await routeANumber(browser.page, text);
      const key = await makeAKeyThatWorks(browser.page, text, world.url, organization);
      await everythingIsInTheTrail(browser.page, text, key);
      const { link } = await operatorApi(first, url).post<{ link: string }>(
        `/organizations/${organization}/invitations`,
        { email: 'viewer@example.com', role: 'viewer' },
      );
      await viewerSeesNothingForbidden(link, url, text, organization);
      assert.deepEqual(browser.complaints, []);
    } finally {
      await browser.close();
      await first.close();
    }
  } finally {
    await world.end();
  }
});

const dialogOf = (page: Page): Locator => page.getByRole('dialog');

/** The link is shown once; by it somebody else signs in, and sees the instance. */
async function letAnotherRunIt(browser: ConsoleBrowser, url: string, text: Texts) {
  const { page } = browser;
  await page.goto('/console/instance/accounts');
  await page.getByRole('button', { name: text.instanceAccounts.create }).click();
  await dialogOf(page).getByLabel(text.signIn.email).fill(second);
  await dialogOf(page).getByRole('button', { name: text.members.inviteSubmit }).click();
  const link = (await dialogOf(page).locator('pre').innerText()).trim();
  await dialogOf(page).getByRole('button', { name: text.members.linkKept }).click();
  await page.getByRole('row').filter({ hasText: second }).getByText(text.instanceAccounts.notActive).waitFor();

  const other = await openBrowser({ url, language });
  try {
    await acceptWelcome(other, link, password, text);
    await other.page.getByRole('link', { name: text.menu.health }).click();
    await other.page.getByRole('heading', { name: text.instanceHealth.title }).waitFor();
    assert.deepEqual(other.complaints, []);
  } finally {
    await other.close();
  }
}

/** @returns its id */
async function makeOrganization(page: Page, text: Texts): Promise<string> {
  await page.getByRole('link', { name: text.menu.organizations }).click();
  await page.getByRole('button', { name: text.organizations.create }).first().click();
  await dialogOf(page).getByLabel(text.shell.organization).fill('Acme');
  await dialogOf(page).getByRole('button', { name: text.organizations.createSubmit }).click();
  await page.getByText(text.certificates.none).waitFor();
  const [, id = ''] = /\/o\/([^/]+)\//.exec(page.url()) ?? [];
  return id;
}

/** Twice. The second time another operator is faster: their limit is shown and can be changed. */
async function limitIt(page: Page, text: Texts, organization: string): Promise<void> {
  await page.getByRole('link', { name: text.menu.organizations }).click();
  const open = page.getByRole('button', { name: filled(text.quotas.named, { name: 'Acme' }) });
  await open.click();
  await dialogOf(page).getByLabel(text.messaging.settings.perSecond).fill('20');
  await dialogOf(page).getByLabel(text.messaging.settings.perDay).fill('100000');
  await dialogOf(page).getByRole('button', { name: text.common.save }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await open.click();
  await dialogOf(page).getByLabel(text.messaging.settings.perDay).waitFor();
  const perDay = dialogOf(page).getByLabel(text.messaging.settings.perDay);
  const save = dialogOf(page).getByRole('button', { name: text.common.save });
  assert.equal(await perDay.inputValue(), '100000');
  const { request } = page.context();
  const etag = (await request.get(`${organization}/messaging-settings`)).headers().etag ?? '';
  const faster = await request.patch(`${organization}/quotas`, {
    headers: { origin: new URL(organization).origin, 'if-match': etag },
    data: { messages_per_day: 200 },
  });
  assert.ok(faster.ok(), await faster.text());
  await perDay.fill('300');
  await save.click();
  await dialogOf(page).getByText(text.problem.precondition_failed.title).waitFor();
  assert.equal(await perDay.inputValue(), '200');
  await perDay.fill('300');
  await save.click();
  await dialogOf(page).waitFor({ state: 'detached' });
}

async function routeANumber(page: Page, text: Texts): Promise<void> {
  await page.getByRole('link', { name: text.menu.routes }).click();
  await page.getByRole('button', { name: text.inboundRoutes.add }).first().click();
  const dialog = dialogOf(page);
  await dialog.getByLabel(text.shell.organization).click();
  await page.locator('.ant-select-item-option').filter({ hasText: 'Acme' }).first().click();
  await dialog.getByRole('textbox', { name: text.messaging.number }).fill('1069001');
  await dialog.getByRole('button', { name: text.common.add, exact: true }).click();
  await page.getByRole('row').filter({ hasText: '1069001' }).filter({ hasText: 'Acme' }).waitFor();
}

/** With the creator's address. The shown command works unchanged. @returns the id of the key */
async function makeAKeyThatWorks(page: Page, text: Texts, url: string, organization: string): Promise<string> {
  const words = text.managementKeys;
  await page.goto(`/console/o/${organization}/management-keys`);
  await page.getByRole('button', { name: words.create }).first().click();
  const dialog = dialogOf(page);
  await dialog.getByLabel(text.common.name).fill('ci');
  await dialog.getByRole('button', { name: text.deployments.addMyAddress }).click();
  await dialog.getByText('127.0.0.1').first().waitFor();
  await dialog.getByRole('button', { name: text.deployments.createSubmit }).click();
  await dialog.getByText(text.deployments.token.once).waitFor();
  const token = (await dialog.locator('pre').first().innerText()).trim();
  assert.match(token, /^wxa_/);
  await dialog.getByRole('button', { name: text.deployments.tokenKept }).click();

  const path = `/api/v1/organizations/${organization}`;
  const curl = ['-sS', '--fail', '-H', `Authorization: Bearer ${token}`];
  const shown = JSON.parse(await mustRun('curl', [...curl, `${url}${path}`])) as { name: string };
  assert.equal(shown.name, 'Acme');
  const listed = await page.context().request.get(`${path}/management-keys`);
  const { items } = (await listed.json()) as { items: readonly { id: string }[] };
  return items[0]?.id ?? '';
}

/** Each act by its action, with the filters in the address. The chain is whole and contains the noted head. */
async function everythingIsInTheTrail(page: Page, text: Texts, key: string): Promise<void> {
  await page.getByRole('link', { name: text.menu.audit }).last().click();
  const rows = page.getByRole('row');
  for (const action of [
    'operator_create',
    'organization_create',
    'messaging_update',
    'route_add',
    'management_key_create',
  ] as const) {
    await rows.filter({ hasText: text.auditActions[action] }).first().waitFor();
  }
  const choose = async (filter: string, typed: string) => {
    await page.getByRole('combobox', { name: filter }).fill(typed);
    await page.keyboard.press('Enter');
  };
  const made = rows.filter({ hasText: text.auditActions.management_key_create });
  const changed = rows.filter({ hasText: text.auditActions.messaging_update });
  // By the id, by the shown words, and by a person's address.
  await choose(text.audit.filters.subjectId, key);
  await page.waitForURL((url) => url.searchParams.get('subject') === key);
  await changed.first().waitFor({ state: 'detached' });
  await made.waitFor();
  await page.reload();
  await made.waitFor();
  await page.getByRole('button', { name: text.common.clearFilters }).click();
  await changed.first().waitFor();
  await choose(text.audit.filters.action, text.auditActions.management_key_create);
  await page.waitForURL((url) => url.searchParams.get('action') === 'management-key.create');
  await changed.first().waitFor({ state: 'detached' });
  await choose(text.audit.filters.actor, 'Operator@Example.com');
  await page.waitForURL((url) => url.searchParams.get('actor')?.toLowerCase() === 'operator@example.com');
  await made.filter({ hasText: 'operator@example.com' }).waitFor();
  await page.getByRole('button', { name: text.common.clearFilters }).click();
  await changed.first().waitFor();

  await page.getByRole('button', { name: text.audit.verify.button }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: text.audit.verify.submit }).click();
  const head = (await dialog.getByRole('status').locator('pre').innerText()).trim();
  const [link = ''] = head.split(':');
  await dialog.getByText(filled(text.audit.verify.ok, { link })).waitFor();
  const [digit = ''] = head.slice(-1);
  await dialog
    .getByRole('textbox', { name: text.audit.verify.head })
    .fill(`${head.slice(0, -1)}${digit === '0' ? '1' : '0'}`);
  await dialog.getByRole('button', { name: text.audit.verify.again }).click();
  await dialog.locator('.ant-alert-error').waitFor();
  await dialog.getByRole('textbox', { name: text.audit.verify.head }).fill(head);
  await dialog.getByRole('button', { name: text.audit.verify.again }).click();
  await dialog.locator('.ant-alert-success').waitFor();
}

/** No entry leads where they may not go, and pages gone to by their address offer nothing. */
async function viewerSeesNothingForbidden(link: string, url: string, text: Texts, organization: string): Promise<void> {
  const viewer = await openBrowser({ url, language });
  const { page } = viewer;
  try {
    await acceptWelcome(viewer, link, password, text);
    await page.getByText(text.certificates.none).waitFor();
    const links = await page.getByRole('navigation').getByRole('link').allInnerTexts();
    const allowed = [
      text.menu.certificateManagement,
      text.menu.serverDeployments,
      text.menu.members,
      text.menu.account,
    ];
    const { accounts, audit, blockedEverywhere, carriers, health, managementKeys, routes, unmatchedReplies } =
      text.menu;
    const forbidden = [accounts, audit, blockedEverywhere, carriers, health, managementKeys, routes, unmatchedReplies];
    assert.deepEqual(
      links.filter((name) => forbidden.includes(name)),
      [],
    );
    for (const name of allowed) assert.ok(links.includes(name), name);

    const places = ['health', 'accounts', 'carriers', 'routes', 'replies', 'blocked', 'management-keys', 'audit'];
    const paths = [
      ...places.map((place) => `/console/instance/${place}`),
      ...['management-keys', 'audit'].map((place) => `/console/o/${organization}/${place}`),
    ];
    const offered = [
      ...[text.instanceHealth.doctor.inspect, text.instanceAccounts.create, text.carriers.reply.button],
      ...[text.inboundRoutes.add, text.managementKeys.create, text.audit.verify.button],
      ...[text.messaging.blocked.numbers.add, text.messaging.blocked.remove],
    ];
    for (const path of paths) {
      await page.goto(path);
      await page.getByText(text.problem.role_not_permitted.title).first().waitFor();
      for (const name of offered) assert.equal(await page.getByRole('button', { name }).count(), 0, `${path}: ${name}`);
    }
    assert.deepEqual(viewer.complaints, []);
  } finally {
    await viewer.close();
  }
}
