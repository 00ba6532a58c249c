import assert from 'node:assert/strict';
import type { Locator, Page, Request } from 'playwright-core';
import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import { totpCode } from '../totp-code.ts';
import { filled } from './console-browser.ts';
import { type OperatorApi, type PageLook, pageStory, password } from './page-walk.ts';

pageStory('every dialog of certificates and accounts is readable, complete and quiet', {
  furnish,
  before: signInSteps,
  async visit(look, places) {
    await certificateDialogs(look, places);
    await importing(look, places);
    await deploying(look, places);
    await deploymentDialogs(look, places);
    await peopleDialogs(look, places);
    await accountDialogs(look);
    await frameMenus(look);
  },
});

const domain = 'shop.example.com';

interface Places {
  readonly organization: string;
  readonly certificate: string;
  readonly deployment: string;
  /** Never accepted. */
  readonly invitation: string;
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** An organization with a certificate, a deployment, a member and an invited person. */
async function furnish({ url, post }: OperatorApi): Promise<Places> {
  const { id: organization } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const of = `/organizations/${organization}`;
  const ca = makeTrialCa({ now: Date.now(), commonName: 'Example Issuing CA 1' });
  const { chainPem, keyPem } = ca.issue({ domains: [domain, `www.${domain}`] });
  const files = [
    { name: 'chain.pem', text: chainPem },
    { name: 'key.pem', text: keyPem },
  ];
  const { id: certificate } = await post<{ id: string }>(`${of}/certificates`, { files });
  await post(`${of}/certificates`, { onto: certificate, files });
  const { id: deployment } = await post<{ id: string }>(`${of}/deployments`, {
    certificate_id: certificate,
    name: 'web-01',
    allow: ['127.0.0.1'],
  });
  const invite = (email: string) => post<{ link: string }>(`${of}/invitations`, { email, role: 'developer' });
  const { link } = await invite('member@example.com');
  // Another person, without the operator's cookies.
  await fetch(`${url}/api/v1/links/accept`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ token: new URLSearchParams(new URL(link).hash.slice(1)).get('token'), password }),
  });
  const { link: invitation } = await invite('colleague@example.com');
  return { organization, certificate, deployment, invitation, files };
}

const dialogOf = (page: Page): Locator => page.getByRole('dialog');

async function open(page: Page, button: Locator): Promise<Locator> {
  await button.first().click();
  await dialogOf(page).first().waitFor();
  return dialogOf(page).first();
}

/** The keyboard focus returns to the opening button. */
async function closeDialog({ browser: { page }, text }: PageLook, opener: Locator, by: 'button' | 'key' = 'button') {
  if (by === 'key') await page.keyboard.press('Escape');
  else await dialogOf(page).first().getByRole('button', { name: text.common.cancel }).click();
  await dialogOf(page).first().waitFor({ state: 'detached' });
  await hasFocusAgain(page, opener);
}

const hasFocusAgain = (page: Page, opener: Locator) =>
  opener.first().and(page.locator(':focus')).waitFor({ timeout: 5_000 });

/** Before the sign-in: a wrong password, the second factor, an invitation. */
async function signInSteps({ browser: { page }, text, look }: PageLook, { invitation }: Places): Promise<void> {
  const submit = page.getByRole('button', { name: text.signIn.submit, exact: true });
  await page.goto('/console/sign-in');
  await page.getByLabel(text.signIn.email).fill('operator@example.com');
  await submit.click();
  await page.getByText(text.common.required).waitFor();
  await look('sign-in-incomplete');
  await page.getByLabel(text.signIn.password, { exact: true }).fill('not the password');
  await submit.click();
  await page.getByRole('alert').first().waitFor();
  await look('sign-in-refused');

  // The operator has no second factor. A made-up answer of a person with one is enough here.
  await page.route('**/api/v1/sign-in', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          contentType: 'application/json',
          body: JSON.stringify({ state: 'second_factor', factors: ['totp', 'passkey', 'recovery_code'] }),
        })
      : route.continue(),
  );
  await submit.click();
  await page.getByRole('heading', { name: text.signIn.secondFactor }).waitFor();
  await look('sign-in-second-factor');
  await page.getByRole('button', { name: text.signIn.useRecoveryCode }).click();
  await page.getByLabel(text.signIn.recoveryCode).waitFor();
  await look('sign-in-recovery-code');
  await page.unroute('**/api/v1/sign-in');

  // By the identity provider: a person with a second factor, and a made-up address with foreign words.
  await page.goto('/console/sign-in#factors=totp,recovery_code');
  await page.getByRole('heading', { name: text.signIn.secondFactor }).waitFor();
  await page.goto('/console/sign-in');
  await page.goto(`/console/sign-in#error=${encodeURIComponent('Call this number')}`);
  await page.reload();
  await page.getByRole('alert').getByText(text.problem.sso_refused.title).waitFor();
  await look('sign-in-by-provider-refused');

  await page.goto(invitation);
  await page.getByLabel(text.welcome.newPassword).fill('one password');
  await page.getByLabel(text.welcome.again).fill('another one');
  await page.getByRole('button', { name: text.welcome.submit }).click();
  await page.getByText(text.welcome.differs).waitFor();
  await look('invitation');
}

async function certificateDialogs(pageLook: PageLook, { organization, certificate }: Places): Promise<void> {
  const { browser, text, look } = pageLook;
  const { page } = browser;
  const { download: words, revoke } = text.certificates;
  await page.goto(`/console/o/${organization}/certificates`);
  await page.getByRole('button', { name: filled(words.named, { name: domain }) }).click();
  await page.getByRole('menuitem', { name: words.pkcs12 }).waitFor();
  await look('download-menu');

  // As five minutes later: the server needs a confirmed identity.
  await page.route('**/export', (route) =>
    route.fulfill({
      status: 403,
      contentType: 'application/problem+json',
      body: JSON.stringify({ title: 'Forbidden', status: 403, code: 'reauthentication_required', detail: 'x' }),
    }),
  );
  await page.getByRole('menuitem', { name: words.pkcs12 }).click();
  await page.getByLabel(words.password).fill('open sesame');
  await look('download-password');
  await dialogOf(page).getByRole('button', { name: words.button }).click();
  const proof = dialogOf(page).filter({ hasText: text.proof.title });
  await proof.getByLabel(text.signIn.password, { exact: true }).waitFor();
  await look('proof');
  await page.route('**/me/factors', (route) =>
    route.fulfill({
      contentType: 'application/json',
      body: JSON.stringify({ password: false, totp: null, passkeys: [], recovery_codes_left: 0, sso: null }),
    }),
  );
  await page.reload();
  await page.getByRole('button', { name: filled(words.named, { name: domain }) }).click();
  await page.getByRole('menuitem', { name: words.pem }).click();
  await proof.getByText(text.proof.nothing).waitFor();
  await look('proof-by-nothing');
  await page.unroute('**/me/factors');
  await page.unroute('**/export');

  await page.goto(`/console/o/${organization}/certificates/${certificate}`);
  const revokeAll = page.getByRole('button', { name: revoke.button });
  await open(page, revokeAll);
  await look('revoke-certificate');
  await closeDialog(pageLook, revokeAll);
  const rename = page.getByRole('button', { name: filled(text.common.renameNamed, { name: domain }) });
  await open(page, rename);
  await look('rename-certificate');
  await closeDialog(pageLook, rename);
  const remove = page.getByRole('button', { name: text.common.delete });
  await (await open(page, remove)).getByRole('button', { name: text.common.delete, exact: true }).click();
  // It has a deployment.
  await dialogOf(page).getByRole('alert').waitFor();
  await look('delete-certificate-refused');
  await closeDialog(pageLook, remove);
  const revokeVersion = page.getByRole('row').or(page.locator('.card')).getByRole('button', { name: revoke.button });
  await open(page, revokeVersion);
  await look('revoke-version');
  await closeDialog(pageLook, revokeVersion, 'key');
}

async function importing({ browser, text, look }: PageLook, { organization, certificate, files }: Places) {
  const { page } = browser;
  const { import: words } = text.certificates;
  const input = page.locator('input[type=file]');
  const chosen = files.map((file) => ({
    name: file.name,
    mimeType: 'application/x-pem-file',
    buffer: Buffer.from(file.text),
  }));
  await page.goto(`/console/o/${organization}/certificates/import`);
  await input.setInputFiles([
    ...chosen,
    { name: 'damaged.pem', mimeType: 'application/x-pem-file', buffer: Buffer.from('-----BEGIN CERTIFICATE-----\n!') },
  ]);
  await page.getByText('damaged.pem').waitFor();
  await look('import-chosen');
  await page.getByRole('button', { name: words.submit, exact: true }).click();
  await page.locator('.dropped-file.at-fault').first().waitFor();
  await look('import-faults');

  await page.goto(`/console/o/${organization}/certificates/import?onto=${certificate}`);
  await input.setInputFiles(chosen);
  await page.getByText('key.pem').waitFor();
  await look('import-onto');
  await page.getByRole('button', { name: words.submit, exact: true }).click();
  await page.getByRole('region', { name: text.certificates.compare.title }).waitFor();
  await look('import-review');
  const storeVersion = filled(text.certificates.review.storeVersion, { name: domain });
  await page.getByRole('button', { name: storeVersion, exact: true }).click();
  await page.getByRole('heading', { name: words.done }).waitFor();
  await look('imported');
}

async function deploying({ browser, text, look }: PageLook, { organization, certificate }: Places): Promise<void> {
  const { page } = browser;
  const { deployments: words } = text;
  await page.goto(`/console/o/${organization}/certificates/${certificate}/deploy`);
  await page.getByLabel(text.common.name).fill('web-02');
  await page.getByRole('combobox', { name: words.allowList }).fill('0.0.0.0/0 ');
  await page.getByText(words.openAllowList).waitFor();
  await look('deploy-open');
  await page.getByLabel(words.confirmOpen).fill('web-03');
  await page.getByRole('button', { name: words.createSubmit }).click();
  await page.getByText(words.notTheName).waitFor();
  await page.getByLabel(words.confirmOpen).fill('web-02');
  await page.getByRole('button', { name: words.createSubmit }).click();
  await page.getByText(words.token.once).waitFor();
  for (const [index, tab] of (await page.getByRole('tab').all()).entries()) {
    await tab.click();
    await look(`deploy-token-${index + 1}`);
  }
}

async function deploymentDialogs(pageLook: PageLook, { organization, deployment }: Places): Promise<void> {
  const { browser, text, look } = pageLook;
  const { page } = browser;
  const { deployments: words } = text;
  await page.goto(`/console/o/${organization}/deployments/${deployment}`);
  const edit = page.getByRole('button', { name: text.common.edit });
  await open(page, edit);
  await look('edit-deployment');
  await closeDialog(pageLook, edit, 'key');
  const remove = page.getByRole('button', { name: text.common.delete });
  await open(page, remove);
  await look('delete-deployment');
  await closeDialog(pageLook, remove);
  const rotate = page.getByRole('button', { name: words.rotate.button });
  const dialog = await open(page, rotate);
  await look('rotate-deployment');
  await dialog.getByRole('button', { name: words.rotate.button }).click();
  await dialogOf(page).getByText(words.token.once).waitFor();
  await look('rotated-deployment');
  await dialogOf(page).getByRole('button', { name: words.tokenKept }).click();
  await page.getByText(words.until).first().waitFor();
  await hasFocusAgain(page, rotate);
  await look('deployment-two-tokens');
}

async function peopleDialogs(pageLook: PageLook, { organization, invitation }: Places): Promise<void> {
  const { browser, text, look } = pageLook;
  const { page } = browser;
  const { members, organizations } = text;
  await page.goto(`/console/o/${organization}/members`);
  await page.getByText('member@example.com').first().waitFor();
  await look('members-two');
  const removeMember = page.getByRole('button', { name: filled(members.removeNamed, { email: 'member@example.com' }) });
  await open(page, removeMember);
  await look('remove-member');
  await closeDialog(pageLook, removeMember);
  const invite = page.getByRole('button', { name: members.invite });
  const dialog = await open(page, invite);
  await dialog.getByLabel(text.signIn.email).fill('new@example.com');
  await look('invite');
  const made: string[] = [];
  const count = (request: Request) => void (request.method() === 'POST' && made.push(request.url()));
  page.on('request', count);
  await dialog.getByLabel(text.signIn.email).press('Enter');
  await page.getByText(members.linkOnce).waitFor();
  page.off('request', count);
  assert.equal(made.length, 1, 'Enter sends the form once');
  await look('invitation-link');
  await dialogOf(page).getByRole('button', { name: members.linkKept }).click();
  await hasFocusAgain(page, invite);

  await page.goto(invitation);
  await page.getByRole('heading', { name: text.welcome.invitation }).waitFor();
  await look('invitation-of-another');

  await page.goto(`/console/o/${organization}/members`);
  const takeBack = page.getByRole('button', {
    name: filled(members.revokeNamed, { email: 'colleague@example.com' }),
  });
  await open(page, takeBack);
  await look('revoke-invitation');
  await closeDialog(pageLook, takeBack);

  await page.goto('/console/organizations');
  const create = page.getByRole('button', { name: organizations.create });
  await open(page, create);
  await look('create-organization');
  await closeDialog(pageLook, create);
  const suspend = page.getByRole('button', { name: organizations.suspend });
  await open(page, suspend);
  await look('suspend-organization');
  await closeDialog(pageLook, suspend);
}

async function accountDialogs(pageLook: PageLook): Promise<void> {
  const { browser, text, look } = pageLook;
  const { page } = browser;
  const { account } = text;
  const dialog = dialogOf(page);
  const removeTotp = page.getByRole('button', { name: filled(text.common.removeNamed, { name: account.totp.title }) });
  await page.goto('/console/account');
  await page.getByRole('button', { name: account.password.change }).click();
  await page.getByLabel(text.welcome.newPassword).fill('short');
  await page.getByRole('button', { name: text.common.save }).click();
  await page.getByText(text.common.required).waitFor();
  await look('change-password');
  const addPasskey = page.getByRole('button', { name: account.passkeys.add });
  await open(page, addPasskey);
  await look('add-passkey');
  await closeDialog(pageLook, addPasskey);

  await open(page, page.getByRole('button', { name: account.totp.enrol }));
  const secret = (await dialog.locator('pre').innerText()).trim();
  await look('enrol-authenticator');
  await dialog.getByLabel(text.signIn.code).fill(totpCode(secret, Date.now()));
  // A secret shown once stays, even if the page's data cannot be read.
  await page.route('**/me/factors', (route) =>
    route.fulfill({
      status: 404,
      contentType: 'application/problem+json',
      body: JSON.stringify({ title: 'Not found', status: 404, code: 'not_found', detail: 'x' }),
    }),
  );
  const unread = page.waitForResponse((answer) => answer.url().endsWith('/me/factors'));
  await dialog.getByRole('button', { name: account.totp.confirm }).click();
  await page.getByText(account.recovery.once).waitFor();
  await unread;
  await page.unroute('**/me/factors');
  await look('recovery-codes');
  await page.getByRole('button', { name: account.recovery.kept }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: text.common.retry }).click();
  await removeTotp.waitFor();
  const replace = page.getByRole('button', { name: account.recovery.replace });
  await open(page, replace);
  await look('replace-recovery-codes');
  await closeDialog(pageLook, replace);
  await look('account-with-authenticator');
  // The operator is as before for the next look.
  await open(page, removeTotp);
  await look('remove-authenticator');
  await dialog.getByRole('button', { name: text.common.remove, exact: true }).click();
  await page.getByRole('button', { name: account.totp.enrol }).waitFor();
}

/** Language, light or dark, the person's menu, and in a narrow window the navigation. */
async function frameMenus({ browser: { page }, text, look }: PageLook): Promise<void> {
  const buttons = page.locator('header').getByRole('button');
  for (const [name, button] of [
    ['language-menu', buttons.filter({ has: page.locator('.anticon-global') })],
    ['scheme-menu', page.getByRole('button', { name: text.shell.colorScheme })],
    ['account-menu', buttons.last()],
  ] as const) {
    await page.goto('/console/organizations');
    await page.getByRole('heading', { name: text.menu.organizations }).waitFor();
    await button.click();
    await page.getByRole('menuitem').last().waitFor();
    await look(name);
  }
  const navigation = page.getByRole('button', { name: text.shell.openNavigation });
  if (!(await navigation.isVisible())) return;
  await page.goto('/console/organizations');
  await navigation.click();
  await page.locator('.ant-drawer').getByRole('link', { name: text.menu.audit }).last().waitFor();
  await look('navigation');
}
