import { DatabaseSync } from 'node:sqlite';
import { after } from 'node:test';
import type { AlertNotice } from '../../packages/contract/src/management-api/alert-notices.ts';
import { reply, startTrialReceiver } from '../../packages/server/src/outbound/receiver.testing.ts';
import { newId } from '../../packages/server/src/runtime/clock.ts';
import type { World } from '../world.ts';
import { filled } from './console-browser.ts';
import { type OperatorApi, type PageLook, pageStory } from './page-walk.ts';

const receiver = await startTrialReceiver();
after(() => receiver[Symbol.asyncDispose]());
receiver.serve = (socket, head) => {
  const refusal = { errcode: 310_000, errmsg: 'sign not match, more: https://open.dingtalk.com/document/robots' };
  socket.end(reply(200, head.includes(' /dingtalk') ? JSON.stringify(refusal) : '', { Connection: 'close' }));
};

pageStory('every page of alerts is readable, complete and quiet', {
  settings: { WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8', WAXWING_ALERT_EVERY: '1h' },
  furnish,
  visit: async (look, { organization, empty }) => {
    const at = `/console/o/${organization}`;
    await look.walk({
      'alerts-empty': `/console/o/${empty}/alerts`,
      'alert-channels-empty': `/console/o/${empty}/alert-channels`,
      alerts: `${at}/alerts`,
      'alert-channels': `${at}/alert-channels`,
      'instance-alerts': '/console/instance/alerts',
      'instance-alerts-own': '/console/instance/alerts?about=instance',
      'instance-alert-channels': '/console/instance/alert-channels',
    });
    await dialogs(look, `${at}/alert-channels`);
  },
});

async function dialogs({ browser: { page }, text, look }: PageLook, path: string): Promise<void> {
  const { alertChannels: channels } = text;
  const dialog = page.getByRole('dialog');
  const press = async (button: string) => {
    await page.getByRole('button', { name: button }).first().click();
    await dialog.waitFor();
  };
  const close = async () => {
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  };
  await page.goto(path);
  await press(channels.create);
  await look('alert-channel-email');
  for (const kind of ['webhook', 'wecom', 'dingtalk', 'feishu'] as const) {
    await dialog.getByLabel(channels.kind).click();
    await page.locator('.ant-select-item-option').filter({ hasText: channels.kinds[kind] }).click();
    await dialog.getByText(channels.urlHints[kind]).waitFor();
    await look(`alert-channel-${kind}`);
  }
  await dialog.getByLabel(text.common.name).fill('ops');
  await dialog.getByLabel(channels.robotUrl).fill('https://10.1.2.3/hook');
  await dialog.getByRole('button', { name: channels.createSubmit }).click();
  await dialog.getByRole('alert').filter({ hasText: '10.1.2.3' }).waitFor();
  await look('alert-channel-url-refused');
  await close();

  await press(channels.create);
  await dialog.getByLabel(channels.kind).click();
  await page.locator('.ant-select-item-option').filter({ hasText: channels.kinds.webhook }).click();
  await dialog.getByLabel(text.common.name).fill('Grafana OnCall');
  await dialog.getByLabel(channels.url, { exact: true }).fill(`http://127.0.0.1:${receiver.port}/alerts`);
  await dialog.getByRole('button', { name: channels.createSubmit }).click();
  await dialog.getByText(text.push.secret.once).waitFor();
  await look('alert-channel-secret');
  await dialog.getByRole('button', { name: text.push.secret.kept }).click();
  await dialog.waitFor({ state: 'detached' });

  await press(filled(channels.testNamed, { name: '运维值班群' }));
  await dialog.getByText(channels.testRefused).waitFor();
  await look('alert-channel-test-refused');
  await close();
  await press(filled(channels.testNamed, { name: 'Grafana OnCall' }));
  await dialog.getByText(channels.tested).waitFor();
  await look('alert-channel-tested');
  await close();
  await press(filled(channels.edit, { name: '运维值班群' }));
  await dialog.getByText(channels.unsign).waitFor();
  await look('alert-channel-edit');
  await close();
  await press(filled(text.common.deleteNamed, { name: '运维值班群' }));
  await look('alert-channel-delete');
}

interface Places {
  readonly organization: string;
  readonly empty: string;
}

/** An organization with channels of three kinds and alerts of every kind; alerts of the instance; an empty organization. */
async function furnish({ post }: OperatorApi, world: World): Promise<Places> {
  const { id: organization } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const { id: empty } = await post<{ id: string }>('/organizations', { name: 'Empty' });
  const at = `/organizations/${organization}/alert-channels`;
  const to = ['oncall@example.com', 'a-colleague-with-a-long-name@operations.example.com'];
  const mail = await post<{ id: string }>(at, { kind: 'email', name: 'On-call mail', to });
  const robot = await post<{ id: string }>(at, {
    kind: 'dingtalk',
    name: '运维值班群',
    url: `http://127.0.0.1:${receiver.port}/dingtalk?access_token=of-the-robot`,
    secret: 'SECofTheRobot',
  });
  await post(at, { kind: 'webhook', name: 'Off', enabled: false, url: `http://127.0.0.1:${receiver.port}/off` });
  await post('/instance/alert-channels', { kind: 'email', name: 'Operators', to: ['ops@example.com'] });
  addAlerts(world, organization, [
    { ...sent, channel_id: mail.id, kind: 'email', channel: 'On-call mail', destination: to.join(', ') },
    { ...waiting, channel_id: robot.id, kind: 'dingtalk', channel: '运维值班群', destination: '127.0.0.1' },
  ]);
  return { organization, empty };
}

const sent = { state: 'sent', attempts: 1, last_error: null } as const;
const waiting = { state: 'waiting', attempts: 3, last_error: '310000: sign not match' } as const;
const failed = { state: 'failed', attempts: 27, last_error: 'No connection came about (ECONNREFUSED).' } as const;

interface Delivery {
  readonly channel_id: string;
  readonly kind: string;
  readonly channel: string;
  readonly destination: string;
  readonly state: 'sent' | 'waiting' | 'failed';
  readonly attempts: number;
  readonly last_error: string | null;
}

const since = '2026-03-01T04:05:06Z';
const told: readonly (readonly [type: string, notice: AlertNotice, parameters: object])[] = [
  ['instance.disk', 'instance_disk', { server: 'waxwing-1', percent: 7, mebibytes: 3_120 }],
  ['instance.backup', 'instance_backup_old', { at: since, planned: '1 d' }],
  ['instance.clock.resolved', 'instance_clock_resolved', { server: 'waxwing-1' }],
  ['certificate.expiring', 'certificate_expiring', { certificate: 'shop', days: 7, until: since, deployments: 2 }],
  ['certificate.expiring.resolved', 'certificate_expiring_resolved', { certificate: 'shop' }],
  ['certificate.rollout-complete', 'rollout_complete', { certificate: 'shop', version: 3, deployments: 5 }],
  ['deployment.outdated', 'deployment_outdated', { deployment: 'web-01', certificate: 'shop', since }],
  ['push.failing', 'push_failing_status', { host: 'a-very-long-name-of-a-host.shop.example.com', since }],
  ['certificate.expiring', 'certificate_expired', { certificate: '官网', until: since, deployments: 1 }],
];

/** As if they had been told hour by hour, the last one just now. */
function addAlerts(world: World, organization: string, deliveries: readonly Delivery[]): void {
  const database = new DatabaseSync(world.path('data/waxwing.db'), { timeout: 5_000 });
  const insert = (table: string, row: Readonly<Record<string, string | number | null>>) => {
    const names = Object.keys(row);
    database
      .prepare(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
      .run(...Object.values(row));
  };
  database.exec('begin immediate');
  for (const [index, [type, notice, parameters]] of told.entries()) {
    const at = Date.now() - (told.length - index) * 3_600_000;
    const organization_id = type.startsWith('instance.') ? '' : organization;
    const about_id = organization_id === '' ? 'waxwing-1' : newId(at);
    const id = newId(at);
    insert('alert', { id, organization_id, type, about_id, notice, parameters: JSON.stringify(parameters), at });
    // The first one had no channel, and the last one was not accepted by any.
    if (index === 0) continue;
    for (const delivery of deliveries) {
      const state = index === told.length - 1 && delivery.state === 'waiting' ? failed : {};
      const row = { ...delivery, ...state };
      const tried_at = at + 4_000;
      const ended_at = row.state === 'waiting' ? null : tried_at;
      const owner = { organization_id, channel_organization_id: organization_id };
      insert('alert_delivery', { alert_id: id, ...owner, digest_id: newId(at), ...row, tried_at, ended_at });
    }
  }
  database.exec('commit');
  database.close();
}
