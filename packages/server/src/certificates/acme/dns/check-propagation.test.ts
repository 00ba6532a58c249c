import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { test } from 'node:test';
import { encodeMessage, queryMessage } from '@waxwing/dns/dns-message.ts';
import { formatName } from '@waxwing/dns/domain-name.ts';
import { type ResourceRecord, recordTypes } from '@waxwing/dns/resource-record.ts';
import { checkPropagation, type PropagationNeeds } from './check-propagation.ts';
import { createDnsClient } from './dns-client.ts';
import { findAliasTarget, findAuthoritative } from './find-authoritative.ts';
import { respondFrom, startNameServer, type TrialNameServer, trialRecord } from './name-server.testing.ts';

const never = new AbortController().signal;

const delegation: readonly ResourceRecord[] = [
  trialRecord('example.com', 'NS', 'ns1.example.com'),
  trialRecord('example.com', 'NS', 'ns2.example.com'),
  trialRecord('ns1.example.com', 'A', '127.0.0.1'),
  trialRecord('ns2.example.com', 'A', '127.0.0.1'),
  trialRecord('hub.example', 'NS', 'ns.hub.example'),
  trialRecord('ns.hub.example', 'A', '127.0.0.1'),
];

/** One server stands for the resolver and for all authoritative servers. */
async function startWorld(): Promise<
  { server: TrialNameServer; records: ResourceRecord[] } & PropagationNeeds & AsyncDisposable
> {
  const records = [...delegation];
  const server = await startNameServer(respondFrom(() => records));
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
  return {
    server,
    records,
    resolver,
    client: createDnsClient({ mayAsk: ({ text }) => text === '127.0.0.1', timeoutMs: 500 }),
    port: server.port,
    wait: async () => {},
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('the zone is the longest end of the name that has name servers', async () => {
  await using world = await startWorld();
  const found = await findAuthoritative(world, '_acme-challenge.www.example.com', never);
  assert.ok(found.kind === 'found');
  const { zone, name, servers } = found.authority;
  assert.deepEqual([zone, name], ['example.com', '_acme-challenge.www.example.com']);
  assert.deepEqual(
    servers.map(({ host, addresses }) => [host, addresses.map(({ text }) => text)]),
    [
      ['ns1.example.com', ['127.0.0.1']],
      ['ns2.example.com', ['127.0.0.1']],
    ],
  );
});

test('a delegation by CNAME is followed to its zone', async () => {
  await using world = await startWorld();
  world.records.push(trialRecord('_acme-challenge.example.com', 'CNAME', 'Abc.hub.example'));
  const found = await findAuthoritative(world, '_acme-challenge.example.com', never);
  assert.deepEqual(found.kind === 'found' && [found.authority.name, found.authority.zone], [
    'abc.hub.example',
    'hub.example',
  ]);
});

test('a CNAME to the top of another zone does not mislead', async () => {
  await using world = await startWorld();
  world.records.push(trialRecord('_acme-challenge.example.com', 'CNAME', 'hub.example'));
  const found = await findAuthoritative(world, '_acme-challenge.example.com', never);
  assert.deepEqual(found.kind === 'found' && [found.authority.name, found.authority.zone], [
    'hub.example',
    'hub.example',
  ]);
});

test('a resolver hears nothing of the name, and a zone of its own is found by the servers above', async () => {
  await using world = await startWorld();
  const name = '_acme-challenge.www.example.com';
  world.records.push(trialRecord('ns.own.example', 'A', '127.0.0.1'));
  const { respond } = world.server;
  const referral = trialRecord(name, 'NS', 'ns.own.example');
  let hasReferred = false;
  world.server.respond = (query, transport) => {
    const [question] = query.questions;
    const isOfAbove = !hasReferred && formatName(question?.name ?? []) === name;
    if (!isOfAbove) return respond(query, transport);
    assert.equal(query.recursionDesired, false);
    hasReferred = true;
    return encodeMessage({ ...query, isResponse: true, authorities: [referral] });
  };
  const found = await findAuthoritative(world, name, never);
  assert.ok(found.kind === 'found');
  const { zone, servers } = found.authority;
  assert.deepEqual([zone, servers.map(({ host }) => host)], [name, ['ns.own.example']]);
  const askedOfIt = world.server.questions.filter((question) => question.endsWith(` ${name}`));
  assert.deepEqual(askedOfIt, [`udp TXT ${name}`, `udp TXT ${name}`]);
});

test('referrals that lead nowhere end', async () => {
  await using world = await startWorld();
  const { respond } = world.server;
  let asked = 0;
  world.server.respond = (query, transport) => {
    if (query.recursionDesired) return respond(query, transport);
    asked += 1;
    const up = trialRecord('example.com', 'NS', 'ns1.example.com');
    const elsewhere = trialRecord('other.example.com', 'NS', 'ns1.example.com');
    return encodeMessage({ ...query, isResponse: true, authorities: [up, elsewhere] });
  };
  const found = await findAuthoritative(world, '_acme-challenge.www.example.com', never);
  assert.equal(found.kind === 'found' && found.authority.zone, 'example.com');
  assert.equal(asked, 2);
});

test('a CNAME above the name does not mislead', async () => {
  await using world = await startWorld();
  world.records.push(
    trialRecord('www.example.com', 'CNAME', 'hub.example'),
    trialRecord('_acme-challenge.www.example.com', 'TXT', 'one'),
  );
  // As a resolver does, it follows the alias.
  const { respond } = world.server;
  world.server.respond = (query, transport) => {
    const [question] = query.questions;
    const isAsked = question?.type === recordTypes.NS && formatName(question.name) === 'www.example.com';
    if (!isAsked) return respond(query, transport);
    const answers = world.records.filter(
      ({ type, name }) => ['www.example.com', 'hub.example'].includes(formatName(name)) && type !== recordTypes.TXT,
    );
    return encodeMessage({ ...query, isResponse: true, answers });
  };
  const found = await findAuthoritative(world, '_acme-challenge.www.example.com', never);
  assert.equal(found.kind === 'found' && found.authority.zone, 'example.com');
});

test('a look at servers that are silent has one limit for all of them', { timeout: 20_000 }, async () => {
  await using world = await startWorld();
  world.records.push(
    ...Array.from({ length: 10 }, (_, index) => [
      trialRecord('silent.example', 'NS', `ns${index}.silent.example`),
      trialRecord(`ns${index}.silent.example`, 'A', '127.0.0.1'),
    ]).flat(),
  );
  const { respond } = world.server;
  world.server.respond = (query, transport) => (query.recursionDesired ? respond(query, transport) : undefined);
  const client = createDnsClient({ mayAsk: () => true });
  const needs = { ...world, client, limitMs: 300 };
  const began = performance.now();
  assert.equal(await findAliasTarget(needs, '_acme-challenge.silent.example', () => false, never), undefined);
  const seen = await checkPropagation(needs, { name: '_acme-challenge.silent.example', values: ['one'] }, [], never);
  assert.ok(performance.now() - began < 4_000, 'less than a single exchange with a silent server');
  assert.ok(seen.kind === 'missing');
  assert.equal(seen.words[0], 'The name server ns0.silent.example gave no answer in time.');
});

test('CNAME records in a circle end', async () => {
  await using world = await startWorld();
  world.records.push(
    trialRecord('a.example.com', 'CNAME', 'b.example.com'),
    trialRecord('b.example.com', 'CNAME', 'a.example.com'),
  );
  const found = await findAuthoritative(world, 'a.example.com', never);
  assert.deepEqual(found, {
    kind: 'failed',
    words: 'The CNAME records from a.example.com on go round in a circle, or are more than 8.',
    temporary: false,
  });
});

test('a name in no zone, and a resolver that fails, are told apart', async () => {
  await using world = await startWorld();
  const name = '_acme-challenge.nowhere.test';
  assert.deepEqual(await findAuthoritative(world, name, never), {
    kind: 'failed',
    words: `No zone in DNS holds ${name}.`,
    temporary: true,
  });
  world.server.respond = (query) => encodeMessage({ ...query, isResponse: true, responseCode: 2 });
  assert.deepEqual(await findAuthoritative(world, name, never), {
    kind: 'failed',
    words: 'The name servers of nowhere.test cannot be found (ESERVFAIL).',
    temporary: true,
  });
});

test('it waits until every server has every value, beside others', async () => {
  await using world = await startWorld();
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
    world.records.push(
      trialRecord('_acme-challenge.example.com', 'TXT', ['old', 'one', 'two'][waits.length - 1] ?? ''),
    );
  };
  const record = { name: '_acme-challenge.example.com', values: ['one', 'two'] };
  assert.deepEqual(await checkPropagation({ ...world, wait }, record, [10, 20, 30, 40], never), { kind: 'seen' });
  assert.deepEqual(waits, [10, 20, 30]);
});

test('what is missing at the last look is told by server', async () => {
  await using world = await startWorld();
  const record = { name: '_acme-challenge.example.com', values: ['one'] };
  world.records.splice(3, 1, trialRecord('ns2.example.com', 'A', '127.0.0.2'));
  assert.deepEqual(await checkPropagation(world, record, [1, 1], never), {
    kind: 'missing',
    words: [
      'The name server ns1.example.com has no TXT record at _acme-challenge.example.com.',
      'The name server ns2.example.com was not asked: its address is not public. ' +
        'The operator can admit it by WAXWING_ACME_ALLOW_NETWORKS.',
    ],
  });
  world.records.push(trialRecord('_acme-challenge.example.com', 'TXT', 'two'));
  world.records.splice(3, 1);
  assert.deepEqual(await checkPropagation(world, record, [], never), {
    kind: 'missing',
    words: [
      'The name server ns1.example.com has another TXT value at _acme-challenge.example.com.',
      'The name server ns2.example.com has no address.',
    ],
  });
});

test('servers that do not answer for the zone do not count', async () => {
  await using world = await startWorld();
  const respond = world.server.respond;
  const record = { name: '_acme-challenge.example.com', values: ['one'] };
  const words = async (change: { isAuthoritative?: boolean; responseCode?: number }) => {
    world.server.respond = (query, transport) =>
      query.recursionDesired ? respond(query, transport) : encodeMessage({ ...query, isResponse: true, ...change });
    const { kind, ...rest } = await checkPropagation(world, record, [], never);
    return kind === 'missing' && 'words' in rest ? rest.words[0] : kind;
  };
  const first = 'The name server ns1.example.com';
  assert.equal(await words({ responseCode: 5 }), `${first} refused the question (REFUSED).`);
  assert.equal(await words({ responseCode: 2 }), `${first} refused the question (SERVFAIL).`);
  assert.equal(await words({}), `${first} does not answer for the zone of _acme-challenge.example.com.`);
  assert.equal(queryMessage(1, { name: [], type: 1, class: 1 }).recursionDesired, false);
});
