import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { makeWorld, type World } from '../world.ts';
import { addAuthenticator, givePassword, textsOf, withoutBrowser } from './console-browser.ts';
import { operatorApi, password, signedIn } from './page-walk.ts';

const text = textsOf('en');

test('what was typed or is shown once is not lost, and a lost connection is told', {
  skip: withoutBrowser,
}, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const browser = await signedIn(world, url);
    try {
      const { page } = browser;
      const { id } = await operatorApi(browser, url).post<{ id: string }>('/organizations', { name: 'Acme' });
      await isAskedBeforeATokenIsLeft(page, id);
      await writesOnAfterSigningInAgain(page, id);
      await keepsRecoveryCodes(page);
      await hearsThatTheServerIsGone(world, page);
    } finally {
      await browser.close();
    }
  } finally {
    await world.end();
  }
});

/** Leaves by the menu, although the token is shown only once. */
async function isAskedBeforeATokenIsLeft(page: Page, organizationId: string): Promise<void> {
  await page.goto(`/console/o/${organizationId}/messaging-keys/new`);
  await page.getByLabel(text.common.name).fill('shop');
  await page.getByRole('button', { name: text.deployments.createSubmit }).click();
  const warning = page.getByText(text.deployments.token.once);
  await warning.waitFor();
  const question = page.getByRole('dialog').filter({ hasText: text.common.leaveTitle });
  await page.getByRole('link', { name: text.menu.messages }).click();
  await question.getByRole('button', { name: text.common.stay }).click();
  await question.waitFor({ state: 'detached' });
  await warning.waitFor();
  await page.getByRole('link', { name: text.menu.messages }).click();
  await question.getByRole('button', { name: text.common.leave }).click();
  await page.getByRole('heading', { name: text.menu.messages }).waitFor();
}

async function writesOnAfterSigningInAgain(page: Page, organizationId: string): Promise<void> {
  const { send } = text.messaging;
  await page.goto(`/console/o/${organizationId}/messages/send`);
  await page.getByRole('textbox', { name: send.mobiles }).fill('+8613800138000');
  await page.getByRole('textbox', { name: send.content, exact: true }).fill('Your parcel is on its way.');
  await page.context().clearCookies();
  await page.getByRole('button', { name: send.submit, exact: true }).click();
  await page.getByText(text.signIn.ended).waitFor();
  await givePassword(page, text, 'operator@example.com', password);
  await page.waitForURL('**/messages/send');
  await page
    .getByRole('textbox', { name: send.content, exact: true })
    .and(page.getByText('Your parcel is on its way.'))
    .waitFor();
  await page.getByRole('textbox', { name: send.mobiles }).and(page.getByText('+8613800138000')).waitFor();
  // Only once: after that the form is empty.
  await page.reload();
  await page
    .getByLabel(send.content, { exact: true })
    .and(page.getByText('Your parcel'))
    .waitFor({ state: 'detached' });
}

/** Neither a key nor the way back closes them. */
async function keepsRecoveryCodes(page: Page): Promise<void> {
  const { passkeys, recovery } = text.account;
  await addAuthenticator(page);
  await page.getByRole('link', { name: text.menu.account }).click();
  await page.getByRole('button', { name: passkeys.add }).click();
  await page.getByRole('dialog').getByLabel(text.common.name).fill('key');
  await page.getByRole('dialog').getByRole('button', { name: text.common.continue }).click();
  const codes = page.getByText(recovery.once);
  await codes.waitFor();
  await page.keyboard.press('Escape');
  await page.evaluate('history.back()');
  const question = page.getByRole('dialog').filter({ hasText: text.common.leaveTitle });
  await question.getByRole('button', { name: text.common.stay }).click();
  await question.waitFor({ state: 'detached' });
  await codes.waitFor();
  await page.getByRole('button', { name: recovery.kept }).click();
  await codes.waitFor({ state: 'detached' });
}

async function hearsThatTheServerIsGone(world: World, page: Page): Promise<void> {
  const lost = page.getByText(text.shell.connectionLost);
  await world.stop();
  await lost.waitFor();
  await world.start();
  await lost.waitFor({ state: 'detached' });
}
