import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import { reply, startTrialReceiver, type TrialReceiver } from '../../packages/server/src/outbound/receiver.testing.ts';
import { freePort } from '../free-port.ts';
import { makeWorld } from '../world.ts';
import { filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { type OperatorApi, operatorApi, signedIn } from './page-walk.ts';

const language = 'zh-CN';
const text = textsOf(language);

const day = 86_400_000;

/** As WeCom refuses a key that it does not know. */
const refusal = { errcode: 93_000, errmsg: 'invalid webhook url, hint: [1700000000]' };

test('an operator sends alerts to a webhook and a robot, and reads why one does not arrive', {
  skip: withoutBrowser,
}, async () => {
  const world = await makeWorld('sqlite', {
    WAXWING_LISTEN: `127.0.0.1:${await freePort()}`,
    WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
    WAXWING_ALERT_EVERY: '1s',
  });
  await using receiver = await startTrialReceiver();
  receiver.serve = (socket, head) => {
    const body = head.includes(' /robot') ? JSON.stringify(refusal) : '';
    socket.end(reply(200, body, { Connection: 'close' }));
  };
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const operator = await signedIn(world, url);
    const { cookies } = await operator.context.storageState();
    const browser = await openBrowser({ url, language });
    try {
      const api = operatorApi(operator, url);
      const { id } = await api.post<{ id: string }>('/organizations', { name: 'Acme' });
      await browser.context.addCookies(cookies);
      const story = { page: browser.page, receiver, api, at: `/organizations/${id}` };
      await browser.page.goto(`/console/o/${id}/alert-channels`);
      await makeAWebhook(story);
      await makeARobotThatRefuses(story);
      await seeAnAlertArrive(story);
      await seeItAsOperator(story);
      await turnOffAndDelete(story, id);
      assert.deepEqual(browser.complaints, []);
    } finally {
      await browser.close();
      await operator.close();
    }
  } finally {
    await world.end();
  }
});

interface Story {
  readonly page: Page;
  readonly receiver: TrialReceiver;
  readonly api: OperatorApi;
  readonly at: string;
}

const { alerts, alertChannels: channels } = text;
const dialogOf = (page: Page) => page.getByRole('dialog');
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function choose(page: Page, kind: keyof typeof channels.kinds): Promise<void> {
  await page.getByRole('button', { name: channels.create }).first().click();
  await dialogOf(page).getByLabel(channels.kind).click();
  await page.locator('.ant-select-item-option').filter({ hasText: channels.kinds[kind] }).click();
}

/** A refused URL, a good one, the secret once, and a test that is signed with it. */
async function makeAWebhook({ page, receiver }: Story): Promise<void> {
  await page.getByText(channels.toOperators).waitFor();
  await choose(page, 'webhook');
  const dialog = dialogOf(page);
  await dialog.getByLabel(text.common.name).fill('值班系统');
  const url = dialog.getByLabel(channels.url, { exact: true });
  const submit = dialog.getByRole('button', { name: channels.createSubmit });
  await url.fill('https://10.1.2.3/alerts');
  await submit.click();
  await dialog.getByRole('alert').filter({ hasText: '10.1.2.3' }).waitFor();
  await url.fill(`http://127.0.0.1:${receiver.port}/alerts?key=secret`);
  await submit.click();
  await dialog.getByText(/^whsec_/).waitFor();
  await dialog.getByRole('button', { name: text.push.secret.kept }).click();
  await dialog.waitFor({ state: 'hidden' });
  await rowOf(page, '值班系统').getByText('127.0.0.1').waitFor();

  await page.getByRole('button', { name: filled(channels.testNamed, { name: '值班系统' }) }).click();
  await dialog.getByText(channels.tested).waitFor();
  assert.match(receiver.requests.at(-1) ?? '', /^POST \/alerts\?key=secret HTTP.*\r\nwebhook-signature: v1,/is);
  await dialog.getByRole('button', { name: text.common.close }).last().click();
  await dialog.waitFor({ state: 'hidden' });
}

async function makeARobotThatRefuses({ page, receiver }: Story): Promise<void> {
  await choose(page, 'wecom');
  const dialog = dialogOf(page);
  await dialog.getByLabel(text.common.name).fill('运维群');
  await dialog.getByLabel(channels.robotUrl).fill(`http://127.0.0.1:${receiver.port}/robot?key=of-the-robot`);
  assert.equal(await dialog.getByLabel(channels.secret).count(), 0, 'a robot of WeCom has no secret');
  await dialog.getByRole('button', { name: channels.createSubmit }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: filled(channels.testNamed, { name: '运维群' }) }).click();
  await dialog.getByText(channels.testRefused).waitFor();
  await dialog.getByText(`${refusal.errcode}: ${refusal.errmsg}`).waitFor();
  await dialog.getByRole('button', { name: text.common.close }).last().click();
  await dialog.waitFor({ state: 'hidden' });
}

/** A certificate that expires soon is told while the list is shown, and reaches one of the two. */
async function seeAnAlertArrive({ page, api, at }: Story): Promise<void> {
  await page.getByRole('link', { name: text.menu.alerts, exact: true }).first().click();
  await page.getByText(alerts.none).waitFor();
  const { chainPem, keyPem } = makeTrialCa({ now: Date.now() }).issue({
    domains: ['shop.example.com'],
    notAfter: Date.now() + 10 * day,
  });
  const files = [
    { name: 'chain.pem', text: chainPem },
    { name: 'key.pem', text: keyPem },
  ];
  await api.post(`${at}/certificates`, { files });
  const row = rowOf(page, 'shop.example.com');
  const webhook = row.getByRole('listitem').filter({ hasText: '值班系统' });
  await webhook.getByText(alerts.states.sent).waitFor();
  const robot = row.getByRole('listitem').filter({ hasText: '运维群' });
  await robot.getByText(alerts.states.waiting).waitFor();
  await robot.getByText(refusal.errmsg).waitFor();
}

/** The same in the list of everything, which can be narrowed down to the instance. */
async function seeItAsOperator({ page }: Story): Promise<void> {
  await page.getByRole('link', { name: text.menu.alerts, exact: true }).last().click();
  await page.getByText(alerts.instanceLead).waitFor();
  await rowOf(page, 'shop.example.com').getByRole('link', { name: 'Acme' }).waitFor();
  await page.getByRole('combobox', { name: alerts.about }).click();
  await page.locator('.ant-select-item-option').filter({ hasText: alerts.onlyInstance }).click();
  await rowOf(page, 'shop.example.com').waitFor({ state: 'detached' });
}

async function turnOffAndDelete({ page }: Story, id: string): Promise<void> {
  await page.goto(`/console/o/${id}/alert-channels`);
  await rowOf(page, '运维群').getByText(refusal.errmsg).waitFor();
  for (const name of ['运维群', '值班系统']) {
    const enabled = page.getByRole('switch', { name: filled(channels.enabledNamed, { name }) });
    await enabled.click();
    await enabled.and(page.locator('[aria-checked=false]')).waitFor();
  }
  await page.getByText(channels.toOperators).waitFor();
  await page.getByRole('button', { name: filled(text.common.deleteNamed, { name: '运维群' }) }).click();
  await dialogOf(page).getByText(channels.deleteWhat).waitFor();
  await dialogOf(page).getByRole('button', { name: text.common.delete }).click();
  await rowOf(page, '运维群').waitFor({ state: 'detached' });
}
