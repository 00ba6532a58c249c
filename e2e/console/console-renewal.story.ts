import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeTrialCa, type TrialCertificate } from '../../packages/pki/src/trial-ca.testing.ts';
import { freePort } from '../free-port.ts';
import { makeWorld } from '../world.ts';
import { type ConsoleBrowser, filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { type OperatorApi, operatorApi, password, signedIn } from './page-walk.ts';

// In both languages: these three ways were the ones on which a person could take a site down without a word.
for (const language of ['zh-CN', 'en'] as const) {
  test(`a renewal makes no twin, changes nothing in silence, and has a way back (${language})`, {
    skip: withoutBrowser,
  }, async () => {
    await using issuer = await startIssuer();
    const world = await makeWorld('sqlite', {
      WAXWING_LISTEN: `127.0.0.1:${await freePort()}`,
      WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
    });
    try {
      await world.start();
      const url = world.url.replace('127.0.0.1', 'localhost');
      const session = await signedIn(world, url);
      const { cookies } = await session.context.storageState().finally(() => session.close());
      const browser = await openBrowser({ url, language });
      try {
        await browser.context.addCookies(cookies);
        const api = operatorApi(browser, url);
        await api.post('/me/reauthentication', { password });
        const { id: organization } = await api.post<{ id: string }>('/organizations', { name: 'Acme' });
        const trial: Trial = { browser, text: textsOf(language), organization, api };
        await missingIntermediate(trial, issuer.url, issuer.intermediate);
        await renewalByTheObviousButton(trial);
        await wholeOtherDomain(trial);
        assert.deepEqual(browser.complaints, []);
      } finally {
        await browser.close();
      }
    } finally {
      await world.end();
    }
  });
}

interface Trial {
  readonly browser: ConsoleBrowser;
  readonly text: ReturnType<typeof textsOf>;
  readonly organization: string;
  readonly api: OperatorApi;
}

/** A leaf without its intermediate is named as such in every list, and completed from its issuer in one step. */
async function missingIntermediate(trial: Trial, url: string, intermediate: Intermediate): Promise<void> {
  const { browser, text, organization } = trial;
  const { page } = browser;
  const words = text.certificates;
  const leaf = intermediate.issue({ domains: ['lonely.example.com'], issuerUrls: [url] });
  await chooseFiles(trial, [leaf.certificatePem, leaf.keyPem]);
  await page.getByText(words.review.missing).waitFor();
  await browser.checkAccess('a missing intermediate');
  await browser.picture(`renewal-${text.common.cancel}-missing`);
  await page.getByLabel(words.review.accept).click();
  await page.getByRole('button', { name: words.review.store, exact: true }).click();
  await page.getByRole('heading', { name: words.import.done }).waitFor();

  await page.goto(`/console/o/${organization}/certificates`);
  const row = page.getByRole('row').filter({ hasText: 'lonely.example.com' });
  await row.getByText(words.remarks.missing_intermediate).waitFor();
  await row.getByRole('link', { name: 'lonely.example.com' }).click();
  await page.getByRole('tab', { name: words.tabs.chain }).click();
  await page.getByText(words.chain.issuers.missing, { exact: true }).waitFor();
  await browser.checkAccess('a chain with a missing intermediate');
  await page.getByRole('button', { name: words.chain.complete }).click();
  await page.getByText(words.remarks.missing_intermediate).waitFor({ state: 'detached' });
  // The leaf, the intermediate, and the root that is not sent.
  await page.locator('.chain-link').nth(2).waitFor();
}

/** Journey 1h: the import button of the list, with files of names that are there already. */
async function renewalByTheObviousButton(trial: Trial): Promise<void> {
  const { browser, text, organization, api } = trial;
  const { page } = browser;
  const words = text.certificates;
  const first = authority.issue({ domains: ['shop.example.com'] });
  const { id } = await importByApi(trial, first);
  await api.post(`/organizations/${organization}/deployments`, {
    ...{ certificate_id: id, name: 'web-01', allow: ['127.0.0.1'] },
  });
  const second = authority.issue({ domains: ['shop.example.com'] });
  await chooseFiles(trial, [second.chainPem, second.keyPem]);
  await page.getByText(words.review.existing).waitFor();
  await browser.checkAccess('a renewal');
  await browser.picture(`renewal-${text.common.cancel}-existing`);
  await page
    .getByRole('button', { name: filled(words.review.storeVersion, { name: 'shop.example.com' }), exact: true })
    .click();
  await page.getByRole('heading', { name: words.import.done }).waitFor();
  await page.getByText(filled(words.import.doneLead, { number: '2' })).waitFor();
  await page.goto(`/console/o/${organization}/certificates`);
  await page.getByRole('row').filter({ hasText: 'shop.example.com' }).first().waitFor();
  assert.equal(await page.getByRole('row').filter({ hasText: 'shop.example.com' }).count(), 1, 'there is no twin');
}

/** Journey 1i: a version of other domains is shown and asked about before it is live, and undone in two clicks. */
async function wholeOtherDomain(trial: Trial): Promise<void> {
  const { browser, text, organization, api } = trial;
  const { page } = browser;
  const words = text.certificates;
  const { id } = await importByApi(trial, authority.issue({ domains: ['pay.example.com'] }));
  const { token } = await api.post<{ token: string }>(`/organizations/${organization}/deployments`, {
    ...{ certificate_id: id, name: 'pay-01', allow: ['127.0.0.1', '::1'] },
  });
  const served = async () => {
    const answer = await browser.context.request.get('/api/certificate', {
      headers: { authorization: `Bearer ${token}` },
    });
    const { data } = (await answer.json()) as { data: { certificate_info: { domains: string[] } } };
    return data.certificate_info.domains;
  };
  const other = authority.issue({ domains: ['api.example.com'] });
  await chooseFiles(trial, [other.chainPem, other.keyPem], id);
  await page.getByRole('region', { name: words.compare.title }).waitFor();
  const store = page.getByRole('button', {
    name: filled(words.review.storeVersion, { name: 'pay.example.com' }),
    exact: true,
  });
  assert.ok(await store.isDisabled(), 'a name is lost: the page asks first');
  assert.deepEqual(await served(), ['pay.example.com']);
  await browser.checkAccess('a version of other domains');
  await browser.picture(`renewal-${text.common.cancel}-other-domain`);
  await page.getByLabel(words.review.confirmLost).click();
  await store.click();
  await page.getByRole('heading', { name: words.import.done }).waitFor();
  assert.deepEqual(await served(), ['api.example.com']);

  await page.goto(`/console/o/${organization}/certificates/${id}`);
  await page.getByRole('button', { name: filled(words.activate.named, { number: '1' }) }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('region', { name: words.compare.title }).waitFor();
  await browser.checkAccess('the way back');
  await browser.picture(`renewal-${text.common.cancel}-way-back`);
  await dialog.getByRole('button', { name: words.activate.button }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await served(), ['pay.example.com']);
}

const authority = makeTrialCa({ now: Date.now(), commonName: 'Trial Root' }).intermediate({
  commonName: 'Trial Issuing CA',
});
type Intermediate = typeof authority;

async function chooseFiles({ browser: { page }, text, organization }: Trial, pems: readonly string[], onto?: string) {
  const search = onto === undefined ? '' : `?onto=${onto}`;
  await page.goto(`/console/o/${organization}/certificates/import${search}`);
  await setFiles(page, pems);
  await page.getByRole('button', { name: text.certificates.import.submit, exact: true }).click();
}

async function setFiles(page: Page, pems: readonly string[]): Promise<void> {
  const files = pems.map((pem, index) => ({
    name: `file-${index + 1}.pem`,
    mimeType: 'application/x-pem-file',
    buffer: Buffer.from(pem),
  }));
  await page.locator('input[type=file]').setInputFiles(files);
  await page.getByText(`file-${pems.length}.pem`).waitFor();
}

function importByApi({ api, organization }: Trial, { chainPem, keyPem }: TrialCertificate): Promise<{ id: string }> {
  const files = [
    { name: 'chain.pem', text: chainPem },
    { name: 'key.pem', text: keyPem },
  ];
  return api.post(`/organizations/${organization}/certificates`, { files });
}

/** An authority whose intermediate can be fetched. */
async function startIssuer() {
  const intermediate = makeTrialCa({ now: Date.now(), commonName: 'Lonely Root' }).intermediate({
    commonName: 'Lonely Issuing CA',
  });
  const server = createServer((_request, response) => response.end(intermediate.certificateDer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    intermediate,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ca.cer`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
