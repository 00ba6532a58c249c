import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { totpCode } from '../totp-code.ts';
import { makeWorld } from '../world.ts';
import {
  acceptWelcome,
  addAuthenticator,
  filled,
  givePassword,
  openBrowser,
  signOut,
  textsOf,
  withoutBrowser,
} from './console-browser.ts';

const language = 'en';

const email = 'operator@example.com';
const password = 'a wing of red wax';

test('a second factor, recovery codes and a passkey, in a browser', {
  skip: withoutBrowser,
}, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  const text = textsOf(language);
  try {
    await world.start();
    const { link } = await world.json<{ link: string }>('operator', 'create', '--email', email);
    const browser = await openBrowser({ url: world.url.replace('127.0.0.1', 'localhost'), language });
    const { page } = browser;
    try {
      await acceptWelcome(browser, link, password, text);

      const secret = await enrolTotp(page, text);
      await browser.checkAccess('account with an authenticator');
      await signOut(page, text);
      await givePassword(page, text, email, password);
      await page.getByRole('heading', { name: text.signIn.secondFactor }).waitFor();
      await browser.checkAccess('second factor');
      // The code of the enrolment was accepted once; the next one is that of the next half minute.
      await page.getByLabel(text.signIn.code).fill(totpCode(secret, Date.now() + 30_000));
      await page.getByRole('button', { name: text.signIn.submit, exact: true }).click();
      await page.getByRole('heading', { name: text.menu.organizations }).waitFor();

      await addPasskey(page, text);
      await signOut(page, text);
      await page.getByRole('button', { name: text.signIn.usePasskey }).click();
      await page.getByRole('heading', { name: text.menu.organizations }).waitFor();
      assert.deepEqual(browser.complaints, []);
    } finally {
      await browser.close();
    }
  } finally {
    await world.end();
  }
});

type Texts = ReturnType<typeof textsOf>;

/** @returns the secret, in base32 */
async function enrolTotp(page: Page, text: Texts): Promise<string> {
  await page.getByRole('link', { name: text.menu.account }).click();
  await page.getByRole('button', { name: text.account.totp.enrol }).click();
  const dialog = page.getByRole('dialog');
  const secret = (await dialog.locator('pre').innerText()).trim();
  await dialog.getByLabel(text.signIn.code).fill(totpCode(secret, Date.now()));
  await dialog.getByRole('button', { name: text.account.totp.confirm }).click();
  await page.getByText(text.account.recovery.once).waitFor();
  const codes = (await page.getByRole('dialog').locator('pre').innerText()).trim().split('\n');
  assert.equal(codes.length, 10);
  await page.getByRole('button', { name: text.account.recovery.kept }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  return secret;
}

async function addPasskey(page: Page, text: Texts): Promise<void> {
  await addAuthenticator(page);
  await page.getByRole('link', { name: text.menu.account }).click();
  await page.getByRole('button', { name: text.account.passkeys.add }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(text.common.name).fill('Laptop');
  await dialog.getByRole('button', { name: text.common.continue }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('Laptop').waitFor();
  await page.getByRole('button', { name: filled(text.common.renameNamed, { name: 'Laptop' }) }).click();
  await dialog.getByLabel(text.common.name).fill('Laptop at home');
  await dialog.getByLabel(text.common.name).press('Enter');
  // The title of the dialog contains the name as well.
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('Laptop at home').waitFor();
}
