import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type DnsMessage, decodeMessage, encodeMessage, opcodes, responseCodes } from './dns-message.ts';
import { messages, queryOf } from './dns-values.testing.ts';
import { formatName, parseName } from './domain-name.ts';
import { recordTypes, textValue } from './resource-record.ts';
import { WireReader } from './wire-reader.ts';
import { answerQuery, encodeAnswer, nameToFind, readQuery, type TextValues, type Zone } from './zone-answer.ts';

const { A, ANY, AXFR, NS, OPT, SOA, TXT } = recordTypes;

const zone: Zone = {
  name: parseName('acme.hub.example'),
  authority: {
    primary: parseName('ns.acme.hub.example'),
    contact: parseName('hostmaster.hub.example'),
    serial: 1,
    refresh: 3600,
    retry: 600,
    expire: 86_400,
    negativeTtl: 5,
  },
  records: [
    {
      name: parseName('acme.hub.example'),
      type: NS,
      class: 1,
      ttl: 60,
      data: { kind: 'name', name: parseName('ns.acme.hub.example') },
    },
    {
      name: parseName('ns.acme.hub.example'),
      type: A,
      class: 1,
      ttl: 60,
      data: { kind: 'address', octets: Buffer.from([192, 0, 2, 1]) },
    },
  ],
  ttl: 60,
};

const option = { name: [], type: OPT, class: 4096, ttl: 0, data: { kind: 'bytes', bytes: new Uint8Array() } } as const;

function ask(query: DnsMessage, values?: TextValues | 'failed'): DnsMessage {
  const answer = answerQuery(zone, readQuery(encodeMessage(query)), values);
  assert.ok(answer);
  return decodeMessage(encodeMessage(answer));
}

function short(answer: DnsMessage): readonly string[] {
  const code = Object.entries(responseCodes).find(([, value]) => value === answer.responseCode)?.[0] ?? '';
  const types = (records: DnsMessage['answers']) =>
    records.map(({ type, data }) => `${type}${textValue(data) ?? ''}`).join(' ');
  return [`${code}${answer.isAuthoritative ? ' aa' : ''}`, types(answer.answers), types(answer.authorities)];
}

test('each question has its answer', () => {
  const table: readonly [name: string, type: number, values: TextValues | 'failed', expected: readonly string[]][] = [
    ['acme.hub.example', SOA, undefined, ['NOERROR aa', '6', '']],
    ['acme.hub.example', NS, undefined, ['NOERROR aa', '2', '']],
    ['acme.hub.example', TXT, undefined, ['NOERROR aa', '', '6']],
    ['acme.hub.example', ANY, undefined, ['NOERROR aa', '6', '']],
    ['ns.acme.hub.example', A, undefined, ['NOERROR aa', '1', '']],
    ['x.acme.hub.example', TXT, ['one', 'two'], ['NOERROR aa', '16one 16two', '']],
    ['x.acme.hub.example', ANY, ['one'], ['NOERROR aa', '16one', '']],
    ['x.acme.hub.example', A, ['one'], ['NOERROR aa', '', '6']],
    ['x.acme.hub.example', TXT, [], ['NOERROR aa', '', '6']],
    ['x.acme.hub.example', TXT, undefined, ['NXDOMAIN aa', '', '6']],
    ['x.acme.hub.example', TXT, 'failed', ['SERVFAIL', '', '']],
    ['x.acme.hub.example', AXFR, undefined, ['REFUSED', '', '']],
    ['hub.example', SOA, undefined, ['REFUSED', '', '']],
    ['www.example', A, undefined, ['REFUSED', '', '']],
    ['.', NS, undefined, ['REFUSED', '', '']],
  ];
  for (const [name, type, values, expected] of table) {
    assert.deepEqual(short(ask(queryOf(parseName(name), type), values)), expected, `${name} ${type}`);
  }
});

test('a name above one of the zone exists', () => {
  const deeper = {
    ...zone,
    records: [{ ...zone.records[0], name: parseName('a.b.acme.hub.example') } as (typeof zone.records)[0]],
  };
  const answer = answerQuery(
    deeper,
    readQuery(encodeMessage(queryOf(parseName('b.acme.hub.example'), TXT))),
    undefined,
  );
  assert.equal(answer?.responseCode, responseCodes.NOERROR);
});

test('the answer repeats the question as it was spelled, and never offers recursion', () => {
  const query = { ...queryOf(parseName('X.aCme.HUB.example'), TXT), recursionDesired: true };
  const answer = ask(query, ['v']);
  assert.equal(formatName(answer.questions[0]?.name ?? []), 'X.aCme.HUB.example');
  assert.equal(formatName(answer.answers[0]?.name ?? []), 'X.aCme.HUB.example');
  assert.deepEqual([answer.id, answer.recursionDesired, answer.recursionAvailable], [7, true, false]);
});

test('only names of the zone are looked up', () => {
  const found = (query: DnsMessage) => nameToFind(zone, readQuery(encodeMessage(query)));
  assert.deepEqual(found(queryOf(parseName('x.acme.hub.example'), TXT)), parseName('x.acme.hub.example'));
  assert.equal(found(queryOf(parseName('x.example'), TXT)), undefined);
  assert.equal(found({ ...queryOf(parseName('x.acme.hub.example'), TXT), opcode: opcodes.UPDATE }), undefined);
});

test('what is no question is refused', () => {
  const query = queryOf(zone.name, SOA);
  assert.equal(ask({ ...query, opcode: 2 }).responseCode, responseCodes.NOTIMP);
  assert.equal(ask({ ...query, opcode: opcodes.UPDATE }).responseCode, responseCodes.NOTIMP);
  assert.equal(ask({ ...query, questions: [] }).responseCode, responseCodes.FORMERR);
  assert.equal(
    ask({ ...query, questions: [...query.questions, ...query.questions] }).responseCode,
    responseCodes.FORMERR,
  );
  assert.equal(
    ask({ ...query, questions: [{ name: zone.name, type: SOA, class: 3 }] }).responseCode,
    responseCodes.REFUSED,
  );
  const cut = answerQuery(zone, readQuery(encodeMessage(query).subarray(0, 20)), undefined);
  assert.deepEqual([cut?.id, cut?.responseCode], [7, responseCodes.FORMERR]);
  for (const silent of [Buffer.alloc(11), encodeMessage({ ...query, isResponse: true })]) {
    assert.equal(answerQuery(zone, readQuery(silent), undefined), undefined);
  }
});

test('what has the header of no question is refused unread', (t) => {
  const query = queryOf(parseName('x.acme.hub.example'), TXT);
  const record = { ...option, name: zone.name, type: TXT } as const;
  const many = new Array<typeof record>(5000).fill(record);
  const names = t.mock.method(WireReader.prototype, 'name');
  for (const [parts, kind, read] of [
    [{}, 'query', 1],
    [{ additionals: [option, record] }, 'query', 3],
    [{ additionals: [option, record, record] }, 'malformed', 0],
    [{ questions: [] }, 'malformed', 0],
    [{ questions: [...query.questions, ...query.questions] }, 'malformed', 0],
    [{ answers: [record] }, 'malformed', 0],
    [{ authorities: [record] }, 'malformed', 0],
    [{ authorities: many }, 'malformed', 0],
    [{ isResponse: true }, 'ignored', 0],
    [{ isResponse: true, authorities: many }, 'ignored', 0],
  ] as const) {
    names.mock.resetCalls();
    const found = readQuery(encodeMessage({ ...query, ...parts }));
    assert.deepEqual([found.kind, names.mock.callCount()], [kind, read], JSON.stringify(parts).slice(0, 200));
    if (kind === 'malformed') assert.equal(answerQuery(zone, found, undefined)?.responseCode, responseCodes.FORMERR);
  }
});

test('extensions are answered, and those of another version refused', () => {
  const query = { ...queryOf(zone.name, SOA), additionals: [option] };
  assert.deepEqual(
    ask(query).additionals.map(({ type, ttl }) => [type, ttl]),
    [[OPT, 0]],
  );
  const newer = ask({ ...query, additionals: [{ ...option, ttl: 0x0001_0000 }] });
  assert.deepEqual([newer.additionals[0]?.ttl, newer.answers.length], [0x0100_0000, 0]);
});

test('an answer much larger than its question is cut off over UDP, and whole over TCP', () => {
  const read = readQuery(encodeMessage(queryOf(parseName('x.acme.hub.example'), TXT)));
  assert.ok(read.kind === 'query');
  const values = (count: number) => Array.from({ length: count }, (_, index) => `${index}`.padEnd(43, 'x'));
  for (const [count, isCut] of [
    [1, false],
    [2, false],
    [3, true],
    [40, true],
  ] as const) {
    const answer = answerQuery(zone, read, values(count));
    assert.ok(answer);
    const udp: Buffer = encodeAnswer(answer, read, 'udp');
    const tcp: Buffer = encodeAnswer(answer, read, 'tcp');
    assert.deepEqual([decodeMessage(udp).isTruncated, decodeMessage(udp).answers.length], [isCut, isCut ? 0 : count]);
    assert.deepEqual([decodeMessage(tcp).isTruncated, decodeMessage(tcp).answers.length], [false, count]);
  }
});

test('whatever is asked, the answer can be sent and is at most five times as large', () => {
  const inside = messages.map((message) => ({
    ...message,
    isResponse: false,
    questions: message.questions.slice(0, 1).map((question) => ({ ...question, name: ['x', ...zone.name], class: 1 })),
    answers: [],
    authorities: [],
  }));
  fc.assert(
    fc.property(
      fc.oneof(messages, inside),
      fc.array(fc.string({ maxLength: 300, unit: 'grapheme-ascii' })),
      (message, values) => {
        const bytes = encodeMessage(message);
        const read = readQuery(bytes);
        const answer = answerQuery(zone, read, values);
        if (answer === undefined) assert.equal(message.isResponse, true);
        else assert.ok(encodeAnswer(answer, read, 'udp').length <= Math.min(512, 5 * bytes.length));
      },
    ),
    { seed: 8482, numRuns: 500 },
  );
});
