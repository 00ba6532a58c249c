import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { startBind, withoutBind } from '../../packages/server/src/certificates/acme/dns/bind.testing.ts';
import {
  type Pebble,
  startPebble,
  withoutPebble,
} from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';
import { freePort } from '../free-port.ts';
import { makeWorld, mustRun, runProgram, type World } from '../world.ts';
import { startPebbleHere } from './pebble-here.ts';

const name = 'shop.example.test';

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly source: string;
  readonly domains: string[];
  readonly current_version: string;
  readonly result?: string;
  readonly renewal: { readonly state: string; readonly next_at: string | null; readonly window: object | null };
  readonly progress: { readonly step: string; readonly state: string; readonly words: string | null }[];
}

type Story = (world: World, organization: string, roots: string) => Promise<void>;

/** A server that answers HTTP-01 and TLS-ALPN-01, and Pebble, which looks there. */
async function withPebble(story: Story): Promise<void> {
  const [httpPort, tlsPort] = [await freePort(), await freePort()];
  await using pebble = await startPebbleHere(name, { httpPort, tlsPort });
  const settings = {
    WAXWING_HTTP01_LISTEN: `127.0.0.1:${httpPort}`,
    WAXWING_TLS_ALPN_LISTEN: `127.0.0.1:${tlsPort}`,
  };
  await tell(story, pebble, settings);
}

async function tell(story: Story, pebble: Pebble, settings: Readonly<Record<string, string>>): Promise<void> {
  const world = await makeWorld('sqlite', settings);
  try {
    await world.start();
    writeFileSync(world.path('pebble-root.pem'), pebble.rootPem);
    const { id } = await world.json<{ id: string }>('organization', 'create', '--name', 'Story');
    await world.json(
      ...['authority', 'create', '--name', 'pebble', '--directory', pebble.directoryUrl],
      ...['--root-file', world.path('pebble-root.pem'), '--email', 'ops@example.com'],
    );
    await story(world, id, await rootsOf(pebble, world));
    assert.equal(await world.stop(), 0);
  } finally {
    await world.end();
  }
}

/** The root of what Pebble issues. */
async function rootsOf({ managementUrl }: Pebble, world: World): Promise<string> {
  const file = world.path('issued-root.pem');
  const ca = world.path('pebble-root.pem');
  writeFileSync(file, await mustRun('curl', ['-sS', '--fail', '--cacert', ca, `${managementUrl}/roots/0`]));
  return file;
}

async function download(world: World, token: string, query = ''): Promise<string> {
  const answer = await fetch(`${world.url}/api/download${query}`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.text();
}

/** Whether openssl accepts the chain for the name. @returns the leaf */
async function verifyChain(world: World, pem: string, roots: string, host = name): Promise<X509Certificate> {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const [leaf = '', ...others] = blocks;
  writeFileSync(world.path('leaf.pem'), leaf);
  writeFileSync(world.path('others.pem'), others.join('\n'));
  await mustRun('openssl', [
    ...['verify', '-CAfile', roots, '-untrusted', world.path('others.pem')],
    ...['-verify_hostname', host, world.path('leaf.pem')],
  ]);
  return new X509Certificate(leaf);
}

test('a certificate is issued by HTTP-01, renewed, and reaches its deployment', { skip: withoutPebble }, () =>
  withPebble(async (world, organization, roots) => {
    const tested = await world.json<{ ok: boolean; account_url: string }>('authority', 'test', 'pebble');
    assert.ok(tested.ok, JSON.stringify(tested));

    const issued = await world.json<Shown>(
      ...['certificate', 'request', '--organization', organization, '--authority', 'pebble', '--domain', name],
      ...['--challenge', 'http-01', '--wait'],
    );
    assert.deepEqual([issued.state, issued.source, issued.domains], ['issued', 'acme', [name]]);

    const deployment = await world.json<{ token: string }>(
      ...['deployment', 'create', '--certificate', issued.id, '--name', 'web', '--allow', '127.0.0.1'],
    );
    const before = await verifyChain(world, await download(world, deployment.token), roots);
    const key = await download(world, deployment.token, '?type=key');
    assert.ok(before.checkPrivateKey(createPrivateKey(key)));

    const renewed = await world.json<Shown>('certificate', 'renew', issued.id, '--wait');
    assert.equal(renewed.result, 'issued');
    assert.notEqual(renewed.current_version, issued.current_version);
    const after = await verifyChain(world, await download(world, deployment.token), roots);
    assert.notEqual(after.serialNumber, before.serialNumber);
    assert.notDeepEqual(after.publicKey.export({ format: 'jwk' }), before.publicKey.export({ format: 'jwk' }));
    const former = await download(world, deployment.token, `?version=${issued.current_version}`);
    assert.equal(new X509Certificate(former).serialNumber, before.serialNumber);

    const shown = await world.json<Shown>('certificate', 'show', issued.id);
    assert.equal(shown.renewal.state, 'planned');
    assert.ok(
      shown.progress.every(({ state }) => state === 'done'),
      JSON.stringify(shown.progress),
    );
    const trail = JSON.stringify(await world.json('audit', 'list'));
    for (const action of ['authority.create', 'certificate.request', 'certificate.issue', 'certificate.renew']) {
      assert.ok(trail.includes(`"${action}"`), action);
    }
  }),
);

test('a certificate is issued by TLS-ALPN-01', { skip: withoutPebble }, () =>
  withPebble(async (world, organization, roots) => {
    const issued = await world.json<Shown>(
      ...['certificate', 'request', '--organization', organization, '--authority', 'pebble', '--domain', name],
      ...['--challenge', 'tls-alpn-01', '--key', 'rsa2048', '--wait'],
    );
    assert.equal(issued.state, 'issued');
    const deployment = await world.json<{ token: string }>(
      ...['deployment', 'create', '--certificate', issued.id, '--name', 'web', '--allow', '127.0.0.1'],
    );
    const leaf = await verifyChain(world, await download(world, deployment.token), roots);
    assert.equal(leaf.publicKey.asymmetricKeyType, 'rsa');
  }),
);

/** BIND listens on addresses of the machine alone, and name servers are asked at port 53. */
const nameServer = '127.0.0.1';
const zone = 'acme.hub.test';
const secret = Buffer.from('a key of thirty-two octets, yes!').toString('base64');

/** Why to leave out stories with a name server at port 53, or false. */
const withoutPort53 = withoutPebble || withoutBind || (await port53Fault());

async function port53Fault(): Promise<string | false> {
  const server = createServer().listen(53, nameServer);
  try {
    await once(server, 'listening');
    server.close();
    return false;
  } catch (error) {
    return `port 53 of ${nameServer} cannot be listened on (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** BIND answers for example.com, and our responder for the zone of managed delegation. */
async function withBind(story: Story): Promise<void> {
  const dnsPort = await freePort();
  const keys = [{ name: 'waxwing', algorithm: 'hmac-sha256', secret }];
  const forwarded = { zone, port: dnsPort };
  await using _bind = await startBind(keys, { port: 53, forwarded });
  await using pebble = await startPebble({ dnsServer: `${nameServer}:53` });
  await tell(story, pebble, {
    WAXWING_DNS_ZONE: zone,
    WAXWING_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    WAXWING_ACME_ALLOW_NETWORKS: '127.0.0.0/8',
    NODE_OPTIONS: `--import=${new URL('trial-resolver.ts', import.meta.url)}`,
    TRIAL_NAME_SERVER: nameServer,
  });
}

/** The answer of BIND to the records of a proof. */
const proofsAt = async (host: string) =>
  (await mustRun('dig', [`@${nameServer}`, host, 'TXT', '+short', '+tries=1'])).trim();

test('a wildcard is issued by records that RFC 2136 sets', { skip: withoutPort53 }, () =>
  withBind(async (world, organization, roots) => {
    writeFileSync(world.path('tsig'), `${secret}\n`, { mode: 0o600 });
    const provider = await world.json<{ id: string }>(
      ...['dns-provider', 'create', '--organization', organization, '--name', 'bind', '--kind', 'rfc2136'],
      ...['--option', `server=${nameServer}:53`, '--option', 'zone=example.com', '--option', 'key-name=waxwing'],
      ...['--secret-file', world.path('tsig')],
    );
    const tested = await world.json<{ ok: boolean }>('dns-provider', 'test', provider.id, '--domain', 'example.com');
    assert.ok(tested.ok, JSON.stringify(tested));
    const issued = await world.json<Shown>(
      ...['certificate', 'request', '--organization', organization, '--authority', 'pebble', '--wait'],
      ...['--domain', '*.example.com', '--domain', 'example.com'],
      ...['--challenge', 'dns-01', '--dns-provider', provider.id],
    );
    assert.equal(issued.state, 'issued', JSON.stringify(issued.progress));
    await verifyServed(world, issued.id, roots, 'shop.example.com');
    assert.equal(await proofsAt('_acme-challenge.example.com'), '', 'the records are removed');
  }),
);

test('a wildcard is issued by managed delegation once its CNAME is there', { skip: withoutPort53 }, () =>
  withBind(async (world, organization, roots) => {
    const asked = await world.json<Shown & { delegation: { name: string; target: string }[] }>(
      ...['certificate', 'request', '--organization', organization, '--authority', 'pebble'],
      ...['--domain', '*.managed.example.com', '--domain', 'managed.example.com', '--challenge', 'dns-01'],
    );
    assert.equal(asked.state, 'pending');
    const [alias, ...others] = asked.delegation;
    assert.deepEqual([alias?.name, others], ['_acme-challenge.managed.example.com', []]);
    assert.match(alias?.target ?? '', /^[a-z2-7]{26}\.acme\.hub\.test$/);
    const update = `server ${nameServer}\nzone example.com\nupdate add ${alias?.name} 5 CNAME ${alias?.target}\nsend\n`;
    const updated = await runProgram('nsupdate', ['-y', `hmac-sha256:waxwing:${secret}`], {}, update);
    assert.equal(updated.code, 0, updated.stderr);
    await world.json('certificate', 'request-again', asked.id);
    let shown: Shown = asked;
    while (shown.state === 'pending') shown = await world.json<Shown>('certificate', 'show', asked.id);
    assert.equal(shown.state, 'issued', JSON.stringify(shown.progress));
    await verifyServed(world, asked.id, roots, 'a.managed.example.com');
    assert.equal(await proofsAt(alias?.target ?? ''), '', 'the values are removed');
  }),
);

async function verifyServed(world: World, certificate: string, roots: string, host: string): Promise<void> {
  const deployment = await world.json<{ token: string }>(
    ...['deployment', 'create', '--certificate', certificate, '--name', 'web', '--allow', '127.0.0.1'],
  );
  await verifyChain(world, await download(world, deployment.token), roots, host);
}
