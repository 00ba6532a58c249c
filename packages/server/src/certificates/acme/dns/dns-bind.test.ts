import assert from 'node:assert/strict';
import { Resolver } from 'node:dns/promises';
import { describe, test } from 'node:test';
import { parseName } from '@waxwing/dns/domain-name.ts';
import type { Zone } from '@waxwing/dns/zone-answer.ts';
import { SecretText } from '../../../runtime/secret-text.ts';
import type { DnsProvider } from '../proofs/dns-provider.ts';
import { openProvider } from '../providers/open-provider.ts';
import { checkProviderOptions } from '../providers/provider-options.ts';
import { createSetChanges } from '../providers/record-sets.ts';
import { type BindKey, dig, startBind, withoutBind } from './bind.testing.ts';
import { checkPropagation } from './check-propagation.ts';
import { createDnsClient } from './dns-client.ts';
import { DnsResponder } from './dns-responder.ts';
import { trialRecord } from './name-server.testing.ts';

const never = new AbortController().signal;
const secret = Buffer.from('a key of thirty-two octets, yes!').toString('base64');
const keys: readonly BindKey[] = [
  { name: 'waxwing', algorithm: 'hmac-sha256', secret },
  { name: 'stranger', algorithm: 'hmac-sha512', secret },
];

interface Account {
  readonly port: number;
  readonly options?: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly now?: () => number;
}

function provider({ port, options = {}, secret: own = secret, now = Date.now }: Account): DnsProvider {
  const all = { server: `ns1.example.com:${port}`, zone: 'example.com', 'key-name': 'waxwing', ...options };
  const checked = checkProviderOptions('rfc2136', all, new SecretText(own));
  assert.ok(checked.ok, JSON.stringify(checked));
  return openProvider(checked.setup, {
    client: createDnsClient({ mayAsk: ({ text }) => text === '127.0.0.1', timeoutMs: 2000 }),
    resolve: async () => ['127.0.0.1'],
    log: { error: (_fields, message) => assert.fail(message) },
    now,
    changes: createSetChanges(),
    send: async () => ({ kind: 'failed', words: 'nothing is sent', temporary: false }),
  });
}

const record = (value: string, name = '_acme-challenge.www.example.com') => ({ name, value, ttl: 60 });
const texts = async (port: number, name = '_acme-challenge.www.example.com') =>
  (await dig(port, name, 'TXT', '+short')).split('\n').filter(Boolean).toSorted();

describe('with BIND', { skip: withoutBind }, () => {
  test('values come and go one by one, however often it is repeated', async () => {
    await using bind = await startBind(keys);
    const bindProvider = provider(bind);
    for (const value of ['one', 'two', 'two']) {
      assert.deepEqual(await bindProvider.present(record(value), never), { kind: 'done' });
    }
    assert.deepEqual(await texts(bind.port), ['"one"', '"two"']);
    for (let count = 0; count < 2; count++) {
      assert.deepEqual(await bindProvider.cleanUp(record('one'), never), { kind: 'done' });
    }
    assert.deepEqual(await texts(bind.port), ['"two"']);
    assert.deepEqual(await bindProvider.test('*.www.example.com', never), { kind: 'done' });
    assert.deepEqual(await texts(bind.port), ['"two"']);
  });

  test('every refusal has its words', async () => {
    await using bind = await startBind(keys);
    const { port } = bind;
    const otherSecret = Buffer.from('another key').toString('base64');
    const table: readonly [Account, words: string][] = [
      [{ port, secret: otherSecret }, 'The name server has another secret for the key waxwing (BADSIG).'],
      [
        { port, options: { 'key-name': 'nobody' } },
        'The name server does not know the key nobody with this algorithm (BADKEY).',
      ],
      [
        { port, options: { algorithm: 'hmac-sha512' } },
        'The name server does not know the key waxwing with this algorithm (BADKEY).',
      ],
      [
        { port, options: { 'key-name': 'stranger', algorithm: 'hmac-sha512' } },
        'The name server says REFUSED: the key stranger may not write this name.',
      ],
      [{ port, options: { zone: 'com' } }, 'The name server says NOTAUTH: it does not answer for the zone com.'],
      [
        { port, options: { zone: 'example.net' } },
        '_acme-challenge.www.example.com does not lie in the zone example.net.',
      ],
      [
        { port, now: () => Date.now() - 3_600_000 },
        'The clocks of this server and the name server differ by more than five minutes (BADTIME).',
      ],
    ];
    for (const [account, words] of table) {
      const result = await provider(account).present(record('one'), never);
      assert.deepEqual(result, { kind: 'failed', words, temporary: false });
    }
    assert.deepEqual(await texts(port), []);
    const closed = await provider({ port: 1 }).present(record('one'), never);
    assert.deepEqual(closed, {
      kind: 'failed',
      words: 'The name server ns1.example.com:1 cannot be reached (ECONNREFUSED).',
      temporary: true,
    });
  });

  test('a server whose address is not admitted is not asked', async () => {
    const result = await provider({ port: 53, options: { server: '127.0.0.2:53' } }).present(record('one'), never);
    assert.deepEqual(result, {
      kind: 'failed',
      words: 'The address of 127.0.0.2:53 is not public. The operator can admit it by WAXWING_ACME_ALLOW_NETWORKS.',
      temporary: false,
    });
  });

  test('what was presented is seen, at the target of a CNAME in another zone too', async () => {
    await using bind = await startBind(keys);
    const resolver = new Resolver({ timeout: 2000, tries: 1 });
    resolver.setServers([`127.0.0.1:${bind.port}`]);
    const client = createDnsClient({ mayAsk: () => true });
    const needs = { resolver, client, port: bind.port, wait: async () => {} };
    const alias = { name: '_acme-challenge.alias.example.com', values: ['one'] };
    assert.deepEqual(await checkPropagation(needs, alias, [], never), {
      kind: 'missing',
      words: ['The name server ns1.example.com has no TXT record at target.delegated.example.com.'],
    });
    const target = provider({ ...bind, options: { zone: 'delegated.example.com' } });
    await target.present(record('one', 'target.delegated.example.com'), never);
    assert.deepEqual(await checkPropagation(needs, alias, [], never), { kind: 'seen' });
    await provider(bind).present(record('x'.repeat(43)), never);
    const www = { name: '_acme-challenge.www.example.com', values: ['x'.repeat(43)] };
    assert.deepEqual(await checkPropagation(needs, www, [], never), { kind: 'seen' });
  });

  test('dig understands the responder', async () => {
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
        trialRecord('acme.hub.example', 'NS', 'ns.acme.hub.example'),
        trialRecord('ns.acme.hub.example', 'A', '127.0.0.1'),
      ],
      ttl: 5,
    };
    const values = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(43, 'v'));
    const responder = new DnsResponder({
      zone,
      find: async (name) => ({ 'x.acme.hub.example': ['one'], 'many.acme.hub.example': values })[name],
      now: performance.now.bind(performance),
      onFault: (error) => assert.ifError(error),
    });
    const port = await responder.listen({ host: '127.0.0.1', port: 0 });
    try {
      assert.equal(await dig(port, 'X.acme.hub.example', 'TXT', '+short'), '"one"\n');
      assert.equal(await dig(port, 'x.acme.hub.example', 'TXT', '+short', '+tcp', '+noedns'), '"one"\n');
      assert.equal((await dig(port, 'many.acme.hub.example', 'TXT', '+short')).split('\n').length, 21);
      assert.equal(await dig(port, 'acme.hub.example', 'NS', '+short'), 'ns.acme.hub.example.\n');
      assert.match(await dig(port, 'acme.hub.example', 'SOA'), /flags: qr aa; QUERY: 1, ANSWER: 1, AUTHORITY: 0/);
      assert.match(await dig(port, 'y.acme.hub.example', 'TXT'), /status: NXDOMAIN.*hostmaster\.hub\.example/s);
      assert.match(await dig(port, 'x.acme.hub.example', 'A'), /status: NOERROR.*ANSWER: 0, AUTHORITY: 1/s);
      assert.match(await dig(port, 'x.acme.hub.example', 'ANY', '+notcp'), /ANSWER: 1/);
      assert.match(await dig(port, 'www.example', 'A'), /status: REFUSED/);
      assert.match(await dig(port, 'acme.hub.example', 'SOA', '+opcode=NOTIFY'), /status: NOTIMP/);
      assert.match(await dig(port, 'acme.hub.example', 'SOA', '+edns=1', '+noednsneg'), /status: BADVERS/);
      assert.match(await dig(port, 'acme.hub.example', 'AXFR', '+tcp'), /Transfer failed|communications error|REFUSED/);
    } finally {
      await responder.close();
    }
  });
});
