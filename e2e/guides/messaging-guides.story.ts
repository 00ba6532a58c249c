import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { startDemoReceiver } from '../demo-receiver.ts';
import type { World } from '../world.ts';
import { adapt, blocksUnder } from './guide.ts';
import type { ShellSession } from './shell-session.ts';
import { tellGuide } from './tell-guide.ts';

const sending = 'docs/guides/sending-messages.md';
const receiving = 'docs/guides/receiving-pushes.md';
const trial = { WAXWING_PUSH_ALLOW_NETWORKS: '127.0.0.0/8', WAXWING_PUSH_RETRY_WAITS: '200ms' };

const readJson = (world: World, name: string) => JSON.parse(readFileSync(world.path(`trial/${name}`), 'utf8'));

async function sendABatch(world: World, shell: ShellSession): Promise<void> {
  const [send = '', report = ''] = blocksUnder(sending, 'A batch');
  await shell.paste(adapt(send, { 'http://localhost:8080': world.url }));
  await shell.paste(report);
}

tellGuide(
  'a batch is sent, looked at, read as events and answered by the guide on sending',
  async (world, shell) => {
    for (const block of blocksUnder(sending, 'Sending messages')) await shell.paste(block);
    const [events = ''] = blocksUnder(sending, 'Reading everything that happened');
    // Also before anything was sent.
    await shell.paste(`BASE=${world.url}\n${events}`);
    for (const name of ['events.json', 'more.json']) assert.deepEqual(readJson(world, name).data.events, []);
    await sendABatch(world, shell);
    assert.deepEqual(
      readJson(world, 'report.json').data.messages.map(({ mobile }: { mobile: string }) => mobile),
      ['+8613800130000', '13800130002'],
    );
    await shell.paste(
      'while [ "$(npx --no waxwing message list --organization "$ORGANIZATION" --status open --json)" != "[]" ]; do :; done',
    );
    await shell.paste(events);
    assert.deepEqual(
      readJson(world, 'events.json')
        .data.events.map(({ status }: { status: string }) => status)
        .sort(),
      ['DELIVRD', 'REJECTED'],
    );
    assert.deepEqual(readJson(world, 'more.json').data.events, []);
    const [reply = ''] = blocksUnder(sending, 'Trying every outcome: the simulator');
    assert.match(await shell.paste(reply), /\+8613800130000.*Thank you/);
    for (const block of blocksUnder(sending, 'Whose reply it is')) await shell.paste(block);
  },
  trial,
);

tellGuide(
  'pushes arrive, prove where they are from and are sent again by the guide on receiving',
  async (world, shell) => {
    const receiver = await startDemoReceiver();
    try {
      const [setUp = ''] = blocksUnder(sending, 'Sending messages');
      await shell.paste(setUp);
      const [settings = ''] = blocksUnder(receiving, "A customer's server");
      const printed = await shell.paste(adapt(settings, { 'https://shop.example.com/sms': receiver.url }));
      const [secret = ''] = /whsec_\S+/.exec(printed) ?? [];
      assert.match(printed, /delivered +yes/);
      receiver.secret = secret;
      const [send = ''] = blocksUnder(sending, 'A batch');
      await receiver.next();
      await shell.paste(adapt(send, { 'http://localhost:8080': world.url }));
      const { headers, query, signed } = await receiver.next();
      assert.equal(signed, true);

      const [code = ''] = blocksUnder(receiving, 'Whether it is from us', 'js');
      writeFileSync(world.path('signature.mjs'), code);
      const { isFromWaxwing } = await import(pathToFileURL(world.path('signature.mjs')).href);
      assert.equal(isFromWaxwing(headers, query, secret), true);
      assert.equal(isFromWaxwing(headers, `${query}&status=DELIVRD`, secret), false);
      assert.equal(isFromWaxwing(headers, query, secret, Date.now() + 301_000), false);
      assert.equal(isFromWaxwing({}, query, secret), false);

      for (const heading of ['When something did not arrive']) {
        for (const block of blocksUnder(receiving, heading)) await shell.paste(block);
      }
    } finally {
      receiver.close();
    }
  },
  trial,
);
