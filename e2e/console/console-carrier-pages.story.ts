import { after } from 'node:test';
import { makeTrialCa } from '../../packages/pki/src/trial-ca.testing.ts';
import { type Smsc, smscLimits, startSmsc } from '../../packages/smsc/src/run-smsc.ts';
import type { SmscProtocolName } from '../../packages/smsc/src/smsc-protocol.ts';
import { scriptOf } from '../../packages/smsc/src/trial-smsc.testing.ts';
import { freePort } from '../free-port.ts';
import type { World } from '../world.ts';
import { filled } from './console-browser.ts';
import { type OperatorApi, type PageLook, pageStory } from './page-walk.ts';

const account = { id: 'trial', password: 'sesame' };

/** Accepts everything but what goes to numbers that end in 13; some submits are throttled. */
async function startCarrier(protocol: SmscProtocolName): Promise<Smsc> {
  const rules = [
    { prefix: '+8613800138013', answer: 'refuse', code: protocol === 'smpp' ? '0x0b' : 5 },
    { share: 0.1, answer: 'throttle' },
  ];
  return startSmsc({
    protocol,
    account,
    listen: { host: '127.0.0.1', port: 0 },
    script: scriptOf(protocol, { rules }),
    tls: undefined,
    seed: 'pages',
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    limits: smscLimits,
    onTrouble: () => {},
  });
}

const smpp = await startCarrier('smpp');
const cmpp = await startCarrier('cmpp3');
after(() => Promise.all([smpp.close(0), cmpp.close(0)]));

pageStory('every page of carriers is readable, complete and quiet', {
  furnish,
  visit: async (look, places) => {
    const { browser, text } = look;
    const { page } = browser;
    const { states } = text.carriers;
    const pages = { bound: places.bound, refused: places.refused, connecting: places.down, disabled: places.disabled };
    for (const [state, id] of Object.entries(pages)) {
      await page.goto(`/console/instance/carriers/${id}`);
      await page
        .locator('.page-head')
        .getByText(states[state as keyof typeof states], { exact: true })
        .waitFor();
      if (state === 'connecting') await page.getByText('ECONNREFUSED').or(page.getByText('refused')).first().waitFor();
      // The rate is known from the second sample on.
      if (state === 'bound') await page.getByRole('img', { name: text.carriers.plots.rate }).waitFor();
      await look.look(`carrier-${state}`);
    }
    await look.walk({
      carriers: '/console/instance/carriers',
      'carrier-missing': '/console/instance/carriers/0000',
      'message-carrier-chosen': `/console/o/${places.organization}/messages/${places.sent}/0`,
      'message-carrier-refused': `/console/o/${places.organization}/messages/${places.rejected}/0`,
      'message-carrier-waits': `/console/o/${places.organization}/messages/${places.waiting}/0`,
    });
    await listDialogs(look);
    await switchDialogs(look, places.bound);
  },
});

function dialogs({ browser: { page } }: PageLook) {
  const dialog = page.getByRole('dialog');
  return {
    dialog,
    async press(name: string) {
      await page.getByRole('button', { name }).first().click();
      await dialog.waitFor();
    },
    async choose(label: string, choice: string) {
      await dialog.getByLabel(label, { exact: true }).click();
      await page.locator('.ant-select-item-option').filter({ hasText: choice }).click();
    },
    async close() {
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    },
  };
}

async function listDialogs(look: PageLook): Promise<void> {
  const { carriers: words } = look.text;
  const { page } = look.browser;
  const { dialog, press, choose, close } = dialogs(look);
  await page.goto('/console/instance/carriers');
  await press(words.create);
  await look.look('carrier-create-smpp');
  await choose(words.settings.protocol, words.choices.protocol.cmpp3);
  await choose(words.settings.tls, words.choices.tls.verify);
  await dialog.getByLabel(words.settings.source_address).waitFor();
  await dialog.getByRole('button', { name: words.createSubmit, exact: true }).click();
  await dialog.getByText(look.text.common.required).first().waitFor();
  await look.look('carrier-create-cmpp');
  await dialog.getByLabel(look.text.common.name, { exact: true }).fill('Wrong password');
  await dialog.getByLabel(words.settings.address, { exact: true }).fill('ismg.example.com:7890');
  await dialog.getByLabel(words.settings.account, { exact: true }).fill('901234');
  await dialog.getByLabel(words.settings.password, { exact: true }).fill('sesame');
  await dialog.getByRole('button', { name: words.createSubmit, exact: true }).click();
  await dialog.getByRole('alert').filter({ hasText: 'Wrong password' }).waitFor();
  await look.look('carrier-create-refused');
  await close();
  await press(filled(words.edit, { name: '联通 Unicom' }));
  await dialog.getByText(words.passwordKept).waitFor();
  await look.look('carrier-edit');
  await close();
  await press(filled(words.test.named, { name: '联通 Unicom' }));
  await dialog.getByRole('button', { name: words.test.button, exact: true }).click();
  await dialog.getByText(words.test.worked).waitFor();
  await look.look('carrier-test-worked');
  await close();
  await press(filled(words.test.named, { name: 'Wrong password' }));
  await dialog.getByLabel(words.test.to).fill('+8613800138000');
  await dialog.getByRole('button', { name: words.test.button, exact: true }).click();
  await dialog.getByText(words.test.failed).waitFor();
  await look.look('carrier-test-failed');
}

async function switchDialogs(look: PageLook, id: string): Promise<void> {
  const { carriers: words, common } = look.text;
  const { press, close } = dialogs(look);
  await look.browser.page.goto(`/console/instance/carriers/${id}`);
  await press(words.disable);
  await look.look('carrier-disable');
  await close();
  await press(common.delete);
  await look.look('carrier-delete');
}

interface Places {
  readonly organization: string;
  readonly bound: string;
  readonly refused: string;
  readonly down: string;
  readonly disabled: string;
  readonly sent: string;
  readonly rejected: string;
  readonly waiting: string;
}

/** Carriers in every state, and messages that they took, refused and wait for. */
async function furnish({ post }: OperatorApi, world: World): Promise<Places> {
  const { id: organization } = await post<{ id: string }>('/organizations', { name: '示例科技 Acme' });
  const { id: other } = await post<{ id: string }>('/organizations', { name: 'Another organization' });
  const create = async (name: string, more: object) => {
    const common = { name, account: account.id, password: account.password };
    return (await post<{ id: string }>('/instance/carriers', { ...common, ...more })).id;
  };
  const bound = await create('联通 Unicom', {
    ...{ protocol: 'smpp', address: `127.0.0.1:${smpp.port}`, for_prefix: ['+86', '+852'], connection_count: 3 },
    ...{ window: 50, rate: 200, for_organization: [organization, other], temporary: ['0x0400', '0x0401'] },
    ...{ system_type: 'VMA', source_ton: 5, source_npi: 0 },
  });
  const refused = await create('Wrong password', {
    ...{ protocol: 'cmpp3', address: `127.0.0.1:${cmpp.port}`, password: 'open', priority: 2 },
    ...{ for_prefix: ['+86'], source_address: '10690012345', service_id: 'notify' },
  });
  const down = await create('A carrier with a rather long name that nobody reaches at the moment', {
    ...{ protocol: 'smpp', address: `127.0.0.1:${await freePort()}`, for_prefix: ['+44'] },
  });
  const tls_ca = makeTrialCa({ now: Date.now() }).certificatePem;
  const disabled = await create('Disabled', {
    ...{ protocol: 'cmpp2', address: 'ismg.example.com:7890', enabled: false, weight: 20 },
    ...{ tls: 'verify', tls_ca, tls_name: 'ismg.example.com' },
  });
  const send = async (mobile: string) => {
    const body = { mobiles: [mobile], content: '您的订单已发货。' };
    const { batch_id } = await world.control.call('sendByHand', { params: { organization_id: organization }, body });
    return batch_id;
  };
  const sent = await send('+8613800138000');
  for (let index = 10; index < 30; index += 1) await send(`+86138001390${index}`);
  const rejected = await send('+8613800138013');
  return { organization, bound, refused, down, disabled, sent, rejected, waiting: await send('+447700900123') };
}
