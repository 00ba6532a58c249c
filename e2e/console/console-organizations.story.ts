import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { makeWorld } from '../world.ts';
import { filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { operatorApi, signedIn } from './page-walk.ts';

const language = 'zh-CN';

type Texts = ReturnType<typeof textsOf>;

/** More than one page, so that the last one is not loaded first. */
const many = 55;
const lastName = '末尾 Last & Söhne';

test('an operator finds one of many organizations by a part of its name', { skip: withoutBrowser }, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const session = await signedIn(world, url);
    const { cookies } = await session.context.storageState();
    let last = '';
    try {
      const { post } = operatorApi(session, url);
      for (let n = 1; n < many; n++) await post('/organizations', { name: `Customer ${n}` });
      last = (await post<{ id: string }>('/organizations', { name: lastName })).id;
      await post(`/organizations/${last}/suspend`, {});
    } finally {
      await session.close();
    }
    const browser = await openBrowser({ url, language });
    try {
      await browser.context.addCookies(cookies);
      const text = textsOf(language);
      await byTheSwitcher(browser.page, text, last);
      await onTheList(browser.page, text);
      await renameAndDelete(browser.page, text);
      assert.deepEqual(browser.complaints, []);
    } finally {
      await browser.close();
    }
  } finally {
    await world.end();
  }
});

async function renameAndDelete(page: Page, text: Texts): Promise<void> {
  const named = (words: string, name: string) =>
    page.getByRole('button', { name: filled(words, { name }), exact: true });
  const dialog = page.getByRole('dialog');
  await named(text.common.renameNamed, 'Customer 2').click();
  await dialog.getByLabel(text.common.name).fill('Customer 1');
  await dialog.getByRole('button', { name: text.common.save }).click();
  // Another one has this name.
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel(text.common.name).fill('Second customer');
  await dialog.getByRole('button', { name: text.common.save }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Second customer' }).waitFor();

  await named(text.common.deleteNamed, 'Second customer').click();
  await dialog.getByRole('button', { name: text.common.delete, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Second customer' }).waitFor({ state: 'detached' });
}

async function byTheSwitcher(page: Page, text: Texts, last: string): Promise<void> {
  await page.goto(`/console/o/${last}/certificates`);
  const frame = page.locator('.sider-organization');
  const shown = text.shell.suspendedOrganization.replace('{{name}}', lastName);
  await frame.getByTitle(shown).waitFor();

  const field = frame.getByRole('combobox', { name: text.shell.organization });
  const options = page.locator('.ant-select-item-option');
  await field.fill('nobody');
  await page.getByText(text.organizations.noneFound).waitFor();
  // Enter comes at once: an option of the former list must not be chosen.
  await field.fill('CUSTOMER 42');
  await field.press('Enter');
  await options.filter({ hasText: 'Customer 42' }).waitFor();
  assert.equal(await options.count(), 1);
  assert.match(page.url(), new RegExp(last));
  // While the other organization's list loads, the former one's rows are gone.
  const held = Promise.withResolvers<void>();
  await page.getByText(text.certificates.none).waitFor();
  await page.route('**/certificates?*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await field.press('Enter');
  await frame.getByTitle('Customer 42').waitFor();
  assert.doesNotMatch(page.url(), new RegExp(last));
  await page.getByText(text.certificates.none).waitFor({ state: 'detached' });
  held.resolve();
  await page.getByText(text.certificates.none).waitFor();
  await page.unroute('**/certificates?*');

  await field.fill('söhne');
  await options.filter({ hasText: shown }).click();
  await page.waitForURL(`**/console/o/${last}/certificates`);
  await frame.getByTitle(shown).waitFor();
}

async function onTheList(page: Page, text: Texts): Promise<void> {
  await page.getByRole('link', { name: text.menu.organizations }).click();
  const search = page.getByRole('searchbox', { name: text.organizations.search, exact: true });
  await search.fill('末尾 last');
  await page.waitForURL(/search=/);
  await page.getByRole('link', { name: lastName }).waitFor();
  await page.getByRole('link', { name: 'Customer 1', exact: true }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('link', { name: lastName }).waitFor();
  assert.equal(await search.inputValue(), '末尾 last');
  await search.fill('nobody');
  await page.getByText(text.organizations.noneFound).waitFor();
  await page.getByRole('button', { name: text.common.clearFilters }).click();
  await page.getByRole('link', { name: 'Customer 1', exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, '');
}
