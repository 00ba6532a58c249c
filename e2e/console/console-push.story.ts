import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reply, startTrialReceiver, type TrialReceiver } from '../../packages/server/src/outbound/receiver.testing.ts';
import { freePort } from '../free-port.ts';
import { setPushSetting } from '../guides/messaging-setup.ts';
import { makeWorld, type World } from '../world.ts';
import { type ConsoleBrowser, filled, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { operatorApi, signedIn } from './page-walk.ts';

const language = 'zh-CN';

/** So slow that a re-send of four can be watched. */
const resendRate = '1';

test('pushes are set up, tried, fail, and are sent again, in a browser', {
  skip: withoutBrowser,
}, async () => {
  const world = await makeWorld('sqlite', {
    WAXWING_LISTEN: `127.0.0.1:${await freePort()}`,
    WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
    WAXWING_PUSH_RESEND_RATE: resendRate,
  });
  await using receiver = await startTrialReceiver();
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const operator = await signedIn(world, url);
    const { id: organizationId } = await operatorApi(operator, url).post<{ id: string }>('/organizations', {
      name: 'Story',
    });
    const { cookies } = await operator.context.storageState();
    await operator.close();
    const browser = await openBrowser({ url, language });
    try {
      await browser.context.addCookies(cookies);
      await tellStory({ world, browser, receiver, organizationId, text: textsOf(language) });
      assert.deepEqual(browser.complaints, []);
    } finally {
      await browser.close();
    }
  } finally {
    await world.end();
  }
});

interface Story {
  readonly world: World;
  readonly browser: ConsoleBrowser;
  readonly receiver: TrialReceiver;
  readonly organizationId: string;
  readonly text: ReturnType<typeof textsOf>;
}

async function tellStory(story: Story): Promise<void> {
  const { world, browser, receiver, organizationId, text } = story;
  const { page } = browser;
  const send = await sender(world, organizationId);
  const serve = (status: number) => {
    receiver.serve = (socket) => socket.write(reply(status));
  };
  await page.goto(`/console/o/${organizationId}/push-settings`);
  await setUp(story);
  await tryIt(story);

  await send('+8613800130000');
  await page.getByRole('link', { name: text.menu.messages, exact: true }).click();
  await page.getByRole('link', { name: '+8613800130000' }).first().click();
  await page.getByText(filled(text.messaging.timeline.attempt, { number: 1 })).waitFor();
  await page.getByText('HTTP 200').waitFor();
  await page.getByRole('link', { name: text.messaging.timeline.seePush }).click();
  await page.getByRole('heading', { name: filled(text.push.one.attempt, { number: 1 }) }).waitFor();
  await page.getByText('HTTP 200').waitFor();
  await page.getByText(text.push.answer.withheld).waitFor();
  await page.getByRole('main').getByRole('link', { name: text.menu.pushes }).click();
  await rows(story, 'delivered', 1);

  serve(500);
  for (let number = 1; number <= 5; number += 1) await send(`+8613801${number}00000`);
  await rows(story, 'failed', 5);
  serve(200);
  await resendSelected(story);
  await resendAllFailed(story);
  await sendWhatWasMissed(story, send);
}

const statusOf = (organizationId: string) => ({ organization_id: organizationId, kind: 'status' }) as const;

/** @returns sends a message by the customers' interface, as the demo's shop does */
async function sender(world: World, organizationId: string): Promise<(mobile: string) => Promise<void>> {
  const { token } = await world.control.call('createMessagingKey', {
    params: { organization_id: organizationId },
    body: { name: 'shop', allow: ['127.0.0.1'] },
  });
  return async (mobile) => {
    const answer = await fetch(`${world.url}/api/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ mobile, content: 'Hello' }),
    });
    assert.equal(answer.status, 200, await answer.text());
  };
}

const panelOf = ({ browser, text }: Story) =>
  browser.page.getByRole('region', { name: text.push.kinds.status, exact: true });

/** A refused URL, one that another person changes meanwhile, and a saved one. */
async function setUp(story: Story): Promise<void> {
  const { world, organizationId, receiver, text } = story;
  const { settings } = text.push;
  const panel = panelOf(story);
  const url = panel.getByLabel(settings.url, { exact: true });
  const save = panel.getByRole('button', { name: text.common.save });
  await url.fill('https://localhost/status');
  await save.click();
  await panel.getByRole('alert').filter({ hasText: 'localhost' }).waitFor();

  const own = `http://127.0.0.1:${receiver.port}/status?key=secret`;
  await url.fill(own);
  await panel.getByLabel(settings.retries).fill('0');
  await panel.getByRole('switch').click();
  await setPushSetting(world, statusOf(organizationId), { url: `${own}2`, concurrency: 7 });
  const theirs = panel.getByText(
    filled(settings.conflict.change, { field: settings.concurrency, from: '64', to: '7' }),
  );
  await theirs.waitFor();
  await panel.getByRole('button', { name: settings.conflict.mine }).click();
  await theirs.waitFor({ state: 'detached' });
  await save.click();
  await panel.getByText(text.push.on, { exact: true }).waitFor();
  const shown = await world.control.call('showPushSetting', { params: statusOf(organizationId) });
  assert.deepEqual([shown.url, shown.retries, shown.concurrency, shown.enabled], [own, 0, 7, true]);
}

/** Shows the very request, signed once there is a secret. Its own query stays secret. */
async function tryIt(story: Story): Promise<void> {
  const { browser, receiver, text } = story;
  const { secret } = text.push;
  const panel = panelOf(story);
  const dialog = browser.page.getByRole('dialog');
  await browser.page.getByRole('button', { name: text.push.resend.notNow }).click();
  await dialog.waitFor({ state: 'hidden' });
  await typeWhileItIsSaved(story);
  await panel.getByRole('button', { name: secret.generate }).click();
  await dialog.getByRole('button', { name: secret.generate }).click();
  await dialog.getByText(/^whsec_/).waitFor();
  await dialog.getByRole('button', { name: secret.kept }).click();
  await dialog.waitFor({ state: 'hidden' });
  await panel.getByText(secret.signed, { exact: true }).waitFor();

  await panel.getByRole('button', { name: text.push.try.button }).click();
  await dialog.getByText(text.push.try.delivered, { exact: true }).waitFor();
  const request = await dialog.locator('pre').first().innerText();
  assert.match(request, /^GET http:\/\/127\.0\.0\.1:\d+\/status\?\*\*\*&batch_id=test&mobile=.*&status=DELIVRD\n/);
  assert.match(request, /\nwebhook-signature: v1,/);
  assert.match(receiver.requests.at(-1) ?? '', /^GET \/status\?key=secret&batch_id=test/);
  await browser.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
}

/** A save does not count as another person's change, even with newer text in the form. */
async function typeWhileItIsSaved(story: Story): Promise<void> {
  const { world, browser, organizationId, text } = story;
  const { page } = browser;
  const { settings } = text.push;
  const panel = panelOf(story);
  const retries = panel.getByLabel(settings.retries);
  const save = panel.getByRole('button', { name: text.common.save });
  const held = Promise.withResolvers<void>();
  await page.route('**/push-settings/status', async (route) => {
    if (route.request().method() === 'PATCH') await held.promise;
    await route.continue();
  });
  const asked = page.waitForRequest((request) => request.method() === 'PATCH');
  const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await retries.fill('1');
  await save.click();
  await asked;
  await retries.fill('2');
  held.resolve();
  assert.equal((await answered).status(), 200);
  await page.getByText(settings.saved).last().waitFor();
  assert.equal(await panel.getByRole('button', { name: settings.conflict.mine }).count(), 0);
  assert.equal(await retries.inputValue(), '2');
  await retries.fill('0');
  await save.click();
  const isBack = async () =>
    (await world.control.call('showPushSetting', { params: statusOf(organizationId) })).retries === 0;
  while (!(await isBack()));
  await page.unroute('**/push-settings/status');
}

/** Waits until the list shows so many pushes in that state. */
async function rows({ browser: { page }, text }: Story, state: 'delivered' | 'failed', count: number): Promise<void> {
  const marks = page.getByRole('cell', { name: text.push.list.states[state], exact: true });
  await marks.nth(count - 1).waitFor();
  assert.equal(await marks.count(), count);
}

async function resendSelected(story: Story): Promise<void> {
  const { browser, text } = story;
  const { page } = browser;
  const failed = page.getByRole('row').filter({ hasText: text.push.list.states.failed });
  await failed.first().getByRole('checkbox').check();
  const resend = page.getByRole('button', { name: text.push.list.resendSelected });
  await resend.waitFor();
  // Pushes hidden by a filter are not sent again.
  await page.getByRole('combobox', { name: text.push.list.columns.kind }).click();
  await page.locator('.ant-select-item-option').filter({ hasText: text.push.kinds.uplink }).click();
  await resend.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: text.common.clearFilters }).click();
  await resend.click();
  await rows(story, 'delivered', 2);
  await rows(story, 'failed', 4);
}

async function resendAllFailed(story: Story): Promise<void> {
  const { browser, text } = story;
  const { page } = browser;
  const { resend } = text.push;
  await page.getByRole('button', { name: resend.many }).click();
  await page.getByRole('dialog').getByRole('button', { name: resend.start }).click();
  const progress = page.getByRole('region', { name: resend.underWay });
  await progress
    .getByRole('status')
    .filter({ hasText: /\b[123]\b.*\b4\b/ })
    .waitFor();
  await progress.getByText(filled(resend.finished, { moved: 4 })).waitFor();
  await rows(story, 'delivered', 6);
  await progress.getByRole('button', { name: resend.dismiss }).click();
  await progress.waitFor({ state: 'detached' });
}

/** Off, a message, on again: the missed push is offered and sent. */
async function sendWhatWasMissed(story: Story, send: (mobile: string) => Promise<void>): Promise<void> {
  const { world, browser, organizationId, text } = story;
  const { page } = browser;
  const { resend } = text.push;
  await setPushSetting(world, statusOf(organizationId), { enabled: false });
  await send('+8613800990000');
  const isSettled = async () => {
    const messages = await world.control.list(
      'listMessages',
      { params: { organization_id: organizationId } },
      { limit: 1 },
    );
    return messages[0]?.status === 'DELIVRD';
  };
  while (!(await isSettled()));
  await page.getByRole('link', { name: text.menu.pushSettings }).click();
  const panel = panelOf(story);
  await panel.getByText(text.push.off, { exact: true }).waitFor();
  await panel.getByRole('switch').click();
  await panel.getByRole('button', { name: text.common.save }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(resend.missedTitle).waitFor();
  await dialog.getByRole('button', { name: resend.start }).click();
  await dialog.getByRole('link', { name: text.menu.pushes }).click();
  await page.getByRole('link', { name: '+8613800990000' }).waitFor();
  await rows(story, 'delivered', 7);
}
