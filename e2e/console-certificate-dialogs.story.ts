import type { Locator, Page } from 'playwright-core';
import { makeTrialCa } from '../packages/server/src/certificates/trial-ca.testing.ts';
import { filled } from './console-browser.ts';
import { type OperatorApi, type PageLook, pageStory, password } from './page-walk.ts';
import { totpCode } from './totp-code.ts';

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
  /** An invitation that nobody accepts. */
  readonly invitation: string;
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** An organization with a certificate, a deployment of it, a member and somebody who was invited. */
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
  // Without the operator's cookies: somebody else.
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

async function closeDialog({ browser: { page }, text }: PageLook): Promise<void> {
  await dialogOf(page).first().getByRole('button', { name: text.common.cancel }).click();
  await dialogOf(page).first().waitFor({ state: 'detached' });
}

/** Before anybody has signed in: a wrong password, the second factor, an invitation. */
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

  // The operator has no second factor here; what the server answers of somebody who has is all that this step needs.
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

  // By the identity provider, which has vouched for somebody with a second factor; and one that has not, with words of
  // whoever made the address up.
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

  // As five minutes later: the server wants to know whether it is still the same person.
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
  await page.unroute('**/export');

  await page.goto(`/console/o/${organization}/certificates/${certificate}`);
  await open(page, page.getByRole('button', { name: revoke.button }));
  await look('revoke-certificate');
  await closeDialog(pageLook);
  await open(page, page.getByRole('row').or(page.locator('.card')).getByRole('button', { name: revoke.button }));
  await look('revoke-version');
  await closeDialog(pageLook);
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
  await page.getByRole('button', { name: words.submit }).click();
  await page.locator('.dropped-file.at-fault').first().waitFor();
  await look('import-faults');

  await page.goto(`/console/o/${organization}/certificates/import?onto=${certificate}`);
  await input.setInputFiles(chosen);
  await page.getByText('key.pem').waitFor();
  await look('import-onto');
  await page.getByRole('button', { name: words.submit }).click();
  await page.getByRole('heading', { name: words.done }).waitFor();
  await look('imported');
}

async function deploying({ browser, text, look }: PageLook, { organization, certificate }: Places): Promise<void> {
  const { page } = browser;
  const { deployments: words } = text;
  await page.goto(`/console/o/${organization}/certificates/${certificate}/deploy`);
  await page.getByLabel(words.name).fill('web-02');
  await page.getByRole('combobox', { name: words.allowList }).fill('0.0.0.0/0 ');
  await page.getByText(words.openAllowList).waitFor();
  await look('deploy-open');
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
  await open(page, page.getByRole('button', { name: words.edit }));
  await look('edit-deployment');
  await closeDialog(pageLook);
  await open(page, page.getByRole('button', { name: words.delete.button }));
  await look('delete-deployment');
  await closeDialog(pageLook);
  const dialog = await open(page, page.getByRole('button', { name: words.rotate.button }));
  await look('rotate-deployment');
  await dialog.getByRole('button', { name: words.rotate.button }).click();
  await dialogOf(page).getByText(words.token.once).waitFor();
  await look('rotated-deployment');
  await dialogOf(page).getByRole('button', { name: words.tokenKept }).click();
  await page.getByText(words.until).first().waitFor();
  await look('deployment-two-tokens');
}

async function peopleDialogs(pageLook: PageLook, { organization, invitation }: Places): Promise<void> {
  const { browser, text, look } = pageLook;
  const { page } = browser;
  const { members, organizations } = text;
  await page.goto(`/console/o/${organization}/members`);
  await page.getByText('member@example.com').first().waitFor();
  await look('members-two');
  await open(page, page.getByRole('button', { name: filled(members.removeNamed, { email: 'member@example.com' }) }));
  await look('remove-member');
  await closeDialog(pageLook);
  const dialog = await open(page, page.getByRole('button', { name: members.invite }));
  await dialog.getByLabel(text.signIn.email).fill('new@example.com');
  await look('invite');
  await dialog.getByRole('button', { name: members.inviteSubmit }).click();
  await page.getByText(members.linkOnce).waitFor();
  await look('invitation-link');

  await page.goto(invitation);
  await page.getByRole('heading', { name: text.welcome.invitation }).waitFor();
  await look('invitation-of-another');

  await page.goto('/console/organizations');
  await open(page, page.getByRole('button', { name: organizations.create }));
  await look('create-organization');
  await closeDialog(pageLook);
  await open(page, page.getByRole('button', { name: organizations.suspend }));
  await look('suspend-organization');
  await closeDialog(pageLook);
}

async function accountDialogs(pageLook: PageLook): Promise<void> {
  const { browser, text, look } = pageLook;
  const { page } = browser;
  const { account } = text;
  const dialog = dialogOf(page);
  await page.goto('/console/account');
  await page.getByRole('button', { name: account.password.change }).click();
  await page.getByLabel(text.welcome.newPassword).fill('short');
  await page.getByRole('button', { name: text.common.save }).click();
  await page.getByText(text.common.required).waitFor();
  await look('change-password');
  await open(page, page.getByRole('button', { name: account.passkeys.add }));
  await look('add-passkey');
  await closeDialog(pageLook);

  await open(page, page.getByRole('button', { name: account.totp.enrol }));
  const secret = (await dialog.locator('pre').innerText()).trim();
  await look('enrol-authenticator');
  await dialog.getByLabel(text.signIn.code).fill(totpCode(secret, Date.now()));
  await dialog.getByRole('button', { name: account.totp.confirm }).click();
  await page.getByText(account.recovery.once).waitFor();
  await look('recovery-codes');
  await page.getByRole('button', { name: account.recovery.kept }).click();
  await dialog.waitFor({ state: 'detached' });
  await look('account-with-authenticator');
  // For the next look: the operator is as before.
  await page.getByRole('button', { name: account.remove }).first().click();
  await page.getByRole('button', { name: account.totp.enrol }).waitFor();
}

/** Language, light or dark, one's own menu; and where the window is narrow the navigation. */
async function frameMenus({ browser: { page }, text, look }: PageLook): Promise<void> {
  const buttons = page.locator('header').getByRole('button');
  for (const [name, button] of [
    ['language-menu', buttons.filter({ has: page.locator('.anticon-global') })],
    ['scheme-menu', page.getByRole('button', { name: text.shell.colorScheme })],
    ['account-menu', buttons.last()],
  ] as const) {
    await page.goto('/console/organizations');
    await page.getByRole('heading', { name: text.organizations.title }).waitFor();
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
