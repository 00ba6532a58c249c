import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { makeOpensslCa, type OpensslCa } from '../openssl-ca.ts';
import { makeWorld, mustRun, type World } from '../world.ts';
import { acceptWelcome, type ConsoleBrowser, filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';

const language = 'en';

const password = 'a wing of red wax';
const email = 'operator@example.com';

test('from the first link to a fetched certificate, in a browser', {
  skip: withoutBrowser,
}, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  try {
    await world.start();
    const ca = await makeOpensslCa(world.folder);
    await operatorStory(world, ca);
  } finally {
    await world.end();
  }
});

async function operatorStory(world: World, ca: OpensslCa): Promise<void> {
  const text = textsOf(language);
  const url = world.url.replace('127.0.0.1', 'localhost');
  const browser = await openBrowser({ url, language });
  const { page } = browser;
  try {
    await welcome(world, browser, text);
    await makeOrganization(browser, text);
    await importFiles(world, ca, browser, text);
    await downloads(world, browser, text);
    await deploy(world, browser, text);
    await viewerSeesNoForbiddenButton(url, page, text);
    assert.deepEqual(browser.complaints, []);
  } finally {
    await browser.close();
  }
}

type Texts = ReturnType<typeof textsOf>;

/** The link makes the account, and leads to the operator's first page. */
async function welcome(world: World, browser: ConsoleBrowser, text: Texts): Promise<void> {
  const { page } = browser;
  const { link } = await world.json<{ link: string }>('operator', 'create', '--email', email);
  await page.goto('/');
  await page.getByRole('heading', { name: text.signIn.title }).waitFor();
  await browser.checkAccess('sign in');
  await page.getByLabel(text.signIn.email).fill(email);
  await page.getByLabel(text.signIn.password, { exact: true }).fill('wrong password');
  await page.getByRole('button', { name: text.signIn.submit, exact: true }).click();
  await page.getByText(text.problem.wrong_credentials.title).waitFor();

  await page.goto(link);
  await page.getByLabel(text.welcome.newPassword).waitFor();
  await browser.checkAccess('welcome');
  await acceptWelcome(browser, link, password, text);
  await page.getByRole('heading', { name: text.menu.organizations }).waitFor();
  assert.ok(!page.url().includes('token='), 'the token has left the address');
}

async function makeOrganization(browser: ConsoleBrowser, text: Texts): Promise<void> {
  const { page } = browser;
  await page.getByText(text.organizations.none).waitFor();
  await browser.checkAccess('no organization');
  await page.getByRole('button', { name: text.organizations.create }).first().click();
  await page.getByRole('dialog').getByLabel(text.shell.organization).fill('Acme');
  await browser.checkAccess('new organization');
  await page.getByRole('dialog').getByRole('button', { name: text.organizations.createSubmit }).click();
  await page.getByText(text.certificates.none).waitFor();
  await browser.checkAccess('no certificate');
}

/** First with a key that does not fit: it names the fault and stores nothing. Then with the right one. */
async function importFiles(world: World, ca: OpensslCa, browser: ConsoleBrowser, text: Texts): Promise<void> {
  const { page } = browser;
  const { import: words } = text.certificates;
  const good = await ca.issue('shop', ['shop.example.test', 'www.shop.example.test', 'api.shop.example.test']);
  const other = await ca.issue('other', ['other.example.test']);
  const damaged = world.path('damaged.pem');
  writeFileSync(damaged, readFileSync(ca.intermediate, 'utf8').replace('M', '!'));

  await page.getByRole('button', { name: words.button }).first().click();
  await page.getByRole('heading', { name: words.title }).waitFor();
  const input = page.locator('input[type=file]');
  await input.setInputFiles([good.certificate, damaged, other.key]);
  await page.getByRole('button', { name: words.submit, exact: true }).click();
  await page.locator('.dropped-file.at-fault', { hasText: 'damaged.pem' }).waitFor();
  await browser.checkAccess('import with faults');
  await browser.picture(`${language}-import-faults`);

  for (const name of ['damaged.pem', 'other.key']) {
    await page.getByRole('button', { name: filled(text.common.removeNamed, { name }) }).click();
  }
  await input.setInputFiles([ca.intermediate, good.key]);
  await page.getByRole('button', { name: words.submit, exact: true }).click();
  await page.getByRole('button', { name: text.certificates.review.store, exact: true }).click();
  await page.getByRole('heading', { name: words.done }).waitFor();
  await browser.checkAccess('imported');
  await page.getByRole('link', { name: text.menu.certificateManagement }).click();
  await page.getByRole('link', { name: 'shop.example.test', exact: true }).waitFor();
  await browser.checkAccess('certificates');
}

/** From the row: the chain, and PKCS#12 with a password after a proof. The saved file opens. */
async function downloads(world: World, browser: ConsoleBrowser, text: Texts): Promise<void> {
  const { page } = browser;
  const { download: words } = text.certificates;
  const row = page.getByRole('row').filter({ hasText: 'shop.example.test' });

  await row.getByRole('button', { name: filled(words.named, { name: 'shop.example.test' }) }).click();
  const chain = await savedBy(page, page.getByRole('menuitem', { name: words.chain }), world.path('chain.pem'));
  assert.equal(readFileSync(chain, 'utf8').split('-----BEGIN CERTIFICATE-----').length - 1, 2);

  // As five minutes later: the first try is refused.
  await page.route(
    '**/export',
    (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify({ title: 'Forbidden', status: 403, code: 'reauthentication_required', detail: 'x' }),
      }),
    { times: 1 },
  );
  await row.getByRole('button', { name: filled(words.named, { name: 'shop.example.test' }) }).click();
  await page.getByRole('menuitem', { name: words.pkcs12 }).click();
  await page.getByLabel(words.password).fill('open sesame');
  await browser.checkAccess('password of a PKCS#12 file');
  const ok = page.getByRole('dialog').getByRole('button', { name: words.button });
  await ok.click();
  const proof = page.getByRole('dialog').filter({ hasText: text.proof.title });
  await proof.getByLabel(text.signIn.password, { exact: true }).fill(password);
  await browser.checkAccess('proof');
  const bag = await savedBy(page, proof.getByRole('button', { name: text.common.continue }), world.path('shop.p12'));
  const shown = await mustRun('openssl', ['pkcs12', '-in', bag, '-passin', 'pass:open sesame', '-nodes']);
  assert.match(shown, /-----BEGIN PRIVATE KEY-----/);
  await page.getByRole('dialog').first().waitFor({ state: 'hidden' });
}

async function savedBy(page: Page, button: Locator, path: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  await download.saveAs(path);
  return path;
}

/** Deploy → server deployment → token, once; and curl gets the certificate with it. */
async function deploy(world: World, browser: ConsoleBrowser, text: Texts): Promise<void> {
  const { page } = browser;
  const { deployments: words } = text;
  await page
    .getByRole('button', { name: filled(text.certificates.deployNamed, { name: 'shop.example.test' }) })
    .click();
  await page.getByRole('heading', { name: words.create }).waitFor();
  await page.getByText(words.emptyAllowList).waitFor();
  await page.getByLabel(text.common.name).fill('web-01');
  await page.getByRole('combobox', { name: words.allowList }).fill('0.0.0.0/0 ');
  await page.getByText(words.openAllowList).waitFor();
  await browser.checkAccess('deploy');
  await page.locator('.ant-select-selection-item-remove').click();
  await page.getByRole('button', { name: words.addMyAddress }).click();
  await page.getByText('127.0.0.1').waitFor();
  await page.getByRole('button', { name: words.createSubmit }).click();
  await page.getByText(words.token.once).waitFor();
  await browser.checkAccess('token');
  await browser.picture(`${language}-token`);

  const [keep = '', curl = ''] = await page.getByRole('tabpanel').locator('pre').allTextContents();
  const token = /wxd_\w+/.exec(await page.locator('.command pre').first().innerText())?.[0] ?? '';
  await mustRun('bash', ['-c', `cd ${world.folder}\n${keep}\n${curl}`]);
  const { data } = JSON.parse(readFileSync(world.path('site.json'), 'utf8')) as {
    data: { certificate_info: { domains: string[] } };
  };
  assert.equal(data.certificate_info.domains[0], 'shop.example.test');
  assert.match(readFileSync(world.path('site.key'), 'utf8'), /PRIVATE KEY/);

  await page.getByRole('button', { name: words.tokenKept }).click();
  await page.getByRole('heading', { name: 'web-01', exact: true }).waitFor();
  assert.ok(!(await page.content()).includes(token), 'the token is shown once');
  await page.getByRole('cell', { name: '127.0.0.1' }).first().waitFor();
  await browser.checkAccess('deployment');

  await page.getByRole('switch', { name: words.switches.permitted }).click();
  await page.getByText(words.notPermitted).waitFor();
  await page.getByRole('button', { name: words.rotate.button }).click();
  await page.getByRole('dialog').getByRole('button', { name: words.rotate.button }).click();
  await page.getByRole('dialog').getByText(words.token.once).waitFor();
  await browser.checkAccess('rotated');
  await page.getByRole('dialog').getByRole('button', { name: words.tokenKept }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

async function viewerSeesNoForbiddenButton(url: string, page: Page, text: Texts) {
  await page.getByRole('link', { name: text.menu.members }).click();
  await page.getByRole('button', { name: text.members.invite }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(text.signIn.email).fill('viewer@example.com');
  await dialog.getByLabel(text.members.role).click();
  await page.locator('.ant-select-item-option').filter({ hasText: text.roles.viewer }).first().click();
  await dialog.getByRole('button', { name: text.members.inviteSubmit }).click();
  await page.getByText(text.members.linkOnce).waitFor();
  const link = (await page.getByRole('dialog').locator('pre').innerText()).trim();

  const viewer = await openBrowser({ url, language });
  try {
    await acceptWelcome(viewer, link, 'only looking at it', text);
    const row = viewer.page.getByRole('row').filter({ hasText: 'shop.example.test' });
    await row.waitFor();
    await viewer.checkAccess('certificates of a viewer');
    for (const name of [text.certificates.import.button, text.certificates.deploy]) {
      assert.equal(await viewer.page.getByRole('button', { name }).count(), 0, name);
    }
    assert.equal(await viewer.page.getByRole('link', { name: text.menu.organizations }).count(), 0);
    await row
      .getByRole('button', { name: filled(text.certificates.download.named, { name: 'shop.example.test' }) })
      .click();
    await viewer.page.getByRole('menuitem', { name: text.certificates.download.chain }).waitFor();
    assert.equal(await viewer.page.getByRole('menuitem', { name: text.certificates.download.pkcs12 }).count(), 0);
    assert.deepEqual(viewer.complaints, []);
  } finally {
    await viewer.close();
  }
}
