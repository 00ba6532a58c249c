/** A client that we did not write (npm `smpp`) at the simulated carrier. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import { trialAccount, trialSmsc } from './trial-smsc.testing.ts';

/** What the test uses of the package, which has no types. */
interface ForeignPdu {
  readonly command: string;
  readonly command_status: number;
  readonly system_id?: string;
  readonly message_id: string;
  readonly esm_class: number;
  readonly receipted_message_id?: string;
  readonly message_state?: number;
  readonly source_addr: string;
  readonly destination_addr: string;
  readonly short_message: { readonly message: string | Uint8Array; readonly udh?: readonly Uint8Array[] };
  response(fields?: object): unknown;
}

interface ForeignSession extends EventEmitter {
  bind_transceiver(fields: object, done: (pdu: ForeignPdu) => void): void;
  submit_sm(fields: object, done: (pdu: ForeignPdu) => void): void;
  enquire_link(fields: object, done: (pdu: ForeignPdu) => void): void;
  unbind(fields: object, done: (pdu: ForeignPdu) => void): void;
  send(pdu: unknown): void;
  close(): void;
}

const foreign = createRequire(import.meta.url)('smpp') as { connect(options: object): ForeignSession };

type Request = 'bind_transceiver' | 'submit_sm' | 'enquire_link' | 'unbind';

function foreignClient(t: TestContext, port: number) {
  const session = foreign.connect({ host: '127.0.0.1', port });
  const delivers: ForeignPdu[] = [];
  const arrivals = new EventEmitter();
  session.on('error', () => {});
  session.on('deliver_sm', (pdu: ForeignPdu) => {
    session.send(pdu.response());
    delivers.push(pdu);
    arrivals.emit('arrival');
  });
  t.after(() => session.close());
  return {
    session,
    ask: (request: Request, fields: object = {}) => {
      return new Promise<ForeignPdu>((resolve) => session[request](fields, resolve));
    },
    async delivered(count: number): Promise<readonly ForeignPdu[]> {
      while (delivers.length < count) await once(arrivals, 'arrival');
      return delivers;
    },
  };
}

const bind = { system_id: trialAccount.id, password: trialAccount.password };

test('a foreign client binds, submits, gets its receipts and replies, and unbinds', async (t) => {
  const replies = [{ text: 'Stop sending me these messages. '.repeat(8) }];
  const smsc = await trialSmsc(t, 'smpp', { rules: [{ prefix: '1', replies }] });
  const { ask, delivered, session } = foreignClient(t, smsc.port);
  const bound = await ask('bind_transceiver', bind);
  assert.deepEqual([bound.command_status, bound.system_id], [0, 'waxwing']);
  assert.equal((await ask('enquire_link')).command, 'enquire_link_resp');
  const message = { source_addr: '10690000', registered_delivery: 1, short_message: '你好, café' };
  const { message_id } = await ask('submit_sm', { ...message, destination_addr: '13800138000' });
  const [receipt, ...parts] = await delivered(3);
  assert.deepEqual([receipt?.esm_class, receipt?.message_state], [4, 2]);
  assert.equal(receipt?.receipted_message_id, message_id);
  assert.ok(String(receipt?.short_message.message).startsWith(`id:${message_id} sub:001 dlvrd:001 `));
  assert.deepEqual([receipt?.source_addr, receipt?.destination_addr], ['13800138000', '10690000']);
  assert.equal(parts.map((part) => part.short_message.message).join(''), replies[0]?.text);
  assert.ok(parts.every((part) => part.short_message.udh !== undefined));
  const closed = once(session, 'close');
  assert.equal((await ask('unbind')).command, 'unbind_resp');
  await closed;
  assert.equal(smsc.counts().acknowledged, 3);
});

test('a foreign client with a wrong password is told so', async (t) => {
  const smsc = await trialSmsc(t, 'smpp');
  const { ask, session } = foreignClient(t, smsc.port);
  const closed = once(session, 'close');
  assert.equal((await ask('bind_transceiver', { ...bind, password: 'wrong' })).command_status, 0x0e);
  await closed;
});

test('1,000 submits of a foreign client at once are all answered and reported', async (t) => {
  const smsc = await trialSmsc(t, 'smpp', { message_ids: 'hex' });
  const { ask, delivered } = foreignClient(t, smsc.port);
  await ask('bind_transceiver', bind);
  const submit = { destination_addr: '13800138000', registered_delivery: 1, short_message: 'Hello' };
  const answers = await Promise.all(Array.from({ length: 1000 }, () => ask('submit_sm', submit)));
  const receipts = await delivered(1000);
  assert.deepEqual(
    receipts.map(({ receipted_message_id }) => receipted_message_id).toSorted(),
    answers.map(({ message_id }) => message_id).toSorted(),
  );
});
