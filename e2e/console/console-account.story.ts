import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { startIdentityProvider } from '../../packages/server/src/accounts/sign-in/identity-provider.testing.ts';
import { newCookieJar } from '../cookie-jar.ts';
import { freePort } from '../free-port.ts';
import { makeWorld } from '../world.ts';
import {
  acceptWelcome,
  addAuthenticator,
  type ConsoleBrowser,
  filled,
  givePassword,
  openBrowser,
  signOut,
  textsOf,
  withoutBrowser,
} from './console-browser.ts';
import { operatorApi, signedIn } from './page-walk.ts';

const language = 'zh-CN';

type Texts = ReturnType<typeof textsOf>;

const email = 'operator@example.com';
const password = 'a feather in the letterbox';

test('a passkey that is removed and sessions that are ended are good no more', {
  skip: withoutBrowser,
}, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  const text = textsOf(language);
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const { link } = await world.json<{ link: string }>('operator', 'create', '--email', email);
    const browser = await openBrowser({ url, language });
    try {
      await acceptWelcome(browser, link, password, text);
      await addPasskey(browser.page, text, 'Laptop');
      await renamePasskey(browser.page, text, 'Laptop', 'Laptop at home');
      await removePasskey(browser.page, text, 'Laptop at home');
      await onlyThePasswordIsGood(browser.page, text);
      await endsTheOtherSessions(browser, url, text);
      assert.deepEqual(browser.complaints, []);
    } finally {
      await browser.close();
    }
  } finally {
    await world.end();
  }
});

test('somebody known by an identity provider alone proves there that it is them', {
  skip: withoutBrowser,
}, async (t) => {
  const provider = await startIdentityProvider(t);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const world = await makeWorld('sqlite', {
    WAXWING_LISTEN: `127.0.0.1:${port}`,
    WAXWING_BASE_URL: url,
    WAXWING_OIDC_ISSUER: provider.issuer,
    WAXWING_OIDC_CLIENT_ID: provider.clientId,
    WAXWING_OIDC_CLIENT_SECRET: provider.clientSecret,
    WAXWING_OIDC_ALLOWED_DOMAINS: 'example.com',
    WAXWING_OIDC_ROLES: 'ops=operator',
  });
  const text = textsOf(language);
  const person = { sub: 'u1', email, groups: ['ops'] };
  /** As it signs somebody in whom it knows already, without a question; and as it asks, where that is wanted. */
  const says = { whenAsked: {} as Readonly<Record<string, unknown>> };
  try {
    await world.start();
    const browser = await openBrowser({ url, language });
    const { page } = browser;
    try {
      await page.route(`${provider.issuer}/authorize**`, async (route) => {
        const asked = new URL(route.request().url());
        const isAsked = asked.searchParams.get('prompt') === 'login';
        const back = provider.authorize(asked, { ...person, ...(isAsked && says.whenAsked) });
        await route.fulfill({
          status: 302,
          headers: { location: asked.searchParams.get('redirect_uri') + back },
        });
      });
      await page.goto('/console/sign-in');
      await page.getByRole('button', { name: text.signIn.useSso }).click();
      await page.getByRole('heading', { name: text.menu.organizations }).waitFor();

      await setsPassword(page, text);
      await page.waitForURL('**/console/sign-in**');
      await page.getByRole('alert').getByText(text.proof.notProven).waitFor();
      await browser.checkAccess('proof-not-given');

      says.whenAsked = { auth_time: Math.floor(Date.now() / 1000) };
      await setsPassword(page, text);
      await page.waitForURL('**/console/account');
      await page.getByRole('button', { name: text.account.password.set }).waitFor();
      await newPassword(page, text);
      await page.getByRole('button', { name: text.account.password.change }).waitFor();
      // The browser is led there and back, and complains of nothing else.
      const leftFor = `request to ${provider.issuer}/authorize?`;
      const others = browser.complaints.filter((complaint) => !complaint.startsWith(leftFor));
      assert.deepEqual([others, browser.complaints.length], [[], 3]);
    } finally {
      await browser.close();
    }
  } finally {
    await world.end();
  }
});

/** The first password needs a confirmed identity, which only the provider can give. */
async function setsPassword(page: Page, text: Texts): Promise<void> {
  await page.goto('/console/account');
  await newPassword(page, text);
  const proof = dialogOf(page).filter({ hasText: text.proof.title });
  await proof.getByText(text.proof.bySso).waitFor();
  assert.equal(await proof.getByText(text.proof.nothing).count(), 0);
  await proof.getByRole('button', { name: text.signIn.useSso }).click();
}

async function newPassword(page: Page, text: Texts): Promise<void> {
  await page.getByRole('button', { name: text.account.password.set }).click();
  await page.getByLabel(text.welcome.newPassword).fill(password);
  await page.getByLabel(text.welcome.newPassword).press('Enter');
}

interface Factors {
  readonly passkeys: readonly { readonly name: string }[];
  readonly recovery_codes_left: number;
}

/** The server's facts about the person of the page. */
async function own<T>(page: Page, path: string): Promise<T> {
  const answer = await page.context().request.get(`/api/v1/me/${path}`);
  assert.equal(answer.status(), 200, await answer.text());
  return (await answer.json()) as T;
}

async function passkeysAre(page: Page, names: readonly string[], recoveryCodes: number): Promise<void> {
  const { passkeys, recovery_codes_left } = await own<Factors>(page, 'factors');
  assert.deepEqual([passkeys.map(({ name }) => name), recovery_codes_left], [names, recoveryCodes]);
}

const dialogOf = (page: Page): Locator => page.getByRole('dialog');
const passkeysOf = (page: Page, { account }: Texts) => page.getByRole('region', { name: account.passkeys.title });

/** The person's first second factor, with recovery codes. */
async function addPasskey(page: Page, text: Texts, name: string): Promise<void> {
  await addAuthenticator(page);
  await page.getByRole('link', { name: text.menu.account }).click();
  await page.getByRole('button', { name: text.account.passkeys.add }).click();
  await dialogOf(page).getByLabel(text.common.name).fill(name);
  await dialogOf(page).getByRole('button', { name: text.common.continue }).click();
  await dialogOf(page).getByRole('button', { name: text.account.recovery.kept }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await passkeysAre(page, [name], 10);
}

async function renamePasskey(page: Page, text: Texts, former: string, name: string): Promise<void> {
  await page.getByRole('button', { name: filled(text.common.renameNamed, { name: former }) }).click();
  await dialogOf(page).getByLabel(text.common.name).fill(name);
  await dialogOf(page).getByRole('button', { name: text.common.save }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await passkeysOf(page, text).getByText(name, { exact: true }).waitFor();
  await passkeysAre(page, [name], 10);
}

/** Asks before it removes. Cancelling keeps the passkey; a proof is needed as five minutes after the last. */
async function removePasskey(page: Page, text: Texts, name: string): Promise<void> {
  const remove = page.getByRole('button', { name: filled(text.common.removeNamed, { name }) });
  const asked = dialogOf(page).filter({ hasText: filled(text.account.passkeys.removeTitle, { name }) });
  await remove.click();
  await asked.getByRole('button', { name: text.common.cancel }).click();
  await asked.waitFor({ state: 'detached' });
  await passkeysAre(page, [name], 10);

  await page.route(
    '**/me/passkeys/*',
    (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify({ title: 'Forbidden', status: 403, code: 'reauthentication_required', detail: 'x' }),
      }),
    { times: 1 },
  );
  await remove.click();
  await asked.getByRole('button', { name: text.common.remove, exact: true }).click();
  const proof = dialogOf(page).filter({ hasText: text.proof.title });
  await proof.getByLabel(text.signIn.password, { exact: true }).fill(password);
  await passkeysAre(page, [name], 10);
  await proof.getByRole('button', { name: text.common.continue }).click();
  await asked.waitFor({ state: 'detached' });
  await remove.waitFor({ state: 'detached' });
  assert.equal(await passkeysOf(page, text).getByText(name).count(), 0);
  await passkeysAre(page, [], 0);
}

/** The browser still offers the passkey, without success. The password is enough again. */
async function onlyThePasswordIsGood(page: Page, text: Texts): Promise<void> {
  await signOut(page, text);
  await page.getByRole('button', { name: text.signIn.usePasskey }).click();
  await page.getByRole('alert').getByText(text.problem.wrong_credentials.title).waitFor();
  await givePassword(page, text, email, password);
  await page.getByRole('heading', { name: text.menu.organizations }).waitFor();
}

/** One by its row, then all others at once: those of another browser, and of whatever else has a cookie. */
async function endsTheOtherSessions({ page }: ConsoleBrowser, url: string, text: Texts) {
  const other = await openBrowser({ url, language });
  try {
    await other.page.goto('/console/instance/accounts');
    await other.page.getByRole('heading', { name: text.signIn.title }).waitFor();
    assert.equal(await other.page.getByText(text.signIn.ended).count(), 0, 'nobody was signed in before');
    await comesBack(other.page, text, text.instanceAccounts.title);
    await endOne(page, text);
    await other.page.getByText(text.signIn.ended).waitFor();
    // The page does nothing by the clock: the stream of changes tells it.
    await comesBack(other.page, text, text.instanceAccounts.title);

    const third = newCookieJar(url, url);
    await third.ask(200, 'POST', '/sign-in', { email, password });
    await other.page.getByRole('link', { name: text.menu.account }).click();
    await other.page.getByRole('heading', { name: text.menu.account }).waitFor();
    await endAllOthers(page, text);
    await third.ask(401, 'GET', '/me');
    await comesBack(other.page, text, text.menu.account);
    assert.deepEqual(other.complaints, []);
  } finally {
    await other.close();
  }
}

/** From the sign-in page to the wanted page. */
async function comesBack(page: Page, text: Texts, title: string): Promise<void> {
  await page.getByRole('heading', { name: text.signIn.title }).waitFor();
  await givePassword(page, text, email, password);
  await page.getByRole('heading', { name: title }).waitFor();
}

/** @returns the rows of the sessions, once there are this many */
async function sessionRows(page: Page, text: Texts, count: number): Promise<Locator> {
  const rows = page.getByRole('region', { name: text.account.sessions.title }).getByRole('listitem');
  await rows.nth(count - 1).waitFor();
  await rows.nth(count).waitFor({ state: 'detached' });
  const { items } = await own<{ items: readonly { current: boolean }[] }>(page, 'sessions');
  assert.deepEqual([items.length, items.filter(({ current }) => current).length], [count, 1]);
  return rows;
}

async function endOne(page: Page, text: Texts): Promise<void> {
  const { sessions } = text.account;
  await page.goto('/console/account');
  const rows = await sessionRows(page, text, 2);
  assert.equal(await rows.filter({ hasText: sessions.current }).getByRole('button').count(), 0);
  await rows.filter({ hasNotText: sessions.current }).getByRole('button').click();
  await dialogOf(page).getByRole('button', { name: sessions.end, exact: true }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await sessionRows(page, text, 1);
}

async function endAllOthers(page: Page, text: Texts): Promise<void> {
  const { sessions } = text.account;
  const endOthers = page.getByRole('button', { name: sessions.endOthers });
  assert.equal(await endOthers.count(), 0, 'where there is none');
  await page.reload();
  await sessionRows(page, text, 3);
  await endOthers.click();
  await dialogOf(page).getByRole('button', { name: sessions.endOthers }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await sessionRows(page, text, 1);
  await endOthers.waitFor({ state: 'detached' });
}

/** An export's page size. */
const largestPage = 200;
/** A second page is needed. */
const many = largestPage + 5;

test('an export that is stopped or left makes no file, and one that is not is whole', {
  skip: withoutBrowser,
}, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const operator = await signedIn(world, url);
    const ids: string[] = [];
    try {
      const { post } = operatorApi(operator, url);
      for (let n = 1; n <= many; n++)
        ids.push((await post<{ id: string }>('/organizations', { name: `Customer ${n}` })).id);
      const { cookies } = await operator.context.storageState();
      const browser = await openBrowser({ url, language });
      try {
        await browser.context.addCookies(cookies);
        await exportsOrganizations(browser, textsOf(language), ids);
        assert.deepEqual(browser.complaints, []);
      } finally {
        await browser.close();
      }
    } finally {
      await operator.close();
    }
  } finally {
    await world.end();
  }
});

async function exportsOrganizations({ page }: ConsoleBrowser, text: Texts, ids: readonly string[]): Promise<void> {
  const files: string[] = [];
  page.on('download', (download) => files.push(download.suggestedFilename()));
  await page.goto('/console/organizations');
  await page.getByRole('link', { name: 'Customer 1', exact: true }).waitFor();
  await noteMessages(page);

  await page.route(isSecondPage, () => undefined);
  await isStopped(page, text);
  await isLeft(page, text);
  await page.unroute(isSecondPage);
  await fails(page, text);
  await isWhole(page, text, ids);
  // A file or message of a stopped export would have come before this one.
  assert.deepEqual(files, ['organizations.csv']);
  const [failure, ...others] = (await page.evaluate('told')) as string[];
  assert.deepEqual(others, []);
  assert.match(failure ?? '', new RegExp(text.problem.cursor_expired.title));
}

/** Notes every message from now on, however short. */
async function noteMessages(page: Page): Promise<void> {
  await page.evaluate(`
    globalThis.told = [];
    const isNotice = (node) => node instanceof Element && node.matches('.ant-message-notice');
    new MutationObserver((changes) => {
      for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
        const within = node instanceof Element ? [node, ...node.querySelectorAll('*')] : [];
        told.push(...within.filter(isNotice).map(({ textContent }) => textContent));
      }
    }).observe(document.body, { childList: true, subtree: true });
  `);
}

function isSecondPage({ pathname, searchParams }: URL): boolean {
  return (
    pathname === '/api/v1/organizations' &&
    searchParams.get('limit') === String(largestPage) &&
    searchParams.has('cursor')
  );
}

const exportOf = (page: Page, { common }: Texts) => page.getByRole('button', { name: common.exportCsv });
const stopOf = (page: Page, { common }: Texts) => page.getByRole('button', { name: common.stopExport });

/** Starts an export by keyboard and holds its second page. It shows its progress. */
async function beginHeld(page: Page, text: Texts): Promise<void> {
  await exportOf(page, text).press('Enter');
  const exporting = page.getByRole('button', { name: filled(text.common.exporting_other, { count: largestPage }) });
  await exporting.and(page.locator(':focus')).waitFor({ timeout: 5_000 });
}

/** The held page is not needed any more. */
const givenUp = (page: Page) => page.waitForEvent('requestfailed', (request) => isSecondPage(new URL(request.url())));

/** The button is back, with the keyboard focus. */
async function isStopped(page: Page, text: Texts): Promise<void> {
  const head = page.locator('.page-head');
  const before = await head.ariaSnapshot();
  await beginHeld(page, text);
  await Promise.all([givenUp(page), stopOf(page, text).press('Enter')]);
  await stopOf(page, text).waitFor({ state: 'detached' });
  await exportOf(page, text).and(page.locator(':focus:not(.ant-btn-loading)')).waitFor({ timeout: 5_000 });
  assert.equal(await head.ariaSnapshot(), before);
}

async function isLeft(page: Page, text: Texts): Promise<void> {
  await beginHeld(page, text);
  await Promise.all([givenUp(page), page.getByRole('link', { name: text.menu.health }).click()]);
  await page.getByRole('heading', { name: text.instanceHealth.title }).waitFor();
  await page.getByRole('link', { name: text.menu.organizations }).click();
  await exportOf(page, text).waitFor();
}

/** The message of a failure shows that a stop has none. */
async function fails(page: Page, text: Texts): Promise<void> {
  await page.route(
    isSecondPage,
    (route) =>
      route.fulfill({
        status: 410,
        contentType: 'application/problem+json',
        body: JSON.stringify({ title: 'Gone', status: 410, code: 'cursor_expired', detail: 'x' }),
      }),
    { times: 1 },
  );
  await exportOf(page, text).click();
  await page.getByText(text.problem.cursor_expired.title).waitFor();
  await stopOf(page, text).waitFor({ state: 'detached' });
}

/** The head, and each organization once, with its id in the last column. */
async function isWhole(page: Page, text: Texts, ids: readonly string[]): Promise<void> {
  const coming = page.waitForEvent('download');
  await exportOf(page, text).click();
  const csv = await readFile(await (await coming).path(), 'utf8');
  const lines = csv.split('\r\n');
  assert.equal(lines.pop(), '', 'the last line has its end');
  assert.equal(lines.length, many + 1);
  const [head, ...rows] = lines.map((line) => line.split(','));
  assert.equal(head?.at(-1), 'id');
  assert.deepEqual(rows.map((cells) => cells.at(-1)).sort(), [...ids].sort());
}
