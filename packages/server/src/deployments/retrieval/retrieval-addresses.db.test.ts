import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { before, describe, test } from 'node:test';
import {
  inBothWorlds,
  parseAnswer,
  refusal,
  type TestCertificate,
  type TestDeployment,
} from './retrieval-world.testing.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

inBothWorlds('the allow-list', (world) => {
  let certificate: TestCertificate;
  before(async () => {
    certificate = await world().importLeaf({ domains: ['example.com'] });
  });

  const lists: readonly [allow: string[], admitsLoopback: boolean][] = [
    [['127.0.0.1'], true],
    [['127.0.0.0/8'], true],
    [['0.0.0.0/0'], true],
    [['::ffff:127.0.0.1'], true],
    [['::ffff:127.0.0.0/104'], true],
    [['192.0.2.1', '10.0.0.0/8', '127.0.0.1/32'], true],
    [[], false],
    [['127.0.0.2'], false],
    [['127.0.0.2/31'], false],
    [['::1'], false],
    [['::/0'], false],
    [['192.0.2.0/24', '2001:db8::/32'], false],
  ];

  test('an IPv4 client is admitted by its address or a network around it, of its own family', async () => {
    const server = await world().serve();
    for (const [allow, admitted] of lists) {
      const { bearer } = await world().deploy(certificate.id, allow);
      const answer = await server.ask('GET /api/download', bearer);
      if (admitted) assert.equal(answer.body, certificate.leaf.chainPem, allow.join());
      else assert.equal(answer.text, refusal('address_not_allowed', world().clock), allow.join());
    }
  });

  test('an IPv6 client, and an IPv4 client of an IPv6 socket', { skip: !hasIpv6 }, async () => {
    const server = await world().serve({ WAXWING_LISTEN: '[::]:0', WAXWING_PLAIN_HTTP: 'allow' });
    const from = async (host: string, { bearer }: TestDeployment) => {
      const socket = connect({ host, port: server.port });
      socket.write(`GET /api/download HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${bearer}\r\n\r\n`);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) chunks.push(chunk as Buffer);
      return parseAnswer(Buffer.concat(chunks).toString());
    };
    const refused = refusal('address_not_allowed', world().clock);
    const [v4, v6, wide] = [
      await world().deploy(certificate.id, ['127.0.0.1']),
      await world().deploy(certificate.id, ['::1']),
      await world().deploy(certificate.id, ['::/0']),
    ];
    assert.equal((await from('127.0.0.1', v4)).status, 200, 'the socket says ::ffff:127.0.0.1');
    assert.equal((await from('::1', v6)).status, 200);
    assert.equal((await from('::1', wide)).status, 200);
    assert.equal((await from('::1', v4)).text, refused);
    assert.equal((await from('127.0.0.1', v6)).text, refused);
    assert.equal((await from('127.0.0.1', wide)).text, refused, 'a mapped address is none of ::/0');
  });
});

interface ForwardedCase {
  readonly what: string;
  readonly headers: readonly string[];
  /** Which of the deployments below admits this client; undefined: none. */
  readonly client: '198.51.100.7' | '2001:db8::7' | '127.0.0.1' | '10.1.2.3' | undefined;
}

const forwarded = (...lines: string[]) => lines.map((line) => `X-Forwarded-For: ${line}`);

const cases: readonly ForwardedCase[] = [
  { what: 'no header', headers: [], client: '127.0.0.1' },
  { what: 'one entry', headers: forwarded('198.51.100.7'), client: '198.51.100.7' },
  { what: 'an IPv6 entry', headers: forwarded('2001:DB8:0::7'), client: '2001:db8::7' },
  { what: 'a mapped entry', headers: forwarded('::ffff:198.51.100.7'), client: '198.51.100.7' },
  { what: 'a zone id', headers: forwarded('2001:db8::7%eth0'), client: '2001:db8::7' },
  { what: 'a port', headers: forwarded('198.51.100.7:4711'), client: '198.51.100.7' },
  { what: 'a port behind brackets', headers: forwarded('[2001:db8::7]:4711'), client: '2001:db8::7' },
  { what: 'what the client wrote itself', headers: forwarded('203.0.113.9, 198.51.100.7'), client: '198.51.100.7' },
  { what: 'a trusted proxy behind it', headers: forwarded('198.51.100.7, 10.1.2.3'), client: '198.51.100.7' },
  { what: 'trusted proxies only', headers: forwarded('10.1.2.3, 10.9.9.9'), client: '10.1.2.3' },
  { what: 'several lines', headers: forwarded('203.0.113.9', '198.51.100.7', '10.9.9.9'), client: '198.51.100.7' },
  { what: 'lines in the other order', headers: forwarded('198.51.100.7', '203.0.113.9'), client: undefined },
  { what: 'blanks and tabs', headers: forwarded(' 198.51.100.7\t,  10.1.2.3 '), client: '198.51.100.7' },
  { what: 'garbage that is not reached', headers: forwarded('garbage, ,198.51.100.7'), client: '198.51.100.7' },
  { what: 'garbage in a line that is not reached', headers: forwarded(';;', '198.51.100.7'), client: '198.51.100.7' },
  { what: 'garbage that is reached', headers: forwarded('198.51.100.7, unknown'), client: undefined },
  { what: 'garbage behind a proxy', headers: forwarded('198.51.100.7, garbage, 10.1.2.3'), client: undefined },
  { what: 'an empty entry', headers: forwarded('198.51.100.7,'), client: undefined },
  { what: 'an empty header', headers: forwarded(''), client: undefined },
  { what: 'a leading zero', headers: forwarded('198.51.100.07'), client: undefined },
  { what: 'a port that is none', headers: forwarded('198.51.100.7:70000'), client: undefined },
  { what: 'a network', headers: forwarded('198.51.100.7/32'), client: undefined },
  { what: 'a name', headers: forwarded('localhost'), client: undefined },
  { what: 'Forwarded', headers: ['Forwarded: for=198.51.100.7'], client: '127.0.0.1' },
  { what: 'X-Real-IP', headers: ['X-Real-IP: 198.51.100.7', 'X-Client-IP: 198.51.100.7'], client: '127.0.0.1' },
  {
    what: 'X-Real-IP beside X-Forwarded-For',
    headers: ['X-Real-IP: 203.0.113.9', ...forwarded('198.51.100.7')],
    client: '198.51.100.7',
  },
  { what: 'the header in lower case', headers: ['x-forwarded-for: 198.51.100.7'], client: '198.51.100.7' },
];

inBothWorlds('the client address', (world) => {
  const deployments = new Map<string, TestDeployment>();
  let certificate: TestCertificate;

  before(async () => {
    certificate = await world().importLeaf({ domains: ['example.com'] });
    for (const address of ['198.51.100.7', '2001:db8::7', '127.0.0.1', '10.1.2.3']) {
      deployments.set(address, await world().deploy(certificate.id, [address]));
    }
  });

  test('behind a trusted proxy X-Forwarded-For is walked from the right', async () => {
    const server = await world().serve({ WAXWING_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' });
    for (const { what, headers, client } of cases) {
      for (const [address, { bearer }] of deployments) {
        const answer = await server.ask('GET /api/certificate', bearer, ...headers);
        if (address === client) assert.equal(answer.status, 200, `${what}: ${address}`);
        else assert.equal(answer.text, refusal('address_not_allowed', world().clock), `${what}: ${address}`);
      }
    }
  });

  test('a client whose address cannot be told is not even admitted by everything', async () => {
    const server = await world().serve({ WAXWING_TRUSTED_PROXIES: '127.0.0.1' });
    const { bearer } = await world().deploy(certificate.id, ['0.0.0.0/0', '::/0']);
    assert.equal((await server.ask('GET /api/certificate', bearer)).status, 200);
    const answer = await server.ask('GET /api/certificate', bearer, 'X-Forwarded-For: unknown');
    assert.equal(answer.text, refusal('address_not_allowed', world().clock));
  });

  describe('from a peer that is no trusted proxy', () => {
    test('the header is ignored; without any trusted proxy the log warns, once in a while', async () => {
      const server = await world().serve();
      const before = world().log().length;
      for (let request = 0; request < 3; request += 1) {
        const { bearer } = deployments.get('127.0.0.1') ?? assert.fail();
        const answer = await server.ask('GET /api/certificate', bearer, 'X-Forwarded-For: 198.51.100.7');
        assert.equal(answer.status, 200);
      }
      const { bearer } = deployments.get('198.51.100.7') ?? assert.fail();
      const answer = await server.ask('GET /api/certificate', bearer, 'X-Forwarded-For: 198.51.100.7');
      assert.equal(answer.text, refusal('address_not_allowed', world().clock));
      assert.match(world().log().slice(before), /WAXWING_TRUSTED_PROXIES is empty/);
      assert.equal(server.running.status().untrusted_forwards, 4);
    });

    test('the header is ignored when other proxies are trusted', async () => {
      const server = await world().serve({ WAXWING_TRUSTED_PROXIES: '192.0.2.0/24' });
      for (const [address, { bearer }] of deployments) {
        const answer = await server.ask('GET /api/certificate', bearer, `X-Forwarded-For: ${address}`);
        assert.equal(answer.status, address === '127.0.0.1' ? 200 : 403);
      }
      assert.equal(server.running.status().untrusted_forwards, 0);
    });
  });
});
