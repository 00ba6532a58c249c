import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { quickPushes, setPushSetting } from '../guides/messaging-setup.ts';
import type { World } from '../world.ts';
import { filled } from './console-browser.ts';
import { type OperatorApi, type PageLook, pageStory } from './page-walk.ts';

pageStory('every page of messaging is readable, complete and quiet', {
  settings: quickPushes,
  furnish,
  visit: async (look, places) => {
    const { organization, empty, key } = places;
    const at = `/console/o/${organization}`;
    const none = `/console/o/${empty}`;
    const message = (batch: string) => `${at}/messages/${batch}/0`;
    await look.walk({
      'messages-empty': `${none}/messages`,
      messages: `${at}/messages`,
      'messages-none-found': `${at}/messages?status=UNDELIV&since=2020-01-01T00:00:00Z&until=2020-02-01T00:00:00Z`,
      'messages-wrong-number': `${at}/messages?search=%2B12`,
      'message-batch': `${at}/messages/${places.batch}`,
      'message-timeline': message(places.long),
      'message-timeline-open': message(places.open),
      'message-timeline-rejected': message(places.rejected),
      'message-missing': `${at}/messages/0000/0`,
      'message-batch-missing': `${at}/messages/0000`,
      'replies-empty': `${none}/replies`,
      replies: `${at}/replies`,
      'replies-none-found': `${at}/replies?search=%2B8613900000000`,
      'opt-outs-empty': `${none}/opt-outs`,
      'opt-outs': `${at}/opt-outs`,
      'opt-outs-none-found': `${at}/opt-outs?search=%2B8613900000000`,
      'blocked-empty': `${none}/blocked`,
      'blocked-numbers': `${at}/blocked`,
      'blocked-numbers-none-found': `${at}/blocked?search=%2B8613900000000`,
      'blocked-words': `${at}/blocked?tab=words`,
      'blocked-words-empty': `${none}/blocked?tab=words`,
      'messaging-keys-empty': `${none}/messaging-keys`,
      'messaging-keys': `${at}/messaging-keys`,
      'messaging-key-missing': `${at}/messaging-keys/0000`,
      'messaging-settings': `${at}/messaging-settings`,
      'messaging-settings-empty': `${none}/messaging-settings`,
    });
    await lookAtSending(look, at);
    await lookAtLists(look, at);
    await lookAtKeys(look, at, key);
    await lookAtSettings(look, at);
  },
});

async function lookAtSending({ browser: { page }, text, look }: PageLook, at: string): Promise<void> {
  const { send } = text.messaging;
  await page.goto(`${at}/messages/send`);
  await page.getByRole('heading', { name: send.title }).waitFor();
  await look('send');
  await page.getByLabel(send.mobiles, { exact: true }).fill('+8613800130000\n13800130010，not a number');
  await page.getByLabel(send.content, { exact: true }).fill('您的包裹已发出，预计今天送达。'.repeat(6));
  await page.getByText(send.encodings.ucs2).waitFor();
  await look('send-preview');
  await page.getByRole('button', { name: send.submit, exact: true }).click();
  await page.getByText(text.problem.invalid_parameter.title).waitFor();
  await look('send-refused');
}

async function lookAtLists({ browser: { page }, text, look }: PageLook, at: string): Promise<void> {
  const { optOuts, blocked } = text.messaging;
  const dialog = page.getByRole('dialog');
  const cancel = () => dialog.getByRole('button', { name: text.common.cancel, exact: true }).click();
  for (const [path, label, name] of [
    ['opt-outs', optOuts.add, 'opt-out-add'],
    ['blocked', blocked.numbers.add, 'blocked-number-add'],
    ['blocked?tab=words', blocked.words.add, 'blocked-word-add'],
  ] as const) {
    await page.goto(`${at}/${path}`);
    await page.getByRole('button', { name: label }).click();
    await dialog.getByRole('textbox').waitFor();
    await look(name);
    await cancel();
  }
  await page.goto(`${at}/opt-outs`);
  await page.getByRole('button', { name: filled(optOuts.removeNamed, { name: '+8613800130020' }) }).click();
  await dialog.getByText(optOuts.removeWhat).waitFor();
  await look('opt-out-remove');
  await cancel();
  await page.goto(`${at}/blocked?tab=words`);
  await page.getByRole('button', { name: filled(blocked.removeNamed, { name: 'casino' }) }).click();
  await dialog.getByText(blocked.words.removeWhat).waitFor();
  await look('blocked-word-remove');
}

async function lookAtKeys({ browser: { page }, text, look }: PageLook, at: string, key: string): Promise<void> {
  const { keys } = text.messaging;
  const dialog = page.getByRole('dialog');
  await page.goto(`${at}/messaging-keys/new`);
  await page.getByText(keys.emptyAllowList).waitFor();
  await page.getByRole('combobox', { name: text.deployments.allowList }).fill('0.0.0.0/0 ');
  await page.getByText(keys.openAllowList).waitFor();
  await look('messaging-key-new');
  await page.locator('#name').fill('trial');
  await page.getByLabel(text.deployments.confirmOpen).fill('trial');
  await page.getByRole('button', { name: text.deployments.createSubmit }).click();
  await page.getByText(text.deployments.token.once).waitFor();
  await look('messaging-key-token');

  await page.goto(`${at}/messaging-keys/${key}`);
  await page.getByRole('heading', { name: 'shop', exact: true }).waitFor();
  await look('messaging-key');
  await page.getByRole('button', { name: text.common.edit }).click();
  await dialog.getByLabel(text.common.name).waitFor();
  await look('messaging-key-edit');
  await dialog.getByRole('button', { name: text.common.cancel, exact: true }).click();
  await page.getByRole('button', { name: text.deployments.rotate.button }).click();
  await dialog.getByText(keys.rotateWhat).waitFor();
  await look('messaging-key-rotate');
  await dialog.getByRole('button', { name: text.deployments.rotate.button }).click();
  await dialog.getByText(text.deployments.token.once).waitFor();
  await look('messaging-key-rotated');
  await dialog.getByRole('button', { name: text.deployments.tokenKept }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: text.common.delete }).click();
  await dialog.getByText(keys.deleteWhat).waitFor();
  await look('messaging-key-delete');
}

async function lookAtSettings({ browser: { page }, text, look }: PageLook, at: string): Promise<void> {
  const { settings } = text.messaging;
  await page.goto(`${at}/messaging-settings`);
  await page.getByRole('button', { name: settings.edit }).click();
  await page.getByRole('dialog').getByLabel(settings.perDay).waitFor();
  await look('messaging-quotas');
}

interface Places {
  readonly organization: string;
  readonly empty: string;
  readonly key: string;
  /** Batches: many numbers; three segments with a failing push; one waiting; one refused. */
  readonly batch: string;
  readonly long: string;
  readonly open: string;
  readonly rejected: string;
}

/** Two organizations, one empty; messages of every outcome, replies, opt-outs, blocked lists, keys. */
async function furnish({ post }: OperatorApi, world: World): Promise<Places> {
  const { id: organization } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const { id: empty } = await post<{ id: string }>('/organizations', { name: 'Empty' });
  const of = `/organizations/${organization}`;
  const organizationId = organization;
  await setPushes(world, organizationId);
  const settings = { params: { organization_id: organizationId }, readBy: 'showMessagingSettings' } as const;
  await world.control.call('updateMessagingSettings', { ...settings, body: { default_region: 'CN' } });
  await world.control.call('updateQuotas', { ...settings, body: { messages_per_day: 100_000 } });
  await post(`${of}/blocked-words`, { word: 'casino' });
  await post(`${of}/blocked-words`, { word: '发票代开' });
  for (const number of ['+8613800130030', '+447400123456']) await post(`${of}/blocked-numbers`, { number });
  for (const number of ['+8613800130020', '+8613800130021']) await post(`${of}/opt-outs`, { number });

  const key = await post<{ id: string; token: string }>(`${of}/messaging-keys`, {
    name: 'shop',
    allow: ['127.0.0.1', '203.0.113.7', '2001:db8::/32', '198.51.100.0/24'],
  });
  await post(`${of}/messaging-keys`, { name: '会员系统', allow: [] });
  const send = async (body: object) => (await post<{ batch_id: string }>(`${of}/messages`, body)).batch_id;
  const batch = await send({
    mobiles: ['0000', '0001', '0002', '0003', '0020', '0030'].map((digits) => `+861380013${digits}`),
    content: 'Your parcel is on its way. 您的包裹已发出。',
    sender: 'Acme',
  });
  const rejected = await send({ mobile: '13800130040', content: 'Win at the casino tonight' });
  const open = await send({ mobile: '13800130004', content: '验证码 482913，五分钟内有效。' });
  const long = await send({ mobile: '+8613800130000', content: '尊敬的客户，您的订单已发货，请留意查收。'.repeat(8) });
  for (const [from, text] of [
    ['+8613800130000', '谢谢，已收到'],
    ['+8613800130001', 'Could you come after 6 pm? The bell does not work, please call when you are at the door.'],
    ['+8613800130050', 'TD'],
    ['+8613800130001', '退订'],
  ] as const)
    await world.control.call('replyBySimulator', { body: { from, to: '+8610690000', text } });
  await waitForFailedPush(world, organizationId, long);
  return { organization, empty, key: key.id, batch, long, open, rejected };
}

/** The receiver answers with an error, so each push uses all its attempts. */
async function setPushes(world: World, organizationId: string): Promise<void> {
  const receiver = createServer((_request, response) => {
    response.writeHead(500, { 'content-type': 'text/plain' }).end('The database is not there.\nTry again later.');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  // It ends with the test's process.
  receiver.unref();
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/status?shop=7`;
  const kind = { organization_id: organizationId, kind: 'status' } as const;
  await setPushSetting(world, kind, { url, enabled: true, retries: 2 });
}

async function waitForFailedPush(world: World, organizationId: string, batchId: string): Promise<void> {
  for (;;) {
    const { messages } = await world.control.call('showMessageBatch', {
      params: { organization_id: organizationId, batch_id: batchId },
    });
    if (messages.every(({ push }) => push === 'failed')) return;
  }
}
