import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { startIdentityProvider } from '../packages/server/src/accounts/identity-provider.testing.ts';
import {
  acceptWelcome,
  addAuthenticator,
  type ConsoleBrowser,
  type ConsoleLanguage,
  consoleLanguages,
  filled,
  givePassword,
  openBrowser,
  signOut,
  textsOf,
  withoutBrowser,
} from './console-browser.ts';
import { newCookieJar } from './cookie-jar.ts';
import { freePort } from './free-port.ts';
import { operatorApi, signedIn } from './page-walk.ts';
import { makeWorld } from './world.ts';

type Texts = ReturnType<typeof textsOf>;

const email = 'operator@example.com';
const password = 'a feather in the letterbox';

for (const language of consoleLanguages) {
  test(`a passkey that is removed and sessions that are ended are good no more (${language})`, {
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
        await endsTheOtherSessions(browser, url, language, text);
        assert.deepEqual(browser.complaints, []);
      } finally {
        await browser.close();
      }
    } finally {
      await world.end();
    }
  });
}

for (const language of consoleLanguages) {
  test(`somebody known by an identity provider alone proves there that it is them (${language})`, {
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
        await page.getByRole('heading', { name: text.organizations.title }).waitFor();

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
}

/** Their first one, which needs a proof: of all that they have, only the provider can give it. */
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

/** What the server knows about the person of the page. */
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

/** The first second factor of the person, who therefore gets recovery codes. */
async function addPasskey(page: Page, text: Texts, name: string): Promise<void> {
  await addAuthenticator(page);
  await page.getByRole('link', { name: text.menu.account }).click();
  await page.getByRole('button', { name: text.account.passkeys.add }).click();
  await dialogOf(page).getByLabel(text.account.passkeys.name).fill(name);
  await dialogOf(page).getByRole('button', { name: text.common.continue }).click();
  await dialogOf(page).getByRole('button', { name: text.account.recovery.kept }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await passkeysAre(page, [name], 10);
}

async function renamePasskey(page: Page, text: Texts, former: string, name: string): Promise<void> {
  await page.getByRole('button', { name: filled(text.account.passkeys.renameNamed, { name: former }) }).click();
  await dialogOf(page).getByLabel(text.account.passkeys.name).fill(name);
  await dialogOf(page).getByRole('button', { name: text.common.save }).click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await passkeysOf(page, text).getByText(name, { exact: true }).waitFor();
  await passkeysAre(page, [name], 10);
}

/** Asked about before, and not done by whoever calls it off; a proof is asked for as it is five minutes after the last. */
async function removePasskey(page: Page, text: Texts, name: string): Promise<void> {
  const remove = page.getByRole('button', { name: filled(text.account.removeNamed, { name }) });
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
  await asked.getByRole('button', { name: text.account.remove, exact: true }).click();
  const proof = dialogOf(page).filter({ hasText: text.proof.title });
  await proof.getByLabel(text.signIn.password, { exact: true }).fill(password);
  await passkeysAre(page, [name], 10);
  await proof.getByRole('button', { name: text.common.continue }).click();
  await asked.waitFor({ state: 'detached' });
  await remove.waitFor({ state: 'detached' });
  assert.equal(await passkeysOf(page, text).getByText(name).count(), 0);
  await passkeysAre(page, [], 0);
}

/** The browser still has the passkey, and offers it in vain. The password is enough again. */
async function onlyThePasswordIsGood(page: Page, text: Texts): Promise<void> {
  await signOut(page, text);
  await page.getByRole('button', { name: text.signIn.usePasskey }).click();
  await page.getByRole('alert').getByText(text.problem.wrong_credentials.title).waitFor();
  await givePassword(page, text, email, password);
  await page.getByRole('heading', { name: text.organizations.title }).waitFor();
}

/** One by its row, then all others at once: those of another browser, and of whatever else has a cookie. */
async function endsTheOtherSessions({ page }: ConsoleBrowser, url: string, language: ConsoleLanguage, text: Texts) {
  const other = await openBrowser({ url, language });
  try {
    await other.page.goto('/console/instance/accounts');
    await other.page.getByRole('heading', { name: text.signIn.title }).waitFor();
    assert.equal(await other.page.getByText(text.signIn.ended).count(), 0, 'nobody was signed in before');
    await comesBack(other.page, text, text.instanceAccounts.title);
    await endOne(page, text);
    await other.page.getByText(text.signIn.ended).waitFor();
    // Nothing is done there, and nothing of that page is asked for by the clock: the stream of changes tells.
    await comesBack(other.page, text, text.instanceAccounts.title);

    const third = newCookieJar(url, url);
    await third.ask(200, 'POST', '/sign-in', { email, password });
    await other.page.getByRole('link', { name: text.menu.account }).click();
    await other.page.getByRole('heading', { name: text.account.title }).waitFor();
    await endAllOthers(page, text);
    await third.ask(401, 'GET', '/me');
    await comesBack(other.page, text, text.account.title);
    assert.deepEqual(other.complaints, []);
  } finally {
    await other.close();
  }
}

/** From the sign-in page to the one that was asked for. */
async function comesBack(page: Page, text: Texts, title: string): Promise<void> {
  await page.getByRole('heading', { name: text.signIn.title }).waitFor();
  await givePassword(page, text, email, password);
  await page.getByRole('heading', { name: title }).waitFor();
}

/** @returns the rows of the sessions, once there are so many, as the server has them */
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

/** What an export asks for at once. */
const largestPage = 200;
/** More than that, so that a second page has to be asked for. */
const many = largestPage + 5;

test('an export that is stopped or left makes no file, and one that is not is whole', {
  skip: withoutBrowser,
}, async (context) => {
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
      for (const language of consoleLanguages) {
        await context.test(language, async () => {
          const browser = await openBrowser({ url, language });
          try {
            await browser.context.addCookies(cookies);
            await exportsOrganizations(browser, textsOf(language), ids);
            assert.deepEqual(browser.complaints, []);
          } finally {
            await browser.close();
          }
        });
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
  // Those before are told of here: a file or message of theirs would have come first.
  assert.deepEqual(files, ['organizations.csv']);
  const [failure, ...others] = (await page.evaluate('told')) as string[];
  assert.deepEqual(others, []);
  assert.match(failure ?? '', new RegExp(text.problem.cursor_expired.title));
}

/** Every message that is shown from now on, however shortly. */
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

/** An export whose second page is held, begun by the keyboard. It tells how far it has come. */
async function beginHeld(page: Page, text: Texts): Promise<void> {
  await exportOf(page, text).press('Enter');
  const exporting = page.getByRole('button', { name: filled(text.common.exporting_other, { count: largestPage }) });
  await exporting.and(page.locator(':focus')).waitFor({ timeout: 5_000 });
}

/** Nobody waits any longer for the page that is held. */
const givenUp = (page: Page) => page.waitForEvent('requestfailed', (request) => isSecondPage(new URL(request.url())));

/** The button is what it was, and whoever works by keyboard is at it. */
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

/** Only by what it says when it fails is it known that it says nothing when it is stopped. */
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
