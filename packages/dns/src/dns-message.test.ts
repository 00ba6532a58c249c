import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DnsFault } from './dns-fault.ts';
import { type DnsMessage, decodeMessage, encodeMessage, isResponseTo, responseCodes } from './dns-message.ts';
import { messages, queryOf } from './dns-values.testing.ts';
import { nameKey, parseName } from './domain-name.ts';
import { recordTypes, textData, textValue } from './resource-record.ts';
import { addText, removeText } from './update-message.ts';

const isFull = process.env.WAXWING_TEST_SCALE === 'full';
const runs = { seed: 1035, numRuns: isFull ? 20_000 : 500 };

test('every message survives being written and read', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const { lastRecordAt: _, ...read } = decodeMessage(encodeMessage(message));
      assert.deepEqual(plain(read), plain(message));
    }),
    runs,
  );
});

/** With the names as they are compared, because a pointer keeps the case of the place it leads to; and plain arrays of octets. */
function plain(message: DnsMessage): unknown {
  return JSON.parse(
    JSON.stringify(message, (key, value: unknown) => {
      if (value instanceof Uint8Array) return [...value];
      if (typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer') {
        return 'data' in value ? value.data : value;
      }
      const isName = ['name', 'primary', 'contact'].includes(key) && Array.isArray(value);
      return isName ? nameKey(value as string[]) : value;
    }),
  );
}

test('a name that stands in the message already becomes a pointer', () => {
  const query = queryOf(parseName('_acme-challenge.example.com'), recordTypes.TXT);
  const record = { name: parseName('_ACME-challenge.Example.com'), type: 16, class: 1, ttl: 5, data: textData('x') };
  const size = encodeMessage(query).length;
  assert.equal(encodeMessage({ ...query, answers: [record] }).length, size + 2 + 10 + 2);
});

test('a message may grow to 65535 bytes, and no further', () => {
  const query = queryOf(parseName('a.example'), recordTypes.TXT);
  const record = { name: parseName('a.example'), type: 16, class: 1, ttl: 5, data: textData('x'.repeat(243)) };
  const sized = (count: number) => encodeMessage({ ...query, answers: new Array(count).fill(record) });
  for (let count = 0; count < 20; count++) assert.equal(decodeMessage(sized(count)).answers.length, count);
  assert.equal(decodeMessage(sized(255)).answers.length, 255);
  assert.throws(() => sized(256), { code: 'too-long' });
});

test('a text longer than 255 octets is several strings of one value', () => {
  const value = 'x'.repeat(600);
  const data = textData(value);
  assert.deepEqual(data.kind === 'text' && data.strings.map(({ length }) => length), [255, 255, 90]);
  assert.equal(textValue(data), value);
});

test('pointers that lead nowhere, forward or round in circles are refused', () => {
  const header = Buffer.from('000700000001000000000000', 'hex');
  const read = (question: string) => decodeMessage(Buffer.concat([header, Buffer.from(question, 'hex')]));
  for (const [question, code] of [
    ['c00c00010001', 'pointer'],
    ['c00e00010001', 'pointer'],
    ['0161c00c00010001', 'pointer'],
    ['c0ff00010001', 'pointer'],
    ['c0', 'cut-off'],
    ['4061', 'name'],
    ['0561', 'cut-off'],
    ['00000100', 'cut-off'],
    ['000001000100', 'trailing'],
  ] as const) {
    assert.throws(() => read(question), { name: 'DnsFault', code }, question);
  }
});

test('a chain of pointers cannot make a name longer than 255 octets', () => {
  const part = Buffer.concat([Buffer.from([63]), Buffer.alloc(63, 'a')]);
  const data = Buffer.concat([part, part, part, part, Buffer.from([0])]);
  const header = Buffer.from('000700000001000000000000', 'hex');
  assert.throws(() => decodeMessage(Buffer.concat([header, data, Buffer.alloc(4)])), { code: 'name' });
});

test('data that does not fit its type is refused', () => {
  for (const [type, data] of [
    [recordTypes.A, '0a0000'],
    [recordTypes.A, '0a00000102'],
    [recordTypes.AAAA, '00'],
    [recordTypes.NS, '0161'],
    [recordTypes.NS, '016100ff'],
    [recordTypes.SOA, '0000'],
    [recordTypes.TXT, '0261'],
  ] as const) {
    const bytes = Buffer.from(data, 'hex');
    const record = Buffer.concat([Buffer.from([0, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes]);
    const header = Buffer.from('000780000000000100000000', 'hex');
    assert.throws(() => decodeMessage(Buffer.concat([header, record])), DnsFault, `${type} ${data}`);
  }
});

test('only the response to the very question counts', () => {
  const query = queryOf(parseName('a.example'), recordTypes.TXT);
  const response = { ...query, isResponse: true };
  assert.ok(isResponseTo(response, query));
  assert.ok(isResponseTo({ ...response, questions: queryOf(parseName('A.EXAMPLE'), 16).questions }, query));
  assert.ok(isResponseTo({ ...response, questions: [], responseCode: responseCodes.FORMERR }, query));
  for (const other of [
    query,
    { ...response, id: 8 },
    { ...response, opcode: 5 },
    { ...response, questions: [] },
    { ...response, questions: queryOf(parseName('b.example'), 16).questions },
    { ...response, questions: queryOf(parseName('a.example'), 1).questions },
  ]) {
    assert.ok(!isResponseTo(other, query));
  }
});

test('an update names its zone, and adds or removes one value', () => {
  const zone = parseName('example.com');
  const record = { name: parseName('_acme-challenge.example.com'), value: 'x', ttl: 60 };
  const [added, removed] = [addText(1, zone, record), removeText(1, zone, record)].map(encodeMessage);
  // Opcode 5; a zone of type SOA; the record in the third section.
  assert.equal(added?.toString('hex', 0, 12), '000128000001000000010000');
  assert.equal(
    added?.toString('hex', 12 + 13),
    `00060001${hexOf('0f', '_acme-challenge')}c00c001000010000003c00020178`,
  );
  assert.equal(removed?.toString('hex', 12 + 13 + 4 + 18), '001000fe' + '00000000' + '0002' + '0178');
});

const hexOf = (length: string, label: string): string => length + Buffer.from(label).toString('hex');

test('no bytes hang it, and every fault is one of ours', () => {
  const seeds = fc.sample(messages, { seed: 2136, numRuns: 50 }).map(encodeMessage);
  const numRuns = isFull ? 200_000 : 5_000;
  const mutation = fc.record({
    seed: fc.nat(49),
    at: fc.nat(),
    octets: fc.uint8Array({ maxLength: 4 }),
    cut: fc.nat(),
    isCut: fc.boolean(),
  });
  let read = 0;
  fc.assert(
    fc.property(mutation, ({ seed, at, octets, cut, isCut }) => {
      const bytes = Buffer.from(seeds[seed] ?? '');
      bytes.set(octets, at % (bytes.length - octets.length));
      try {
        const { lastRecordAt: _, ...message } = decodeMessage(isCut ? bytes.subarray(0, cut % bytes.length) : bytes);
        // Whatever could be read can be written again.
        encodeMessage(message);
        read += 1;
      } catch (error) {
        assert.ok(error instanceof DnsFault, `${error}`);
      }
    }),
    { seed: 2136, numRuns },
  );
  assert.ok(read > numRuns / 20, `${read}`);
});

test('a message with too many questions and records is refused by its header alone', () => {
  const query = queryOf(parseName('a.example'), recordTypes.TXT);
  const record = { name: parseName('a.example'), type: 16, class: 1, ttl: 5, data: textData('x') };
  const sized = (count: number) => encodeMessage({ ...query, answers: new Array(count).fill(record) });
  assert.equal(decodeMessage(sized(499)).answers.length, 499);
  assert.throws(() => decodeMessage(sized(500)), { name: 'DnsFault', code: 'too-many' });
  assert.throws(() => decodeMessage(sized(3), 3), { code: 'too-many' });
  for (const counts of ['01f5000000000000', '0000000001f50000', '007e007e007e007e', 'ffffffffffffffff']) {
    const header = Buffer.from(`00078000${counts}`, 'hex');
    assert.throws(() => decodeMessage(header), { code: 'too-many' }, counts);
  }
});

test('a message of nothing but pointers takes time that follows its length', () => {
  // 126 labels, then records without data whose names all lead through them.
  const name = Buffer.concat([Buffer.from('0161'.repeat(126), 'hex'), Buffer.from([0])]);
  const records = Buffer.from('c00c00010001000000000000', 'hex');
  const count = Math.floor((65_535 - 12 - name.length - 4) / records.length);
  const header = Buffer.from('0007000000010000ffff0000', 'hex');
  header.writeUInt16BE(count, 8);
  const bytes = Buffer.concat([header, name, Buffer.alloc(4), ...new Array<Buffer>(count).fill(records)]);
  const start = performance.now();
  assert.equal(decodeMessage(bytes, count + 1).authorities.length, count);
  assert.ok(performance.now() - start < 2000);
});
