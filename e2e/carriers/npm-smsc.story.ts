/** Waxwing at a carrier that we did not write: a server of the npm package `smpp`. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { test } from 'node:test';
import { startPushRecorder } from '../loss/push-recorder.ts';
import { createCarrierAt, openCarrierWorld, untilState } from './sent-by-carrier.ts';

/** What the story uses of the package, which has no types. */
interface ForeignPdu {
  readonly command: string;
  readonly command_status: number;
  readonly password: string;
  readonly destination_addr: string;
  readonly source_addr: string;
  readonly data_coding: number;
  readonly registered_delivery: number;
  readonly short_message: { readonly message: string; readonly udh?: readonly Uint8Array[] };
  response(fields?: object): unknown;
}

interface ForeignSession extends EventEmitter {
  send(pdu: unknown): void;
  deliver_sm(fields: object, done: (pdu: ForeignPdu) => void): void;
  enquire_link(fields: object, done: (pdu: ForeignPdu) => void): void;
}

interface ForeignPackage {
  createServer(take: (session: ForeignSession) => void): Server;
}

const foreign = createRequire(import.meta.url)('smpp') as ForeignPackage;
const account = { protocol: 'smpp', account: 'story', password: 'sesame12' };
const isLast = (udh: readonly Uint8Array[] | undefined) => udh === undefined || udh[0]?.at(-1) === udh[0]?.at(-2);

/** Accepts the right password, throttles the first submit, and reports each message as delivered. */
async function startForeignSmsc() {
  const submits: ForeignPdu[] = [];
  const heard = new EventEmitter();
  let sessions: ForeignSession[] = [];
  let throttles = 1;
  const server = foreign.createServer((session) => {
    session.on('error', () => {});
    session.on('bind_transceiver', (pdu: ForeignPdu) => {
      const isRight = pdu.password === account.password;
      session.send(pdu.response({ command_status: isRight ? 0 : 0x0e, system_id: 'foreign' }));
      if (isRight) sessions = [session];
    });
    session.on('enquire_link', (pdu: ForeignPdu) => {
      session.send(pdu.response());
      heard.emit('enquired');
    });
    session.on('unbind', (pdu: ForeignPdu) => session.send(pdu.response()));
    session.on('submit_sm', (pdu: ForeignPdu) => {
      if (throttles-- > 0) return session.send(pdu.response({ command_status: 0x58 }));
      submits.push(pdu);
      const id = `F${submits.length}`;
      session.send(pdu.response({ message_id: id }));
      const text = `id:${id} sub:001 dlvrd:001 submit date:2601010000 done date:2601010000 stat:DELIVRD err:000 text:`;
      const from = { source_addr: pdu.destination_addr, destination_addr: pdu.source_addr };
      const take = (answer: ForeignPdu) => heard.emit('acknowledged', answer.command_status);
      session.deliver_sm({ ...from, esm_class: 4, short_message: text }, take);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    submits,
    heard,
    session: () => sessions[0] ?? assert.fail('nobody is bound'),
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
}

test('messages go through a server of npm smpp, with receipts, a reply, throttling and keep-alives', async () => {
  await using recorder = await startPushRecorder({ seed: 1, hopeless: 0, troubled: 0, slow: 0 });
  await using smsc = await startForeignSmsc();
  const { world, sender, send, statuses } = await openCarrierWorld(recorder);
  try {
    const refused = await createCarrierAt(world, smsc.port, { ...account, password: 'wrong' });
    const { connections } = await untilState(world, refused, 'refused');
    assert.match(connections[0]?.last_error ?? '', /ESME_RINVPASWD/);
    await world.json('carrier', 'delete', refused, '--yes');

    const enquired = once(smsc.heard, 'enquired');
    const id = await createCarrierAt(world, smsc.port, account, '--keep-alive', '500ms');
    await untilState(world, id, 'bound');
    await enquired;

    const texts = ['Hello', '你好', 'Long '.repeat(50), '长'.repeat(100), 'Price: 5 €'];
    for (const text of texts) {
      const batch = await send(['+8613800138000'], text, '10690000');
      assert.deepEqual(await statuses(batch), ['DELIVRD'], text);
    }
    const received: string[] = [];
    let joined = '';
    for (const { short_message, registered_delivery } of smsc.submits) {
      assert.equal(registered_delivery, 1);
      joined += short_message.message;
      if (!isLast(short_message.udh)) continue;
      received.push(joined);
      joined = '';
    }
    assert.deepEqual(received, texts);

    const from = { source_addr: '8613800138000', destination_addr: '10690000' };
    const [status] = await new Promise<number[]>((resolve) => {
      smsc.session().deliver_sm({ ...from, short_message: 'Yes, please' }, (pdu) => resolve([pdu.command_status]));
    });
    assert.equal(status, 0);
    const [reply] = await world.json<{ message: string }[]>('reply', 'list', '--organization', sender.organizationId);
    assert.equal(reply?.message, 'Yes, please');
    const asked = await new Promise<ForeignPdu>((resolve) => smsc.session().enquire_link({}, resolve));
    assert.equal(asked.command, 'enquire_link_resp');

    const shown = await untilState(world, id, 'bound');
    assert.deepEqual([shown.throttled, shown.unmatched_receipts], [1, 0]);
    assert.notEqual(shown.last_keep_alive_at, null);
  } finally {
    await world.end();
  }
});
