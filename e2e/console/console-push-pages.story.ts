import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import { reply, startTrialReceiver } from '../../packages/server/src/outbound/receiver.testing.ts';
import { bucketNames } from '../../packages/server/src/push/history/push-figures.ts';
import { setPushSetting } from '../guides/messaging-setup.ts';
import type { World } from '../world.ts';
import { type OperatorApi, type PageLook, pageStory } from './page-walk.ts';

const receiver = await startTrialReceiver();
after(() => receiver[Symbol.asyncDispose]());

pageStory('every page of pushes is readable, complete and quiet', {
  settings: {
    WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8',
    WAXWING_PUSH_RETRY_WAITS: '50ms,1h',
    WAXWING_PUSH_RESEND_RATE: '1',
  },
  furnish,
  visit: async (look, places) => {
    const { walk } = look;
    await places.signAnew();
    const at = `/console/o/${places.organization}`;
    const nothing = `/console/o/${places.empty}`;
    await walk({
      'push-settings-empty': `${nothing}/push-settings`,
      'push-health-empty': `${nothing}/push-settings?tab=health`,
      'pushes-empty': `${nothing}/pushes`,
      'push-settings': `${at}/push-settings`,
      'push-health': `${at}/push-settings?tab=health`,
      'push-health-day': `${at}/push-settings?tab=health&span=24h`,
      pushes: `${at}/pushes`,
      'pushes-failed': `${at}/pushes?state=failed&kind=status&since=2026-01-01T00:00:00.000Z`,
      'pushes-none-found': `${at}/pushes?until=2020-01-01T00:00:00.000Z`,
      'push-delivered': `${at}/pushes/${places.delivered}`,
      'push-failed': `${at}/pushes/${places.failed}`,
      'push-waiting': `${at}/pushes/${places.waiting}`,
      'push-off': `${at}/pushes/${places.off}`,
      'missing-push': `${at}/pushes/0000`,
    });
    await openPlotTable(look, `${at}/push-settings?tab=health`);
    await openSettingDialogs(look, `${at}/push-settings`);
    await openResendDialogs(look, `${at}/pushes`);
  },
});

async function openPlotTable({ browser: { page }, look }: PageLook, path: string): Promise<void> {
  await page.goto(path);
  const tables = page.locator('.plot summary');
  await tables.first().waitFor();
  for (const table of await tables.all()) await table.click();
  await look('push-health-tables');
}

async function openSettingDialogs({ browser: { page }, text, look }: PageLook, path: string): Promise<void> {
  const { settings, secret } = text.push;
  await page.goto(path);
  const panel = page.getByRole('region', { name: text.push.kinds.status, exact: true });
  const dialog = page.getByRole('dialog');
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  };

  await panel.getByRole('button', { name: text.push.try.button }).click();
  await dialog.getByText('HTTP 200').waitFor();
  await look('push-try');
  await close();
  await page
    .getByRole('region', { name: text.push.kinds.uplink, exact: true })
    .getByRole('button', { name: text.push.try.button })
    .click();
  await dialog.getByText(text.push.outcomeHelp.refused).waitFor();
  await look('push-try-refused');
  await close();

  await panel.getByRole('button', { name: secret.rotate }).click();
  await look('push-secret-rotate');
  await dialog.getByRole('button', { name: secret.rotate }).click();
  await dialog.getByText(secret.once).waitFor();
  await look('push-secret-once');
  await dialog.getByRole('button', { name: secret.kept }).click();
  await dialog.waitFor({ state: 'hidden' });
  await panel.getByRole('button', { name: secret.own }).click();
  await dialog.getByLabel(secret.ownLabel, { exact: true }).fill('whsec_short');
  await dialog.getByRole('button', { name: text.common.save }).click();
  await dialog.getByRole('alert').waitFor();
  await look('push-secret-own');
  await close();
  await panel.getByRole('button', { name: text.common.remove }).click();
  await look('push-secret-remove');
  await close();

  await panel.getByLabel(settings.url, { exact: true }).fill('https://10.1.2.3/status');
  await panel.getByRole('button', { name: text.common.save }).click();
  await panel.getByRole('alert').filter({ hasText: '10.1.2.3' }).waitFor();
  await look('push-url-refused');
}

async function openResendDialogs({ browser: { page }, text, look }: PageLook, path: string): Promise<void> {
  const { list, resend } = text.push;
  await page.goto(path);
  await page.getByRole('button', { name: resend.many }).click();
  await look('push-resend-many');
  await page.getByRole('dialog').getByRole('button', { name: resend.start }).click();
  await page.getByRole('region', { name: resend.underWay }).waitFor();
  await look('push-resend-under-way');
  await page.goto(`${path}?state=off`);
  await page.getByRole('checkbox').nth(1).check();
  await page.getByRole('button', { name: list.resendSelected }).waitFor();
  await look('pushes-selected');
}

interface Places {
  readonly organization: string;
  readonly empty: string;
  readonly delivered: string;
  readonly failed: string;
  readonly waiting: string;
  readonly off: string;
  /** Each look replaces the secret, and only a few former ones sign: afterwards there are two. */
  readonly signAnew: () => Promise<void>;
}

interface Push {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
}

/** Pushes of every state, figures of a day, and an empty organization. */
async function furnish({ post }: OperatorApi, world: World): Promise<Places> {
  const { id: organizationId } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const { id: empty } = await post<{ id: string }>('/organizations', { name: 'Empty' });
  const url = `http://127.0.0.1:${receiver.port}/sms/status?key=of-the-customer`;
  const status = { organization_id: organizationId, kind: 'status' } as const;
  const set = (change: Parameters<typeof setPushSetting>[2]) =>
    setPushSetting(world, status, { url, enabled: true, ...change });
  let numbers = 0;
  /** @returns the ids of the messages' pushes, once each has that state after this many attempts */
  async function pushed(count: number, state: string, attempts: number): Promise<readonly string[]> {
    const before = (await listed(world, organizationId)).length;
    const mobiles = Array.from({ length: count }, () => {
      numbers += 1;
      return `+86138${String(numbers).padStart(4, '0')}${ending(numbers)}`;
    });
    await post(`/organizations/${organizationId}/messages`, { mobiles, content: '您的验证码是 482913。' });
    for (;;) {
      const pushes = await listed(world, organizationId);
      const fresh = pushes.slice(0, pushes.length - before);
      const isThere = (push: Push) => push.state === state && push.attempts === attempts;
      if (fresh.length === count && fresh.every(isThere)) return fresh.map(({ id }) => id);
    }
  }

  await set({ retries: 3 });
  await world.control.call('setPushSecret', { params: status });
  const [delivered = ''] = await pushed(12, 'delivered', 1);
  receiver.serve = (socket) => socket.write(reply(500, 'database is down'));
  await set({ retries: 0 });
  const [failed = ''] = await pushed(4, 'failed', 1);
  await set({ retries: 2 });
  const [off = ''] = await pushed(2, 'waiting', 2);
  await set({ enabled: false });
  for (;;) if ((await listed(world, organizationId)).every(({ state }) => state !== 'waiting')) break;
  await set({ enabled: true });
  const [waiting = ''] = await pushed(1, 'waiting', 2);
  receiver.serve = (socket) => socket.write(reply(200));
  const closed = `http://127.0.0.1:${await closedPort()}/sms/uplink`;
  await setPushSetting(world, { ...status, kind: 'uplink' }, { url: closed, enabled: true });
  assert.equal(new Set([delivered, failed, waiting, off]).size, 4);
  addFigures(world);
  async function signAnew(): Promise<void> {
    await world.control.call('removePushSecret', { params: status });
    for (const _each of ['former', 'current']) await world.control.call('setPushSecret', { params: status });
  }
  return { organization: organizationId, empty, delivered, failed, waiting, off, signAnew };
}

const listed = (world: World, organizationId: string): Promise<readonly Push[]> =>
  world.control.list('listPushes', { params: { organization_id: organizationId } }, { limit: 100 });

/** Delivered, not delivered, rejected: by the last digits. */
const ending = (number: number): string => (number % 5 === 3 ? '0001' : number % 5 === 4 ? '0002' : '0000');

async function closedPort(): Promise<number> {
  const other = await startTrialReceiver();
  await other[Symbol.asyncDispose]();
  return other.port;
}

/** Figures of the last day, of a receiver that is sometimes slow and was down for an hour. */
function addFigures(world: World): void {
  const database = new DatabaseSync(world.path('data/waxwing.db'), { timeout: 5_000 });
  const columns = ['organization_id', 'setting_id', 'minute', 'delivered', ...bucketNames];
  const insert = database.prepare(
    `insert into push_minute (${columns.join(', ')})
     select organization_id, id, ${columns
       .slice(2)
       .map(() => '?')
       .join(', ')} from push_setting where kind = 'status'
     on conflict do nothing`,
  );
  const now = Math.floor(Date.now() / 60_000);
  database.exec('begin immediate');
  for (let minute = now - 1_430; minute < now; minute += 1) {
    const isDown = minute > now - 300 && minute < now - 240;
    const many = 40 + Math.round(25 * Math.sin(minute / 90)) + (minute % 7);
    const counts = bucketNames.map((_name, bucket) =>
      bucket === 3 ? many : bucket === 6 ? (minute % 5) * 2 : bucket === 9 ? 1 : 0,
    );
    if (minute % 13 !== 0) insert.run(minute, isDown ? 0 : many + (minute % 5), ...counts);
  }
  database.exec('commit');
  database.close();
}
