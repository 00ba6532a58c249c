import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { authorityPresetNames } from '@waxwing/contract/management-api/authority-presets.ts';
import {
  respondFrom,
  startNameServer,
  trialRecord,
} from '../../packages/server/src/certificates/acme/dns/name-server.testing.ts';
import { startPebble, withoutPebble } from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';
import { freePort } from '../free-port.ts';
import { makeWorld, type World } from '../world.ts';
import { type ConsoleBrowser, filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { operatorApi, password, signedIn } from './page-walk.ts';

/** Leads to the server; no other name leads anywhere. */
const reached = 'shop.example.test';
const unreached = 'lost.example.test';
const delegated = 'intern.example.test';
const byHand = 'hand.example.test';

// In both languages: a person reads here why a site would lose its certificate.
for (const language of ['zh-CN', 'en'] as const) {
  test(`certificates are requested, watched, and found in the calendar (${language})`, {
    skip: withoutBrowser || withoutPebble,
  }, async () => {
    await using dns = await startNameServer(respondFrom(() => [trialRecord(reached, 'A', '127.0.0.1')]));
    const httpPort = await freePort();
    await using pebble = await startPebble({ httpPort, dnsServer: `127.0.0.1:${dns.port}`, lifetimeDays: 90 });
    const world = await makeWorld('sqlite', {
      WAXWING_LISTEN: `127.0.0.1:${await freePort()}`,
      WAXWING_HTTP01_LISTEN: `127.0.0.1:${httpPort}`,
      WAXWING_DNS_ZONE: 'acme.hub.test',
      WAXWING_DNS_LISTEN: `127.0.0.1:${await freePort()}`,
      WAXWING_ACME_ALLOW_NETWORKS: '127.0.0.0/8',
      // Nothing of a story asks the name servers of the machine.
      NODE_OPTIONS: `--import=${new URL('../acme/trial-resolver.ts', import.meta.url)}`,
      TRIAL_NAME_SERVER: `127.0.0.1:${dns.port}`,
    });
    try {
      await world.start();
      const url = world.url.replace('127.0.0.1', 'localhost');
      const session = await signedIn(world, url);
      const { cookies } = await session.context.storageState().finally(() => session.close());
      const browser = await openBrowser({ url, language, width: 1280 });
      try {
        await browser.context.addCookies(cookies);
        const api = operatorApi(browser, url);
        await api.post('/me/reauthentication', { password });
        const { id: organization } = await api.post<{ id: string }>('/organizations', { name: 'Acme' });
        const trial: Trial = { browser, text: textsOf(language), organization, world, language };
        await nobodyToAsk(trial);
        writeFileSync(world.path('pebble-root.pem'), pebble.rootPem);
        for (const name of ['pebble', 'second']) {
          await world.json(
            ...['authority', 'create', '--name', name, '--directory', pebble.directoryUrl],
            ...['--root-file', world.path('pebble-root.pem'), '--email', 'ops@example.com'],
          );
        }
        await issuedWhileWatched(trial);
        await failedInTheWordsOfTheAuthority(trial);
        await wildcardByDelegation(trial);
        await recordsByHand(trial);
        await refusalAtItsField(trial);
        await calendar(trial);
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
  readonly world: World;
  readonly language: string;
}

/** axe finds nothing serious, in the window of a desk and of a phone, and nothing lies outside of it. */
async function look({ browser, language }: Trial, name: string): Promise<void> {
  const { page } = browser;
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const picture = `issuing-${language}-${width}-${name}`;
    await browser.checkAccess(picture);
    await browser.picture(picture);
    const content = (await page.evaluate('document.documentElement.scrollWidth')) as number;
    assert.ok(content <= width, `${picture}: ${content} pixels wide`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function openForm({ browser: { page }, text, organization }: Trial): Promise<void> {
  await page.goto(`/console/o/${organization}/certificates`);
  await page.getByRole('button', { name: text.certificates.requestButton }).first().click();
  await page.getByRole('heading', { name: text.issuing.request.title }).waitFor();
}

/** Other labels contain the same word. */
const namesField = ({ browser: { page }, text }: Trial) =>
  page.getByRole('textbox', { name: text.certificates.columns.domains, exact: true });

const submit = ({ browser: { page }, text }: Trial) =>
  page.getByRole('button', { name: text.issuing.request.submit, exact: true }).click();

/** Without an authority the page says who makes one, and how. */
async function nobodyToAsk(trial: Trial): Promise<void> {
  const { page } = trial.browser;
  const words = trial.text.issuing.noAuthority;
  await openForm(trial);
  await page.getByText(words.operator).waitFor();
  await page.getByText('waxwing authority create').waitFor();
  for (const preset of authorityPresetNames) await page.getByText(preset).first().waitFor();
  await look(trial, 'no-authority');
  const { authorities } = trial.text.menu;
  await page.getByRole('button', { name: filled(words.open, { page: authorities }) }).click();
  await page.getByRole('heading', { name: authorities, level: 1 }).waitFor();
}

/** A request by HTTP-01: wrong names are marked while typing, and the page then follows the order by itself. */
async function issuedWhileWatched(trial: Trial): Promise<void> {
  const { browser, text } = trial;
  const { page } = browser;
  const words = text.issuing.request;
  await openForm(trial);
  const domains = namesField(trial);
  await domains.fill(`${reached}\nlocalhost\nhttps://www.example.com\n${reached.toUpperCase()}.`);
  await page.getByText(words.names.one_label).waitFor();
  await page.getByText(words.names.not_bare).waitFor();
  const one = (text: string) => filled(text, { count: 1, most: 100 });
  const doubles = 'doubles_one' in words ? String(words.doubles_one) : words.doubles_other;
  await page.getByText(one(doubles)).waitFor();
  await submit(trial);
  await page.getByText(words.someWrong).waitFor();
  await look(trial, 'wrong-names');
  await domains.fill(reached);
  await look(trial, 'form');
  await submit(trial);
  await page.getByRole('heading', { name: reached }).waitFor();
  // No reload: the live feed tells the page.
  await page.getByText(text.certificates.states.issued, { exact: true }).first().waitFor();
  const steps = page.getByRole('list', { name: text.issuing.progress.title });
  await steps.getByRole('heading', { name: text.issuing.steps.store }).waitFor();
  await page.getByText(filled(text.certificates.issuedBy, { name: 'pebble' })).waitFor();
  await look(trial, 'issued');
  await page.getByRole('button', { name: text.issuing.panel.renewNow }).click();
  await page
    .getByText(filled(text.deployments.versionNumber, { number: 2 }))
    .first()
    .waitFor();
}

/** The authority finds no address for the name, and says so on the page. */
async function failedInTheWordsOfTheAuthority(trial: Trial): Promise<void> {
  const { browser, text, world } = trial;
  const { page } = browser;
  await openForm(trial);
  await namesField(trial).fill(unreached);
  await submit(trial);
  await page.getByRole('heading', { name: unreached }).waitFor();
  await page.getByText(text.certificates.states.failed, { exact: true }).first().waitFor();
  // A step that fails for a while shows the same word.
  let words = '';
  while (words === '') {
    const listed = await world.json<{ name: string; renewal: { last_error: string | null } }[]>('certificate', 'list');
    words = listed.find(({ name }) => name === unreached)?.renewal.last_error ?? '';
  }
  await page.getByRole('alert').filter({ hasText: words }).waitFor();
  const steps = page.getByRole('list', { name: text.issuing.progress.title });
  await steps.getByText(words).first().waitFor();
  await look(trial, 'failed');
  await page.getByRole('button', { name: text.issuing.panel.tryAgain }).click();
  const twice = filled(text.issuing.panel.requestFailed_other, { count: 2 });
  await page.getByRole('alert').filter({ hasText: twice }).waitFor();
}

/** A wildcard chooses DNS-01 and says why; the CNAME to set is there to be copied, and looked for. */
async function wildcardByDelegation(trial: Trial): Promise<void> {
  const { browser, text } = trial;
  const { page } = browser;
  await openForm(trial);
  await namesField(trial).fill(`*.${delegated}`);
  await page.getByText(text.issuing.request.wildcard).waitFor();
  assert.ok(await page.getByRole('radio', { name: text.issuing.challenges.dns }).isChecked());
  assert.ok(await page.getByRole('radio', { name: text.issuing.challenges.http }).isDisabled());
  await look(trial, 'wildcard');
  await submit(trial);
  const records = page.getByRole('list', { name: text.issuing.delegation.title });
  await records.getByText(`_acme-challenge.${delegated}`).waitFor();
  await records.getByRole('button', { name: filled(text.common.copyNamed, { name: 'CNAME' }) }).waitFor();
  await records.getByText(text.issuing.delegation.notSeen).waitFor();
  await records.getByText(text.issuing.delegation.looked).waitFor();
  await page.getByRole('button', { name: text.issuing.panel.lookNow }).waitFor();
  await look(trial, 'delegation');
}

/** Records that a person sets stand there to be copied. A server is set up meanwhile: it is told that it is too early. */
async function recordsByHand(trial: Trial): Promise<void> {
  const { browser, text, organization, world } = trial;
  const { page } = browser;
  await world.json('dns-provider', 'create', '--organization', organization, '--name', 'by-hand', '--kind', 'manual');
  const requested = await world.json<{ id: string }>(
    ...['certificate', 'request', '--organization', organization, '--authority', 'pebble'],
    ...['--domain', byHand, '--challenge', 'dns-01', '--dns-provider', 'by-hand'],
  );
  await page.goto(`/console/o/${organization}/certificates/${requested.id}`);
  const steps = page.getByRole('list', { name: text.issuing.progress.title });
  await steps.getByText(text.issuing.progress.setRecords).waitFor();
  await steps.getByText(`_acme-challenge.${byHand}`).first().waitFor();
  assert.equal(
    await steps
      .locator('.quiet, details')
      .filter({ hasText: `_acme-challenge.${byHand}` })
      .count(),
    0,
  );
  await steps.getByRole('button', { name: filled(text.common.copyNamed, { name: `TXT ${byHand}` }) }).waitFor();
  await look(trial, 'by-hand');
  await page.locator('main').getByRole('button', { name: text.certificates.deploy }).click();
  await page.getByText(text.deployments.notIssuedYet).waitFor();
  await look(trial, 'deploy-early');
  await page.getByLabel(text.common.name).fill('early');
  await page.getByRole('combobox', { name: text.deployments.allowList }).fill('127.0.0.1 ');
  await page.getByRole('button', { name: text.deployments.createSubmit }).click();
  await page.getByText(text.firstFetch.waiting).waitFor();
  const token = /wxd_\w+/.exec(await page.locator('.command pre').first().innerText())?.[0] ?? '';
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${world.url}/api/certificate`, { headers })).status, 404);
  await page.getByRole('button', { name: text.deployments.tokenKept }).click();
  await page.getByRole('heading', { name: 'early' }).waitFor();
}

/** What only the server knows stands at its field as well. */
async function refusalAtItsField(trial: Trial): Promise<void> {
  const { browser, text } = trial;
  const { page } = browser;
  await openForm(trial);
  await namesField(trial).fill('pay.example.test');
  await page.getByRole('radio', { name: text.issuing.challenges.tls }).check();
  await submit(trial);
  const field = page.locator('.ant-form-item', { has: page.getByRole('radio') });
  await field.getByText(text.issuing.request.refusals.tls_alpn_off).waitFor();
  await look(trial, 'refused');
}

/** The one that fails stands first; the one that is issued on the day of its renewal. */
async function calendar(trial: Trial): Promise<void> {
  const { browser, text, organization } = trial;
  const { page } = browser;
  const words = text.issuing.calendar;
  await page.goto(`/console/o/${organization}/certificates`);
  const row = page.getByRole('row').filter({ hasText: unreached });
  await row.getByText(text.certificates.states.failed, { exact: true }).first().waitFor();
  await look(trial, 'list');

  await page.getByRole('link', { name: text.menu.renewals }).first().click();
  const days = page.getByRole('region', { name: words.days });
  await days.waitFor();
  await page.getByRole('link', { name: unreached }).waitFor();
  await look(trial, 'calendar');
  // The only day on which anything renews.
  await days.locator('button:enabled').click();
  await page.getByRole('button', { name: words.allDays }).waitFor();
  await page.getByRole('link', { name: reached }).waitFor();
  await page.goto('/console/instance/renewals');
  await page.getByRole('region', { name: words.days }).waitFor();
  await page.getByRole('link', { name: unreached }).waitFor();
  await page.getByText('Acme', { exact: true }).first().waitFor();
  await look(trial, 'calendar-of-all');
}
