import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { type DnsMessage, decodeMessage, encodeMessage, queryMessage } from '@waxwing/dns/dns-message.ts';
import { parseName } from '@waxwing/dns/domain-name.ts';
import { recordTypes, textValue } from '@waxwing/dns/resource-record.ts';
import { WireReader } from '@waxwing/dns/wire-reader.ts';
import type { TextValues, Zone } from '@waxwing/dns/zone-answer.ts';
import { type IpAddress, parseAddress } from '../../../http/request/ip-address.ts';
import { createDnsClient, type DnsExchange } from './dns-client.ts';
import { DnsResponder, type DnsResponderNeeds } from './dns-responder.ts';

const trialZone: Zone = {
  name: parseName('acme.hub.example'),
  authority: {
    primary: parseName('ns.hub.example'),
    contact: parseName('hostmaster.hub.example'),
    serial: 1,
    refresh: 3600,
    retry: 600,
    expire: 86_400,
    negativeTtl: 5,
  },
  records: [],
  ttl: 5,
};

const never = new AbortController().signal;

async function startResponder(needs: Partial<DnsResponderNeeds> = {}) {
  const asked: string[] = [];
  const responder = new DnsResponder({
    zone: trialZone,
    find: async (name): Promise<TextValues> => {
      asked.push(name);
      return name.startsWith('x.') ? ['one', 'two'] : undefined;
    },
    now: () => 0,
    onFault: () => {},
    ...needs,
  });
  const port = await responder.listen({ host: '127.0.0.1', port: 0 });
  return { asked, responder, port, [Symbol.asyncDispose]: () => responder.close() };
}

const queryOf = (name: string) => queryMessage(7, { name: parseName(name), type: recordTypes.TXT, class: 1 });

function ask(port: number, name: string): Promise<DnsExchange> {
  const query = queryOf(name);
  const client = createDnsClient({ mayAsk: () => true });
  return client.exchange({ address: parseAddress('127.0.0.1') as IpAddress, port }, query, encodeMessage(query), never);
}

function texts(exchange: DnsExchange): unknown {
  return exchange.kind === 'answered' ? exchange.message.answers.map(({ data }) => textValue(data)) : exchange;
}

test('values are found by name, and only in the zone', async () => {
  await using world = await startResponder();
  assert.deepEqual(texts(await ask(world.port, 'X.Acme.hub.example')), ['one', 'two']);
  const missing = await ask(world.port, 'y.acme.hub.example');
  assert.equal(missing.kind === 'answered' && missing.message.responseCode, 3);
  const elsewhere = await ask(world.port, 'x.example');
  assert.equal(elsewhere.kind === 'answered' && elsewhere.message.responseCode, 5);
  assert.deepEqual(world.asked, ['x.acme.hub.example', 'y.acme.hub.example']);
});

test('an answer that is too large for UDP comes over TCP', async () => {
  const many = Array.from({ length: 30 }, (_, index) => `value ${index}`);
  await using world = await startResponder({ find: async () => many });
  assert.deepEqual(texts(await ask(world.port, 'x.acme.hub.example')), many);
});

test('a failed look-up is SERVFAIL, and heard of', async () => {
  const faults: unknown[] = [];
  const fault = new Error('no database');
  await using world = await startResponder({
    find: () => Promise.reject(fault),
    onFault: (error) => faults.push(error),
  });
  const answer = await ask(world.port, 'x.acme.hub.example');
  assert.equal(answer.kind === 'answered' && answer.message.responseCode, 2);
  assert.deepEqual(faults, [fault]);
});

test('a source that asks too often is sent to TCP, until the next second', async () => {
  let now = 0;
  await using world = await startResponder({ now: () => now });
  const socket = createSocket('udp4');
  const cut = async () => {
    socket.send(encodeMessage(queryOf('x.acme.hub.example')), world.port, '127.0.0.1');
    const [bytes] = await once(socket, 'message');
    return decodeMessage(bytes).isTruncated;
  };
  for (let count = 0; count < 50; count++) assert.equal(await cut(), false);
  assert.equal(await cut(), true);
  assert.equal(world.asked.length, 50);
  assert.deepEqual(texts(await ask(world.port, 'x.acme.hub.example')), ['one', 'two']);
  now = 1000;
  assert.equal(await cut(), false);
  socket.close();
});

test('a datagram that is too long or has too many records is not decoded', async (t) => {
  await using world = await startResponder();
  const socket = createSocket('udp4');
  const query = queryOf('x.acme.hub.example');
  const record = { name: query.questions[0]?.name ?? [], type: recordTypes.OPT, class: 1232, ttl: 0 };
  const padded = (length: number) => ({ ...record, data: { kind: 'bytes' as const, bytes: Buffer.alloc(length) } });
  const names = t.mock.method(WireReader.prototype, 'name');
  const answersTo = async (...messages: readonly DnsMessage[]) => {
    names.mock.resetCalls();
    const heard: Buffer[] = [];
    socket.on('message', (bytes) => heard.push(bytes));
    const sent = [...messages, { ...query, id: 9 }].map(encodeMessage);
    for (const bytes of sent) socket.send(bytes, world.port, '127.0.0.1');
    while (heard.at(-1)?.readUInt16BE(0) !== 9) await once(socket, 'message');
    socket.removeAllListeners('message');
    return { codes: heard.map((bytes) => bytes.readUInt8(3) & 15), names: names.mock.callCount() };
  };
  const pointers = { ...query, authorities: new Array(5400).fill(padded(0)) };
  assert.ok(encodeMessage(pointers).length > 64_000);
  assert.deepEqual(await answersTo(pointers), { codes: [0], names: 1 });
  assert.deepEqual(await answersTo({ ...query, authorities: new Array(90).fill(padded(0)) }), {
    codes: [1, 0],
    names: 1,
  });
  const room = 1232 - encodeMessage({ ...query, additionals: [padded(0)] }).length;
  assert.deepEqual(await answersTo({ ...query, additionals: [padded(room + 1)] }), { codes: [0], names: 1 });
  assert.deepEqual(await answersTo({ ...query, additionals: [padded(room)] }), { codes: [0, 0], names: 3 });
  socket.close();
});

test('what is dropped counts against its source', async () => {
  await using world = await startResponder();
  const socket = createSocket('udp4');
  for (let count = 0; count < 50; count++) socket.send(Buffer.alloc(1300), world.port, '127.0.0.1');
  socket.send(encodeMessage(queryOf('x.acme.hub.example')), world.port, '127.0.0.1');
  const [bytes] = await once(socket, 'message');
  assert.equal(decodeMessage(bytes).isTruncated, true);
  socket.close();
});

test('a source that asks too often over TCP is hung up on, until the next second', async () => {
  let now = 0;
  await using world = await startResponder({ now: () => now });
  const query = encodeMessage(queryOf('x.acme.hub.example'));
  const framed = Buffer.concat([Buffer.from([0, query.length]), query]);
  const answered = async (count: number) => {
    const before = world.asked.length;
    const socket = connect(world.port, '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write(Buffer.concat([...new Array<Buffer>(count).fill(framed), Buffer.from([0xff, 0xff])]));
    await once(socket, 'close');
    return world.asked.length - before;
  };
  assert.equal(await answered(20), 20);
  assert.equal(await answered(40), 30);
  assert.equal(await answered(1), 0);
  now = 1000;
  assert.equal(await answered(40), 40);
});

test('garbage and answers get nothing, and do no harm', async () => {
  await using world = await startResponder();
  const socket = createSocket('udp4');
  const heard: Buffer[] = [];
  socket.on('message', (bytes) => heard.push(bytes));
  const response = encodeMessage({ ...queryOf('x.acme.hub.example'), isResponse: true });
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(5, 0xff), response]) socket.send(bytes, world.port, '127.0.0.1');
  assert.deepEqual(texts(await ask(world.port, 'x.acme.hub.example')), ['one', 'two']);
  assert.deepEqual(heard, []);
  socket.close();
});

test('over TCP several questions come one after the other, and what is too long ends the connection', async () => {
  await using world = await startResponder();
  const socket = connect(world.port, '127.0.0.1');
  const query = encodeMessage(queryOf('x.acme.hub.example'));
  const framed = Buffer.concat([Buffer.from([0, query.length]), query]);
  socket.write(Buffer.concat([framed, framed.subarray(0, 7)]));
  socket.write(framed.subarray(7));
  let received = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    const size = 2 + received.readUInt16BE(0);
    if (received.length === 2 * size) socket.write(Buffer.from([0xff, 0xff]));
  });
  await once(socket, 'close');
  const size = 2 + received.readUInt16BE(0);
  assert.equal(received.length, 2 * size);
  assert.equal(decodeMessage(received.subarray(2, size)).answers.length, 2);
});

test('one source has at most eight connections', async () => {
  await using world = await startResponder();
  const sockets = Array.from({ length: 9 }, () => connect(world.port, '127.0.0.1').on('error', () => {}));
  await Promise.race(sockets.map((socket) => once(socket, 'close')));
  assert.deepEqual(texts(await ask(world.port, 'x.acme.hub.example')), ['one', 'two']);
  for (const socket of sockets) socket.destroy();
});
