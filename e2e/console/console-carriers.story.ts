import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startProgram } from '../../packages/server/src/cli/program.testing.ts';
import { freePort } from '../free-port.ts';
import { makeWorld, type World } from '../world.ts';
import { type ConsoleLanguage, filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { operatorApi, signedIn } from './page-walk.ts';

interface Story {
  readonly world: World;
  readonly page: Page;
  readonly text: ReturnType<typeof textsOf>;
  readonly organization: string;
  /** Where the simulated carrier listens. */
  readonly address: string;
}

const account = { id: 'trial', password: 'sesame' };
const name = '联通 Unicom';
const phone = '+8613800138000';

for (const language of ['zh-CN', 'en'] as const) {
  test(`a carrier is set up, tried, used, watched and deleted (${language})`, { skip: withoutBrowser }, () =>
    tell(language),
  );
}

async function tell(language: ConsoleLanguage): Promise<void> {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  const carrier = await startCarrier(world);
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const operator = await signedIn(world, url);
    const browser = await openBrowser({ url, language });
    try {
      const api = operatorApi(operator, url);
      const { id: organization } = await api.post<{ id: string }>('/organizations', { name: 'Acme' });
      await browser.context.addCookies((await operator.context.storageState()).cookies);
      const text = textsOf(language);
      const story = { world, page: browser.page, text, organization, address: carrier.address };
      await createWithAWrongPassword(story);
      await correctThePassword(story);
      await tryIt(story);
      await sendAMessage(story);
      await seeItsFigures(story);
      await loseTheCarrier(story, carrier.process);
      await deleteIt(story);
      assert.deepEqual(browser.complaints, []);
    } finally {
      await browser.close();
      await operator.close();
    }
  } finally {
    carrier.process.kill('SIGKILL');
    await world.end();
  }
}

/** `waxwing simulator smsc` on a free port. */
async function startCarrier(world: World): Promise<{ readonly address: string; readonly process: ChildProcess }> {
  writeFileSync(world.path('carrier.password'), account.password);
  const options = ['--listen', '127.0.0.1:0', '--account', account.id, '--password-file', 'carrier.password'];
  const process = startProgram(world.folder, ['simulator', 'smsc', ...options]);
  for await (const line of createInterface({ input: process.stdout })) {
    const [, address] = /listens on (\S+) \(smpp\)/.exec(line) ?? [];
    if (address !== undefined) return { address, process };
  }
  throw new Error('the simulated carrier does not listen');
}

const dialogOf = (page: Page) => page.getByRole('dialog');
const stateOf = (page: Page, state: string) => page.locator('.page-head').getByText(state, { exact: true });
const factOf = (page: Page, fact: string) =>
  page
    .locator('dl.facts > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${fact}$`) }) })
    .locator('dd');

async function press(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button }).first().click();
  await dialogOf(page).waitFor();
}

async function submit(page: Page, button: string): Promise<void> {
  await dialogOf(page).getByRole('button', { name: button, exact: true }).click();
}

async function closed(page: Page): Promise<void> {
  await dialogOf(page).waitFor({ state: 'detached' });
}

/** In a list of choices of the dialog. */
async function choose(page: Page, label: string, choice: string): Promise<void> {
  await dialogOf(page).getByLabel(label, { exact: true }).click();
  await page.locator('.ant-select-item-option').filter({ hasText: choice }).click();
}

/** Each protocol has its own fields. The carrier refuses the bind, and its words are shown. */
async function createWithAWrongPassword({ page, text, address }: Story): Promise<void> {
  const { carriers: words } = text;
  const dialog = dialogOf(page);
  await page.goto('/console/instance/carriers');
  await press(page, words.create);
  await dialog.getByText(words.createFirstLead).waitFor();
  await choose(page, words.settings.protocol, words.choices.protocol.cmpp2);
  await dialog.getByLabel(words.settings.enterprise_code, { exact: true }).waitFor();
  assert.equal(await dialog.getByLabel(words.settings.system_type, { exact: true }).count(), 0);
  await choose(page, words.settings.protocol, words.choices.protocol.smpp);
  await dialog.getByLabel(text.common.name, { exact: true }).fill(name);
  await dialog.getByLabel(words.settings.address, { exact: true }).fill('localhost');
  await dialog.getByLabel(words.settings.account, { exact: true }).fill(account.id);
  await dialog.getByLabel(words.settings.password, { exact: true }).fill('open');
  await dialog.getByRole('combobox', { name: words.settings.for_prefix }).fill('86,');
  await dialog.getByLabel(words.settings.connection_count, { exact: true }).fill('2');
  await submit(page, words.createSubmit);
  await dialog.locator('.ant-form-item-explain-error').getByText(words.hints.address).waitFor();
  await dialog.getByText(filled(words.wrongEntry, { entry: '86' })).waitFor();
  await dialog.getByLabel(words.settings.address, { exact: true }).fill(address);
  await dialog.getByRole('combobox', { name: words.settings.for_prefix }).press('Backspace');
  await dialog.getByRole('combobox', { name: words.settings.for_prefix }).fill('+86,');
  await submit(page, words.createSubmit);
  await page.getByRole('heading', { name }).waitFor();
  await stateOf(page, words.states.refused).waitFor();
  await page.getByText('ESME_RINVPASWD').or(page.getByText('0x0e')).first().waitFor();
}

/** The password is never shown; with the right one the link binds, and the page tells so by itself. */
async function correctThePassword({ page, text }: Story): Promise<void> {
  const { carriers: words } = text;
  const dialog = dialogOf(page);
  await press(page, text.common.edit);
  await dialog.getByText(words.passwordKept).waitFor();
  assert.equal(await dialog.getByLabel(words.settings.password, { exact: true }).inputValue(), '');
  assert.equal(await dialog.getByLabel(words.settings.protocol, { exact: true }).count(), 0);
  await dialog.getByLabel(words.settings.password, { exact: true }).fill(account.password);
  await submit(page, text.common.save);
  await closed(page);
  await stateOf(page, words.states.bound).waitFor();
  await factOf(page, words.facts.bound)
    .getByText(filled(words.boundOf, { bound: 2, count: 2 }))
    .waitFor();
}

/** A test tells the time of each step, and the carrier's id of the text. */
async function tryIt({ page, text }: Story): Promise<void> {
  const { test: words } = text.carriers;
  const dialog = dialogOf(page);
  await press(page, words.button);
  await submit(page, words.button);
  await dialog.getByText(words.worked).waitFor();
  const steps = dialog.getByRole('list', { name: words.steps }).getByRole('listitem');
  assert.deepEqual(await steps.count(), 3);
  await dialog.getByLabel(words.to).fill('13800138000');
  await submit(page, words.button);
  await dialog.getByText(text.carriers.phoneForm).waitFor();
  await dialog.getByLabel(words.to).fill(phone);
  await dialog.getByLabel(text.messaging.send.content, { exact: true }).fill('测试 a text');
  await submit(page, words.button);
  await steps.filter({ hasText: words.names.submit }).waitFor();
  await dialog.getByText(text.messaging.timeline.carrierMessageId).waitFor();
  assert.match(await steps.last().innerText(), /\d/);
  await page.keyboard.press('Escape');
  await closed(page);
}

async function sendAMessage({ page, text, organization }: Story): Promise<void> {
  const { send, timeline, states, carrierReasons } = text.messaging;
  await page.goto(`/console/o/${organization}/messages/send`);
  await page.getByLabel(send.mobiles, { exact: true }).fill(phone);
  await page.getByLabel(send.content, { exact: true }).fill('您的订单已发货。');
  await page.getByRole('button', { name: send.submit, exact: true }).click();
  await page.getByRole('heading', { name: filled(timeline.carrier, { name }) }).waitFor();
  await page.getByText(filled(timeline.chosenAs, { reason: carrierReasons.only })).waitFor();
  await page.getByRole('heading', { name: filled(timeline.receipt, { status: states.DELIVRD }) }).waitFor();
  assert.equal(await page.getByText(text.messaging.simulated, { exact: true }).count(), 0);
}

async function seeItsFigures({ page, text }: Story): Promise<void> {
  const { carriers: words } = text;
  await page.goto('/console/instance/carriers');
  const row = page.getByRole('row').filter({ hasText: name });
  await row.getByText('1 / 0').waitFor();
  await row.getByText(words.states.bound, { exact: true }).waitFor();
  await row.getByRole('link', { name }).click();
  for (const fact of ['submitted', 'accepted'] as const) {
    await factOf(page, words.facts[fact]).getByText('1', { exact: true }).waitFor();
  }
  for (const plot of [words.plots.rate, words.facts.waiting, words.plots.underWay]) {
    await page.getByRole('img', { name: plot }).waitFor();
  }
}

/** The carrier ends: the page tells it by itself, with the reason. */
async function loseTheCarrier({ page, text }: Story, carrier: ChildProcess): Promise<void> {
  const gone = once(carrier, 'exit');
  carrier.kill('SIGKILL');
  await gone;
  await stateOf(page, text.carriers.states.connecting).waitFor();
  await page.getByText('ECONNREFUSED').first().waitFor();
}

/** A route keeps it. Without one it is disabled, then deleted; its old message still names it. */
async function deleteIt({ world, page, text, organization }: Story): Promise<void> {
  const { carriers: words, inboundRoutes, common } = text;
  const dialog = dialogOf(page);
  const path = new URL(page.url()).pathname;
  await page.goto('/console/instance/routes');
  await press(page, inboundRoutes.add);
  await dialog.getByText(name).waitFor();
  await dialog.getByRole('combobox', { name: text.shell.organization }).click();
  await page.locator('.ant-select-item-option').filter({ hasText: 'Acme' }).click();
  await dialog.getByLabel(text.messaging.number, { exact: true }).fill('1069001');
  await submit(page, common.add);
  await closed(page);
  await page.getByRole('row').filter({ hasText: '1069001' }).getByText(name).waitFor();

  await page.goto(path);
  await press(page, words.disable);
  await dialog.getByText(words.disableWhat).waitFor();
  await submit(page, words.disable);
  await closed(page);
  await stateOf(page, words.states.disabled).waitFor();
  await press(page, common.delete);
  await submit(page, common.delete);
  await dialog.getByRole('alert').waitFor();
  const [route] = await world.json<{ id: string }[]>('route', 'list');
  await world.json('route', 'remove', route?.id ?? '');
  await submit(page, common.delete);
  await closed(page);
  await page.getByRole('row').filter({ hasText: 'simulator' }).waitFor();
  await page.getByRole('row').filter({ hasText: name }).waitFor({ state: 'detached' });
  await page.goto(`/console/o/${organization}/messages`);
  await page.getByRole('row').filter({ hasText: phone }).getByText(name).waitFor();
}
