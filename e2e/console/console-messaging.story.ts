import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../free-port.ts';
import { makeWorld, mustRun, type World } from '../world.ts';
import { type ConsoleBrowser, openBrowser, textsOf, withoutBrowser } from './console-browser.ts';
import { operatorApi, signedIn } from './page-walk.ts';

const language = 'zh-CN';

/** Its last four digits make the simulator deliver at once. */
const mobile = '+8613800130000';

test('from a messaging key to an opt-out, in a browser', { skip: withoutBrowser }, async () => {
  const world = await makeWorld('sqlite', { WAXWING_LISTEN: `127.0.0.1:${await freePort()}` });
  try {
    await world.start();
    const url = world.url.replace('127.0.0.1', 'localhost');
    const session = await signedIn(world, url);
    const { id } = await operatorApi(session, url).post<{ id: string }>('/organizations', { name: 'Acme' });
    const { cookies } = await session.context.storageState();
    await session.close();
    const browser = await openBrowser({ url, language });
    try {
      await browser.context.addCookies(cookies);
      await browser.page.goto(`/console/o/${id}/messages`);
      await sendingStory(world, browser);
      assert.deepEqual(browser.complaints, []);
    } finally {
      await browser.close();
    }
  } finally {
    await world.end();
  }
});

async function sendingStory(world: World, browser: ConsoleBrowser): Promise<void> {
  const { page } = browser;
  const text = textsOf(language);
  const words = text.messaging;
  const goTo = (name: string) => page.getByRole('link', { name, exact: true }).click();
  await page.getByText(words.list.none).waitFor();

  await goTo(text.menu.messagingKeys);
  await page.getByText(words.keys.none).waitFor();
  await page.getByRole('button', { name: words.keys.create }).first().click();
  await page.getByLabel(text.common.name).fill('shop');
  await page.getByRole('button', { name: text.deployments.addMyAddress }).click();
  await page.getByText('127.0.0.1').waitFor();
  await page.getByRole('button', { name: text.deployments.createSubmit }).click();
  await page.getByText(text.deployments.token.once).waitFor();
  const [token = '', keep = '', send = '', report = ''] = await page.locator('.command pre').allTextContents();
  assert.match(token, /^wxm_\w+$/);
  await page.getByRole('button', { name: text.deployments.tokenKept }).click();
  await page.getByRole('heading', { name: 'shop', exact: true }).waitFor();
  assert.ok(!(await page.content()).includes(token), 'the token is shown once');

  // The list is open while the program sends: the message appears by itself.
  await goTo(text.menu.messages);
  await page.getByText(words.list.none).waitFor();
  const inFolder = (command: string) => mustRun('bash', ['-c', `cd ${world.folder}\n${command}`]);
  const sendFor = (number: string) => send.replace('+8613800138000', number);
  await inFolder(keep);
  const batchOf = (answer: string) => (JSON.parse(answer) as { data: { batch_id: string } }).data.batch_id;
  const batchId = batchOf(await inFolder(sendFor(mobile)));
  const row = page.getByRole('row').filter({ hasText: mobile });
  await row.filter({ hasText: words.states.DELIVRD }).waitFor();
  await row.getByText(words.simulated).waitFor();
  const shown = JSON.parse(await inFolder(report.replace('BATCH_ID', batchId))) as { status: string };
  assert.equal(shown.status, 'success');

  await row.getByRole('link', { name: mobile }).click();
  for (const step of [words.timeline.accepted, words.timeline.segments, words.timeline.noPush]) {
    await page.getByRole('heading', { name: step, exact: true }).waitFor();
  }
  await page.getByRole('heading', { name: words.states.DELIVRD }).waitFor();
  await page.getByRole('link', { name: 'shop' }).waitFor();
  await browser.checkAccess('timeline');

  const reply = ['simulator', 'reply', '--from', mobile, '--to', '10690000', '--text', 'STOP'];
  const { code, stderr } = await world.waxwing(reply);
  assert.equal(code, 0, stderr);
  await goTo(text.menu.replies);
  const stop = page.getByRole('row').filter({ hasText: 'STOP' });
  await stop.getByText(words.replies.stop).waitFor();
  await stop.getByText(words.replies.ownedBy.latestMessage).waitFor();
  await goTo(text.menu.optOuts);
  await page.getByRole('row').filter({ hasText: mobile }).getByText(words.optOuts.sources.reply).waitFor();

  await goTo(text.menu.messages);
  await inFolder(sendFor(mobile));
  const refused = row.filter({ hasText: words.states.REJECTED });
  await refused.getByText(words.memoNames.optedOut).waitFor();
  await refused.getByRole('link', { name: mobile }).click();
  await page.getByText(words.memos.optedOut).waitFor();
  await page.getByRole('heading', { name: words.timeline.carrierNone }).waitFor();
  await browser.checkAccess('timeline of a refused message');
  await browser.picture(`${language}-refused-message`);
}
