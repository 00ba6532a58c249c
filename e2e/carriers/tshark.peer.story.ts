/** Another reader of SMPP and CMPP: tshark decodes what Waxwing and the simulated carrier say to each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../free-port.ts';
import { startPushRecorder } from '../loss/push-recorder.ts';
import { createCarrierAt, openCarrierWorld, untilState } from './sent-by-carrier.ts';
import { carrierAccount, carrierProcess } from './smsc-process.ts';
import { captureOf, withoutTshark } from './tshark.ts';

if (withoutTshark !== false) console.log(`tshark: ${withoutTshark}`);

const script = {
  // Over CMPP numbers have no 86.
  rules: ['86138', '138'].map((prefix) => ({
    prefix,
    replies: [{ text: 'A reply that takes two segments. '.repeat(6), after: '50ms' }],
  })),
};
const texts = ['Hello', '你好', 'Long '.repeat(50)];

/** The commands that both sides must have said, by their ids. */
const commands = {
  smpp: [
    '0x00000004',
    '0x80000004',
    '0x00000005',
    '0x80000005',
    '0x00000009',
    '0x80000009',
    '0x00000015',
    '0x80000015',
  ],
  cmpp: [
    '0x00000001',
    '0x80000001',
    '0x00000004',
    '0x80000004',
    '0x00000005',
    '0x80000005',
    '0x00000008',
    '0x80000008',
  ],
} as const;

for (const protocol of ['smpp', 'cmpp2', 'cmpp3'] as const) {
  test(`tshark decodes a talk over ${protocol}`, { skip: withoutTshark }, async (t) => {
    await using recorder = await startPushRecorder({ seed: 1, hopeless: 0, troubled: 0, slow: 0 });
    const { world, sender, send, statuses } = await openCarrierWorld(recorder);
    try {
      const port = await freePort();
      await using carrier = carrierProcess(world.folder, port, { script, protocol });
      await carrier.start();
      await using capture = await captureOf(port, world.path('talk.pcap'));
      const account = { protocol, account: carrierAccount.id, password: carrierAccount.password };
      const id = await createCarrierAt(world, port, account, '--keep-alive', '500ms');
      await untilState(world, id, 'bound');
      for (const text of texts) {
        const batch = await send(['+8613800138000'], text, '10690000');
        assert.deepEqual(await statuses(batch), ['DELIVRD'], text);
      }
      const list = ['reply', 'list', '--organization', sender.organizationId];
      while ((await world.json<unknown[]>(...list)).length < texts.length);
      while ((await untilState(world, id, 'bound')).last_keep_alive_at === null);
      assert.equal(await world.stop(), 0);
      const name = protocol === 'smpp' ? 'smpp' : 'cmpp';
      const field = name === 'smpp' ? 'smpp.command_id' : 'cmpp.Command_Id';
      const lines = await capture.decode(name, ['_ws.malformed', field]);
      // Its reader of CMPP knows the lengths of 3.0 alone: of 2.0 it reads the heads.
      const malformed = protocol === 'cmpp2' ? [] : lines.filter((line) => !line.startsWith('|'));
      assert.deepEqual(malformed, []);
      const seen = lines.flatMap((line) => line.slice(line.indexOf('|') + 1).split(',')).filter((each) => each !== '');
      const counts = Map.groupBy(seen, (each) => each.toLowerCase());
      for (const command of commands[name]) assert.ok(counts.has(command), `no ${command} was decoded`);
      const told = [...counts].map(([command, all]) => `${command}: ${all.length}`).join(', ');
      t.diagnostic(
        `${protocol}: ${lines.length} packets, ${protocol === 'cmpp2' ? 'their heads' : 'none malformed'}; ${told}`,
      );
    } finally {
      await world.end();
    }
  });
}
