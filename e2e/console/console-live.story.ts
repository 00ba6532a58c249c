import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { makeWorld } from '../world.ts';
import { acceptWelcome, type ConsoleBrowser, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { type OperatorApi, operatorApi, signedIn } from './page-walk.ts';

const text = textsOf('en');
const password = 'seven herons by the river';
const ann = 'ann@example.com';
const bob = 'bob@example.com';
const carol = 'carol@example.com';

test('what somebody may do and see changes on the screen without a reload', { skip: withoutBrowser }, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const operator = await signedIn(world, url);
    const browser = await openBrowser({ url, language: 'en' });
    try {
      const api = operatorApi(operator, url);
      const { id } = await api.post<{ id: string }>('/organizations', { name: 'Acme' });
      await entersAs(browser, api, id, ann, 'admin');
      await searchKeepsItsSpaces(browser);
      await leavesWhileTyping(browser);
      await isDemoted(browser, api, id);
      await failsToSignOut(browser);
      await isSomebodyElseInAnotherTab(browser, api, id);
      await seesWhoIsInvited(browser, operator, api, id);
      await seesWhatOthersFound(operator, api);
      await comesBackToWhatWasWanted(operator, id);
      await isToldWhatAnotherMadeOfIt(operator, api, id);
      await getsTheVerdictOfALongVerification(operator);
      await isSentAway(browser, operator, id);
      await isDisabled(browser, api, id);
      assert.deepEqual(
        browser.complaints.filter((each) => !each.endsWith('net::ERR_FAILED')),
        [],
      );
    } finally {
      await browser.close();
      await operator.close();
    }
  } finally {
    await world.end();
  }
});

async function entersAs(
  browser: ConsoleBrowser,
  { post }: OperatorApi,
  organizationId: string,
  email: string,
  role: string,
): Promise<void> {
  const { link } = await post<{ link: string }>(`/organizations/${organizationId}/invitations`, { email, role });
  await acceptWelcome(browser, link, password, text);
  await browser.page.getByRole('heading', { name: text.menu.certificateManagement }).waitFor();
}

async function memberId({ context }: ConsoleBrowser, organizationId: string, email: string): Promise<string> {
  const listed = await context.request.get(`/api/v1/organizations/${organizationId}/members`);
  const { items } = (await listed.json()) as { items: readonly { account_id: string; email: string }[] };
  return items.find((member) => member.email === email)?.account_id ?? '';
}

/** Text typed after a pause joins the former search. */
async function searchKeepsItsSpaces({ page }: ConsoleBrowser): Promise<void> {
  const field = page.getByRole('searchbox').first();
  await field.pressSequentially('my ');
  await page.waitForURL((url) => url.searchParams.get('search')?.includes('my') === true);
  await field.pressSequentially('shop');
  await page.waitForURL((url) => url.searchParams.get('search')?.includes('shop') === true);
  assert.equal(await field.inputValue(), 'my shop');
}

/** The page of a link may take longer to come than a search waits for more text. */
async function leavesWhileTyping({ page }: ConsoleBrowser): Promise<void> {
  await page.route('**/assets/*', async (route) => {
    await delay(1_500);
    await route.continue();
  });
  await page.getByRole('searchbox').first().fill('');
  await page.getByRole('link', { name: text.menu.members }).click();
  await page.getByRole('button', { name: text.members.invite }).first().waitFor();
  await page.unroute('**/assets/*');
}

/** By another person, while the members are shown. */
async function isDemoted(browser: ConsoleBrowser, { patch }: OperatorApi, organizationId: string): Promise<void> {
  const { page } = browser;
  const invite = page.getByRole('button', { name: text.members.invite });
  const account = await memberId(browser, organizationId, ann);
  await patch(`/organizations/${organizationId}/members/${account}`, { role: 'viewer' });
  await invite.first().waitFor({ state: 'detached' });
  const row = page.getByRole('row').filter({ hasText: ann });
  await row.getByText(text.roles.viewer, { exact: true }).waitFor();
}

/** Each try shows the failure, and the person stays signed in. */
async function failsToSignOut({ page }: ConsoleBrowser): Promise<void> {
  let tries = 0;
  await page.route('**/me/sign-out', (route) => {
    tries += 1;
    return route.abort();
  });
  await page.getByRole('button', { name: ann }).click();
  await page.getByRole('menuitem', { name: text.shell.signOut }).click();
  const dialog = page.locator('.ant-modal-confirm').filter({ hasText: text.shell.stillSignedIn });
  await dialog.getByText(text.problem.unreachable.title).waitFor();
  await dialog.getByRole('button', { name: text.common.retry }).click();
  while (tries < 2) await page.waitForEvent('requestfailed');
  const again = dialog.last();
  await again.getByText(text.problem.unreachable.title).waitFor();
  await again.getByRole('button', { name: text.common.cancel }).click();
  await dialog.last().waitFor({ state: 'detached' });
  await page.unroute('**/me/sign-out');
}

/** Both tabs share a cookie: the first one shows the rights of the second tab's person. */
async function isSomebodyElseInAnotherTab(browser: ConsoleBrowser, api: OperatorApi, organizationId: string) {
  const second = await browser.context.newPage();
  await entersAs({ ...browser, page: second }, api, organizationId, bob, 'admin');
  await browser.page.getByRole('button', { name: bob }).first().waitFor();
  await browser.page.getByRole('button', { name: text.members.invite }).first().waitFor();
  await second.close();
}

/** Invited and withdrawn by another person while the list is shown. */
async function seesWhoIsInvited({ page }: ConsoleBrowser, operator: ConsoleBrowser, api: OperatorApi, id: string) {
  const at = `/organizations/${id}/invitations`;
  const row = page.getByRole('row').filter({ hasText: 'dan@example.com' });
  const { id: invitation } = await api.post<{ id: string }>(at, {
    email: 'dan@example.com',
    role: 'viewer',
  });
  await row.waitFor();
  const origin = new URL(page.url()).origin;
  const revoked = await operator.context.request.delete(`/api/v1${at}/${invitation}`, { headers: { origin } });
  assert.equal(revoked.status(), 204);
  await row.waitFor({ state: 'detached' });
}

/** Another operator makes an organization that the page does not ask for. */
async function seesWhatOthersFound({ page }: ConsoleBrowser, api: OperatorApi): Promise<void> {
  await page.goto('/console/organizations');
  await page.getByRole('row').filter({ hasText: 'Acme' }).waitFor();
  await api.post('/organizations', { name: 'Zephyr' });
  await page.getByRole('row').filter({ hasText: 'Zephyr' }).waitFor();
}

/** By an identity provider, which returns to the console's first page and knows the person at once. */
async function comesBackToWhatWasWanted({ page }: ConsoleBrowser, organizationId: string): Promise<void> {
  const wanted = `/o/${organizationId}/audit`;
  await page.route('**/api/v1/sign-in', (route) =>
    route.fulfill({ json: { password: true, passkey: false, sso: true } }),
  );
  await page.route('**/api/v1/sign-in/sso', (route) =>
    route.fulfill({ json: { url: new URL('/console/', page.url()).href } }),
  );
  await page.goto(`/console/sign-in?next=${encodeURIComponent(wanted)}`);
  await page.getByRole('button', { name: text.signIn.useSso }).click();
  await page.waitForURL(`**/console${wanted}`);
  await page.getByRole('heading', { name: text.menu.audit }).waitFor();
  // Without a wanted page: the last one.
  await page.goto('/console/sign-in?next=%2F');
  await page.getByRole('button', { name: text.signIn.useSso }).click();
  await page.getByRole('heading', { name: text.menu.certificateManagement }).waitFor();
  // Only once: the first page then leads to the last one again.
  await page.goto('/console/');
  await page.waitForURL(`**/o/${organizationId}/certificates`);
}

/** Another person was faster, without a change event: the refusal shows their version. */
async function isToldWhatAnotherMadeOfIt({ page }: ConsoleBrowser, api: OperatorApi, organizationId: string) {
  const { id } = await api.post<{ id: string }>(`/organizations/${organizationId}/messaging-keys`, {
    name: 'shop',
    allow: [],
  });
  await page.route('**/events/stream', (route) => route.abort());
  await page.goto(`/console/o/${organizationId}/messaging-keys/${id}`);
  const enabled = page.getByRole('switch', { name: text.deployments.switches.enabled });
  const permitted = page.getByRole('switch', { name: text.messaging.keys.permitted });
  await enabled.and(page.locator('[aria-checked=true]')).waitFor();
  const at = `/api/v1/organizations/${organizationId}/messaging-keys/${id}`;
  const { etag = '' } = (await page.context().request.get(at)).headers();
  const headers = { origin: new URL(page.url()).origin, 'if-match': etag };
  const faster = await page.context().request.patch(at, { headers, data: { enabled: false } });
  assert.equal(faster.status(), 200);
  await permitted.click();
  await page.getByRole('alert').getByText(text.problem.precondition_failed.title).waitFor();
  await enabled.and(page.locator('[aria-checked=false]')).waitFor();
  assert.equal(await permitted.getAttribute('aria-checked'), 'true');
  await permitted.click();
  await permitted.and(page.locator('[aria-checked=false]')).waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await keepsANewToken(page);
}

/** Over plain HTTP without a clipboard. No key closes a secret that is shown once. */
async function keepsANewToken(page: Page): Promise<void> {
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })");
  const { rotate, tokenKept } = text.deployments;
  await page.getByRole('button', { name: rotate.button }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: rotate.button }).click();
  const token = (await dialog.locator('pre').first().innerText()).trim();
  assert.match(token, /^wxm_/);
  await page.keyboard.press('Escape');
  await dialog.locator('.copy').first().click();
  await dialog.getByText(text.common.copied).first().waitFor();
  await dialog.getByRole('button', { name: tokenKept }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.evaluate("document.querySelector('main').append(document.createElement('textarea'))");
  await page.locator('main textarea').focus();
  await page.keyboard.press('ControlOrMeta+V');
  assert.equal(await page.locator('main textarea').inputValue(), token);
}

/** The connection ends before the work (proxies wait for a minute). Another request gets the answer. */
async function getsTheVerdictOfALongVerification({ page }: ConsoleBrowser): Promise<void> {
  const { verify } = text.audit;
  const started = { started_at: new Date().toISOString(), done: 5, total: 10 };
  let asked = 0;
  await page.route('**/api/v1/instance/audit/verify', (route) => {
    asked += 1;
    return asked === 1 ? route.abort() : route.continue();
  });
  await page.route('**/api/v1/instance/work', (route) =>
    route.fulfill({ json: { inspection: null, audit_verification: asked < 2 ? started : null } }),
  );
  await page.goto('/console/instance/audit');
  await page.getByRole('button', { name: verify.button }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: verify.submit }).click();
  await dialog.locator('.ant-alert-success').waitFor();
  assert.equal(asked, 2);

  // Lost, and finished by the next look.
  asked = 0;
  await page.route('**/api/v1/instance/work', (route) =>
    route.fulfill({ json: { inspection: null, audit_verification: null } }),
  );
  await dialog.getByRole('button', { name: verify.again }).click();
  await dialog.getByText(verify.ended).waitFor();
  assert.equal(asked, 1);
}

/** Removed while the list is shown: the list disappears. */
async function isSentAway({ page }: ConsoleBrowser, operator: ConsoleBrowser, organizationId: string): Promise<void> {
  await page.getByRole('row').filter({ hasText: ann }).waitFor();
  const account = await memberId(operator, organizationId, bob);
  const at = `/api/v1/organizations/${organizationId}/members/${account}`;
  const origin = new URL(page.url()).origin;
  const removed = await operator.context.request.delete(at, { headers: { origin } });
  assert.equal(removed.status(), 204);
  await page.getByText(text.shell.noMember).waitFor();
  // The list may change before the person's rights are read again.
  await page.getByRole('row').filter({ hasText: ann }).waitFor({ state: 'detached' });
}

/** Signed out at once. */
async function isDisabled(browser: ConsoleBrowser, api: OperatorApi, organizationId: string): Promise<void> {
  await entersAs(browser, api, organizationId, carol, 'admin');
  const account = await memberId(browser, organizationId, carol);
  await api.post(`/instance/accounts/${account}/disable`, {});
  await browser.page.getByRole('button', { name: text.signIn.submit, exact: true }).waitFor();
}
