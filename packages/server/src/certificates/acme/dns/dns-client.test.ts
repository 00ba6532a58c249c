import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DnsMessage, encodeMessage, queryMessage } from '@waxwing/dns/dns-message.ts';
import { parseName } from '@waxwing/dns/domain-name.ts';
import { recordTypes, textValue } from '@waxwing/dns/resource-record.ts';
import { WireReader } from '@waxwing/dns/wire-reader.ts';
import { type IpAddress, parseAddress } from '../../../http/request/ip-address.ts';
import { createDnsClient, type DnsExchange, drawMessageId } from './dns-client.ts';
import { startNameServer, trialRecord } from './name-server.testing.ts';

const loopback = parseAddress('127.0.0.1') as IpAddress;
const never = new AbortController().signal;

function ask(port: number, options: { mayAsk?: boolean; timeoutMs?: number; signal?: AbortSignal } = {}) {
  const { mayAsk = true, timeoutMs = 5000, signal = never } = options;
  const client = createDnsClient({ mayAsk: () => mayAsk, timeoutMs });
  const query = queryMessage(drawMessageId(), { name: parseName('a.example'), type: recordTypes.TXT, class: 1 });
  return client.exchange({ address: loopback, port }, query, encodeMessage(query), signal);
}

function answer(query: DnsMessage, value: string, parts: Partial<DnsMessage> = {}): Buffer {
  return encodeMessage({ ...query, isResponse: true, answers: [trialRecord('a.example', 'TXT', value)], ...parts });
}

function texts(exchange: DnsExchange): unknown {
  return exchange.kind === 'answered' ? exchange.message.answers.map(({ data }) => textValue(data)) : exchange;
}

test('forged and damaged answers are passed over until the right one comes', async () => {
  await using server = await startNameServer((query) => [
    answer(query, 'other id', { id: (query.id + 1) & 0xffff }),
    answer(query, 'other question', { questions: [{ name: parseName('b.example'), type: 16, class: 1 }] }),
    answer(query, 'no response', { isResponse: false }),
    Buffer.from('garbage'),
    answer(query, 'right'),
  ]);
  assert.deepEqual(texts(await ask(server.port)), ['right']);
});

test('answers with another id, and what is no response, are not decoded', async (t) => {
  await using server = await startNameServer((query) => [
    answer(query, 'other id', { id: (query.id + 1) & 0xffff }),
    answer(query, 'no response', { isResponse: false }),
    answer(query, 'right'),
  ]);
  const names = t.mock.method(WireReader.prototype, 'name');
  assert.deepEqual(texts(await ask(server.port)), ['right']);
  // The server reads one name, the client the two of the right answer.
  assert.equal(names.mock.callCount(), 3);
});

test('an answer with too many records is passed over', async () => {
  await using server = await startNameServer((query) => [
    answer(query, '', { answers: new Array(500).fill(trialRecord('a.example', 'TXT', 'many')) }),
    answer(query, 'right'),
  ]);
  assert.deepEqual(texts(await ask(server.port)), ['right']);
});

test('an answer that is cut off is asked for again over TCP', async () => {
  await using server = await startNameServer((query, transport) =>
    transport === 'udp' ? answer(query, '', { isTruncated: true, answers: [] }) : answer(query, 'x'.repeat(2000)),
  );
  assert.deepEqual(texts(await ask(server.port)), ['x'.repeat(2000)]);
  assert.deepEqual(server.questions, ['udp TXT a.example', 'tcp TXT a.example']);
});

test('a wrong answer over TCP is an error', async () => {
  await using server = await startNameServer((query, transport) =>
    transport === 'udp' ? answer(query, '', { isTruncated: true, answers: [] }) : Buffer.from('garbage'),
  );
  assert.deepEqual(await ask(server.port), { kind: 'broken', code: 'BADRESP' });
});

test('a datagram that was lost is sent again', async () => {
  let count = 0;
  await using server = await startNameServer((query) => {
    count += 1;
    return count === 1 ? undefined : answer(query, 'late');
  });
  assert.deepEqual(texts(await ask(server.port)), ['late']);
});

test('silence ends with the time limit, a closed port and an abort at once', async () => {
  await using server = await startNameServer(() => undefined);
  assert.deepEqual(await ask(server.port, { timeoutMs: 50 }), { kind: 'timedOut' });
  assert.deepEqual(await ask(server.port, { signal: AbortSignal.abort() }), { kind: 'timedOut' });
  const { port } = await startNameServer(() => undefined).then(async (closed) => {
    await closed[Symbol.asyncDispose]();
    return closed;
  });
  assert.deepEqual(await ask(port), { kind: 'broken', code: 'ECONNREFUSED' });
});

test('a server that may not be asked gets nothing', async () => {
  await using server = await startNameServer(() => undefined);
  assert.deepEqual(await ask(server.port, { mayAsk: false }), { kind: 'blocked' });
  assert.deepEqual(server.questions, []);
});
