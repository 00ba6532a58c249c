import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import {
  directoryAt,
  problem,
  type ScriptedAnswer,
  type ScriptedAuthority,
  startScriptedAuthority,
  type TakenRequest,
} from '../../packages/server/src/certificates/acme/protocol/scripted-authority.testing.ts';
import { reply, startTrialReceiver, type TrialReceiver } from '../../packages/server/src/outbound/receiver.testing.ts';
import { freePort } from '../free-port.ts';
import { makeWorld, mustRun, type World } from '../world.ts';
import {
  type ConsoleBrowser,
  type ConsoleLanguage,
  filled,
  openBrowser,
  textsOf,
  withoutBrowser,
} from './console-browser.ts';
import { type OperatorApi, operatorApi, signedIn } from './page-walk.ts';

const day = 86_400_000;

/** As an authority refuses a key id that it does not know. */
const refusal = 'Unknown external account key.';

let accounts = 0;

/** It knows one external account, makes our account once, and issues nothing. */
function asAuthority(request: TakenRequest, url: string): ScriptedAnswer {
  if (request.path === '/directory') {
    const meta = { termsOfService: `${url}/terms`, profiles: { classic: 'classic', shortlived: 'shortlived' } };
    return directoryAt(url, { meta, renewalInfo: `${url}/renewal` });
  }
  // An account that was found is told the address.
  if (request.path === '/account/1') return { status: 200, headers: {}, body: { status: 'valid' } };
  if (request.path !== '/account') return problem(403, 'rejectedIdentifier', { detail: 'Nothing is issued here.' });
  if (kidOf(request.payload) === 'unknown') return problem(403, 'unauthorized', { detail: refusal });
  accounts += 1;
  const headers = { location: `${url}/account/1` };
  return { status: accounts % 2 === 1 ? 201 : 200, headers, body: { status: 'valid' } };
}

/** The key id of the external account that a new account is bound to. */
function kidOf(payload: unknown): string | undefined {
  const { externalAccountBinding: bound } = payload as { externalAccountBinding?: { protected: string } };
  return bound && JSON.parse(Buffer.from(bound.protected, 'base64url').toString()).kid;
}

interface Places {
  readonly world: World;
  readonly url: string;
  readonly operator: ConsoleBrowser;
  readonly authority: ScriptedAuthority;
  readonly receiver: TrialReceiver;
}

let places: Places;

before(async () => {
  if (withoutBrowser) return;
  const authority = await startScriptedAuthority(asAuthority);
  const receiver = await startTrialReceiver();
  const world = await makeWorld('sqlite', {
    WAXWING_LISTEN: `127.0.0.1:${await freePort()}`,
    WAXWING_ACTIVITY_FLUSH: '100ms',
    WAXWING_ACME_ALLOW_NETWORKS: '127.0.0.0/8',
  });
  await world.start();
  const url = world.url.replace('127.0.0.1', 'localhost');
  places = { world, url, operator: await signedIn(world, url), authority, receiver };
});

after(async () => {
  if (withoutBrowser) return;
  await places.operator.close();
  await places.world.end();
  await places.authority[Symbol.asyncDispose]();
  await places.receiver[Symbol.asyncDispose]();
});

interface Story extends Places {
  readonly page: Page;
  readonly text: ReturnType<typeof textsOf>;
  readonly api: OperatorApi;
  readonly organization: string;
}

for (const language of ['zh-CN', 'en'] as const) {
  test(
    `an authority and a DNS provider are set up and tried, and a first fetch is seen (${language})`,
    {
      skip: withoutBrowser,
    },
    () => tell(language),
  );
}

async function tell(language: ConsoleLanguage): Promise<void> {
  const { url, operator } = places;
  const browser = await openBrowser({ url, language });
  try {
    const api = operatorApi(operator, url);
    const { id: organization } = await api.post<{ id: string }>('/organizations', { name: `Acme ${language}` });
    await browser.context.addCookies((await operator.context.storageState()).cookies);
    const story = { ...places, page: browser.page, text: textsOf(language), api, organization };
    await makeAnAuthority(story);
    await correctIt(story);
    await makeADnsProvider(story);
    await makeANameServer(story);
    await correctTheProvider(story);
    await deleteWhatIsUsed(story);
    await waitForTheFirstFetch(story);
    assert.deepEqual(browser.complaints, []);
  } finally {
    await browser.close();
  }
}

const dialogOf = (page: Page) => page.getByRole('dialog');
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).first().click();
  await dialogOf(page).waitFor();
}

async function submit(page: Page, name: string): Promise<void> {
  await dialogOf(page).getByRole('button', { name, exact: true }).click();
}

async function closed(page: Page): Promise<void> {
  await dialogOf(page).waitFor({ state: 'detached' });
}

/** In a list of choices of the dialog. */
async function choose(page: Page, label: string, choice: string): Promise<void> {
  await dialogOf(page).getByLabel(label, { exact: true }).click();
  await page.locator('.ant-select-item-option').filter({ hasText: choice }).click();
}

/** The presets show their directory. One by its URL, with a root and an external account that it does not know. */
async function makeAnAuthority({ page, text, authority }: Story): Promise<void> {
  const { authorities: words } = text;
  await page.goto('/console/instance/authorities');
  await page.getByText(words.none).waitFor();
  await press(page, words.create);
  const dialog = dialogOf(page);
  await dialog.getByText('https://acme-v02.api.letsencrypt.org/directory').waitFor();
  await choose(page, words.preset, 'SSL.com (RSA');
  await dialog.getByText('https://acme.ssl.com/sslcom-dv-rsa').waitFor();
  await dialog.getByLabel(words.kid).waitFor();
  await choose(page, words.preset, words.other);
  await dialog.getByLabel(text.common.name).fill('内部 CA');
  await dialog.getByLabel(words.directory, { exact: true }).fill('http://ca.example.com/directory');
  await dialog.getByLabel(words.email, { exact: true }).fill('ops@example.com');
  await submit(page, words.createSubmit);
  await dialog.getByText(words.directoryForm).waitFor();
  await dialog.getByLabel(words.directory, { exact: true }).fill(`${authority.url}/directory`);
  await dialog.getByLabel(words.roots).fill(authority.rootPem);
  await dialog.getByLabel(words.kid).fill('unknown');
  await dialog.getByLabel(words.hmac).fill('c2VjcmV0LW9mLXRoZS1hY2NvdW50');
  await submit(page, words.createSubmit);
  await closed(page);
  const row = rowOf(page, '内部 CA');
  await row.getByText(words.noAccount).waitFor();
  await row.getByText(words.ownRoots).waitFor();

  await press(page, filled(words.testNamed, { name: '内部 CA' }));
  await dialog.getByText(words.testFailed).waitFor();
  await dialog.getByText(refusal).waitFor();
  await dialog.getByRole('button', { name: text.common.close }).last().click();
  await closed(page);
}

/** Takes the external account away, and the test passes. The page shows no secret. */
async function correctIt({ page, text, authority }: Story): Promise<void> {
  const { authorities: words } = text;
  const dialog = dialogOf(page);
  await press(page, filled(words.edit, { name: '内部 CA' }));
  await dialog.getByText(words.hmacKept).waitFor();
  assert.equal(await dialog.getByLabel(words.hmac).inputValue(), '');
  await dialog.getByLabel(words.kid).fill('another');
  await submit(page, text.common.save);
  await dialog.getByText(words.hmacTogether).waitFor();
  await dialog.getByText(words.externalRemove).click();
  await dialog.getByLabel(text.common.name).fill('Internal CA');
  await submit(page, text.common.save);
  await closed(page);
  for (const outcome of [words.tested.made, words.tested.found]) {
    await press(page, filled(words.testNamed, { name: 'Internal CA' }));
    await dialog.getByText(outcome).waitFor();
    await dialog.getByText('classic, shortlived').waitFor();
    await dialog.getByRole('link', { name: `${authority.url}/terms` }).waitFor();
    await dialog.getByRole('button', { name: text.common.close }).last().click();
    await closed(page);
  }
  await rowOf(page, 'Internal CA').getByText(words.accountMade).waitFor();
}

/** Each kind of provider has its own fields. The refusal of a webhook is shown. */
async function makeADnsProvider({ page, text, organization, receiver }: Story): Promise<void> {
  const { dnsProviders: words } = text;
  await page.goto(`/console/o/${organization}/dns-providers`);
  await page.getByText(words.none).waitFor();
  await press(page, words.create);
  const dialog = dialogOf(page);
  const labels = {
    rfc2136: [words.options.server, words.options.zone, words.options.keyName, words.secrets.rfc2136],
    cloudflare: [words.secrets.cloudflare],
    aliyun: [words.options.keyId.aliyun, words.secrets.aliyun],
    dnspod: [words.options.keyId.dnspod, words.secrets.dnspod],
    huawei: [words.options.keyId.huawei, words.secrets.huawei],
    route53: [words.options.keyId.route53, words.secrets.route53],
    manual: [],
    webhook: [words.options.url],
  };
  for (const [kind, asked] of Object.entries(labels)) {
    await choose(page, words.kind, words.kinds[kind as keyof typeof labels]);
    await dialog.getByText(words.hints[kind as keyof typeof labels]).waitFor();
    for (const label of asked) await dialog.getByLabel(label, { exact: true }).waitFor();
    assert.equal(await dialog.locator('input[type=password]').count(), kind === 'manual' ? 0 : 1, kind);
  }
  await dialog.getByLabel(text.common.name).fill('Records');
  await submit(page, words.createSubmit);
  await dialog.getByText(text.common.required).waitFor();
  receiver.serve = (socket) => socket.end(reply(503, '', { Connection: 'close' }));
  await dialog.getByLabel(words.options.url, { exact: true }).fill(`http://127.0.0.1:${receiver.port}/records`);
  await submit(page, words.createSubmit);
  // It is tried at once: the test opens by itself.
  await dialog.getByText(filled(words.testNamed, { name: 'Records' })).waitFor();
  await rowOf(page, 'Records').getByText(words.kinds.webhook).waitFor();
  await dialog.getByLabel(words.domain).fill('example.com');
  await submit(page, words.test);
  await dialog.getByText(words.testFailed).waitFor();
  await dialog.getByText('503').waitFor();
  await page.keyboard.press('Escape');
  await closed(page);
}

/** The test dialog proposes the zone that was typed, and can be closed. */
async function makeANameServer({ world, page, text, organization }: Story): Promise<void> {
  const { dnsProviders: words } = text;
  const dialog = dialogOf(page);
  await press(page, words.create);
  await choose(page, words.kind, words.kinds.rfc2136);
  await dialog.getByLabel(text.common.name, { exact: true }).fill('ns1');
  await dialog.getByLabel(words.options.server, { exact: true }).fill('127.0.0.1:53');
  await dialog.getByLabel(words.options.zone, { exact: true }).fill('example.org');
  await dialog.getByLabel(words.options.keyName, { exact: true }).fill('waxwing');
  await dialog.getByLabel(words.secrets.rfc2136, { exact: true }).fill(Buffer.alloc(32, 1).toString('base64'));
  await submit(page, words.createSubmit);
  await dialog.getByText(filled(words.testNamed, { name: 'ns1' })).waitFor();
  assert.equal(await dialog.getByLabel(words.domain).inputValue(), 'example.org');
  await page.keyboard.press('Escape');
  await closed(page);
  const all = await world.json<{ id: string; name: string; organization_id: string }[]>('dns-provider', 'list');
  const made = all.find((each) => each.organization_id === organization && each.name === 'ns1');
  await world.json('dns-provider', 'delete', made?.id ?? '', '--yes');
  await rowOf(page, 'ns1').waitFor({ state: 'detached' });
}

async function correctTheProvider({ page, text, receiver }: Story): Promise<void> {
  const { dnsProviders: words } = text;
  const dialog = dialogOf(page);
  receiver.serve = (socket) => socket.end(reply(200, '', { Connection: 'close' }));
  await press(page, filled(words.edit, { name: 'Records' }));
  await dialog.getByLabel(text.common.name).fill('Records at work');
  await dialog.locator('input[type=password]').fill(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
  await submit(page, text.common.save);
  await closed(page);
  const row = rowOf(page, 'Records at work');
  await row.getByText(words.secretStored).waitFor();
  await press(page, filled(words.testNamed, { name: 'Records at work' }));
  await dialog.getByLabel(words.domain).fill('example.com');
  await submit(page, words.test);
  await dialog.getByText(words.tested).waitFor();
  assert.match(receiver.requests.at(-1) ?? '', /^POST \/records HTTP.*\r\nwebhook-signature: v1,/is);
  await page.keyboard.press('Escape');
  await closed(page);
}

/** A certificate is renewed by both: they stay until it is gone, and the refusal names it. */
async function deleteWhatIsUsed({ world, page, text, api, organization }: Story): Promise<void> {
  const providers = `/console/o/${organization}/dns-providers`;
  const name = 'used.example.com';
  const all = await world.json<{ id: string; organization_id: string }[]>('dns-provider', 'list');
  const provider = all.find((each) => each.organization_id === organization)?.id ?? '';
  const request = { authorities: ['Internal CA'], domains: [name], challenge: 'dns-01', dns_provider: provider };
  const { id } = await api.post<{ id: string }>(`/organizations/${organization}/certificates/request`, request);
  const places = [
    [providers, 'Records at work'],
    ['/console/instance/authorities', 'Internal CA'],
  ] as const;
  const dialog = dialogOf(page);
  for (const [path, thing] of places) {
    await page.goto(path);
    await press(page, filled(text.common.deleteNamed, { name: thing }));
    await submit(page, text.common.delete);
    await dialog.getByRole('alert').filter({ hasText: name }).waitFor();
    await submit(page, text.common.cancel);
    await closed(page);
  }
  await world.json('certificate', 'delete', id, '--yes');
  for (const [path, thing] of places) {
    await page.goto(path);
    await press(page, filled(text.common.deleteNamed, { name: thing }));
    await submit(page, text.common.delete);
    await rowOf(page, thing).waitFor({ state: 'detached' });
  }
}

/** The page with the token waits: a refused request shows why, and the fetch shows who came. Nothing is reloaded. */
async function waitForTheFirstFetch({ world, url, page, text, api, organization }: Story): Promise<void> {
  const { firstFetch: words, deployments } = text;
  const { chainPem, keyPem } = makeTrialCa({ now: Date.now() }).issue({
    domains: ['shop.example.com'],
    notAfter: Date.now() + 90 * day,
  });
  const files = [
    { name: 'chain.pem', text: chainPem },
    { name: 'key.pem', text: keyPem },
  ];
  const at = `/organizations/${organization}`;
  const { id } = await api.post<{ id: string }>(`${at}/certificates`, { files });
  await page.goto(`/console/o/${organization}/certificates/${id}/deploy`);
  await page.getByLabel(text.common.name).fill('web-01');
  await page.getByRole('combobox', { name: deployments.allowList }).fill('198.51.100.7 ');
  await page.getByRole('button', { name: deployments.createSubmit }).click();
  await page.getByText(words.waiting).waitFor();
  const token = /wxd_\w+/.exec(await page.locator('.command pre').first().innerText())?.[0] ?? '';
  // The page reads by itself once a minute, which is longer than a step may take: the live feed brings the news.
  const ask = (more: readonly string[]) =>
    mustRun('curl', ['-sS', ...more, '-H', `Authorization: Bearer ${token}`, `${url}/api/certificate`]);
  await ask([]);
  const region = page.getByRole('region', { name: words.title });
  await region.getByText(words.refused).waitFor();
  await region.getByText(deployments.reasons.address_not_allowed).waitFor();
  const [made] = await world.json<{ id: string }[]>('deployment', 'list', '--organization', organization);
  await world.json('deployment', 'update', made?.id ?? '', '--allow', '127.0.0.1,::1');
  await ask(['--fail']);
  await region.getByText(words.came).waitFor();
  await region.getByText(/^curl\/\d/).waitFor();
  await region.getByText(/^(?:127\.0\.0\.1|::1)$/).waitFor();
  await region.getByText(words.refused).waitFor({ state: 'detached' });
}
