import assert from 'node:assert/strict';
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startBind, withoutBind } from '../../packages/server/src/certificates/acme/dns/bind.testing.ts';
import {
  type Pebble,
  type PebbleOptions,
  startPebble,
  withoutPebble,
} from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';
import { freePort } from '../free-port.ts';
import { makeWorld, mustRun, runProgram, type World } from '../world.ts';
import { withoutPort } from './free-standard-port.ts';
import { startPebbleHere } from './pebble-here.ts';
import { download, verifyChain } from './served-chain.ts';

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

type Story = (world: World, organization: string, roots: string, pebble: Pebble) => Promise<void>;

/** A server that answers HTTP-01 and TLS-ALPN-01, and Pebble, which looks there. */
async function withPebble(story: Story, options: PebbleOptions = {}): Promise<void> {
  const [httpPort, tlsPort] = [await freePort(), await freePort()];
  await using pebble = await startPebbleHere(name, { ...options, httpPort, tlsPort });
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
    await story(world, id, await rootsOf(pebble, world), pebble);
    assert.equal(await world.stop(), 0);
  } finally {
    await world.end();
  }
}

/** What Pebble's management interface answers. */
function manage({ managementUrl }: Pebble, world: World, path: string): Promise<string> {
  const ca = world.path('pebble-root.pem');
  return mustRun('curl', ['-sS', '--fail', '--cacert', ca, `${managementUrl}/${path}`]);
}

/** A root of what Pebble issues; the first is that of the chain it sends unasked. */
async function rootsOf(pebble: Pebble, world: World, number = 0): Promise<string> {
  const file = world.path(`issued-root-${number}.pem`);
  writeFileSync(file, await manage(pebble, world, `roots/${number}`));
  return file;
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
    const before = await verifyChain(world, await download(world, deployment.token), roots, name);
    const key = await download(world, deployment.token, '?type=key');
    assert.ok(before.checkPrivateKey(createPrivateKey(key)));

    const renewed = await world.json<Shown>('certificate', 'renew', issued.id, '--wait');
    assert.equal(renewed.result, 'issued');
    assert.notEqual(renewed.current_version, issued.current_version);
    const after = await verifyChain(world, await download(world, deployment.token), roots, name);
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
    const leaf = await verifyChain(world, await download(world, deployment.token), roots, name);
    assert.equal(leaf.publicKey.asymmetricKeyType, 'rsa');
  }),
);

test('the authority is told of a revocation, of one version or of all', { skip: withoutPebble }, () =>
  withPebble(async (world, organization, _roots, pebble) => {
    const issued = await world.json<Shown>(
      ...['certificate', 'request', '--organization', organization, '--authority', 'pebble', '--domain', name],
      ...['--challenge', 'http-01', '--wait'],
    );
    const deployment = await world.json<{ token: string }>(
      ...['deployment', 'create', '--certificate', issued.id, '--name', 'web', '--allow', '127.0.0.1'],
    );
    const current = async () => new X509Certificate(await download(world, deployment.token));
    const statusOf = async ({ serialNumber }: X509Certificate) => {
      const path = `cert-status-by-serial/${serialNumber.toLowerCase()}`;
      return (JSON.parse(await manage(pebble, world, path)) as { Status: string }).Status;
    };
    const revoke = async (...which: string[]) => {
      const args = ['certificate', 'revoke', issued.id, ...which, '--yes'];
      const { authority_told } = await world.json<{ authority_told: boolean | null }>(...args);
      // Pebble refuses three nonces of ten, now and then all that are tried: then the worker tells it a minute later.
      assert.notEqual(authority_told, null);
    };
    const untilRevoked = async (leaf: X509Certificate) => {
      while ((await statusOf(leaf)) !== 'Revoked') await delay(200);
    };
    const former = await current();
    await world.json('certificate', 'renew', issued.id, '--wait');
    const latest = await current();
    assert.deepEqual([await statusOf(former), await statusOf(latest)], ['Valid', 'Valid']);
    await revoke('--version', issued.current_version);
    await untilRevoked(former);
    assert.equal(await statusOf(latest), 'Valid', 'the other version is not revoked');
    await revoke();
    await untilRevoked(latest);
  }),
);

test('of several chains that one is taken which the authority prefers', { skip: withoutPebble }, () =>
  withPebble(
    async (world, organization, roots, pebble) => {
      const issued = await world.json<Shown>(
        ...['certificate', 'request', '--organization', organization, '--authority', 'pebble', '--domain', name],
        ...['--challenge', 'http-01', '--wait'],
      );
      const deployment = await world.json<{ token: string }>(
        ...['deployment', 'create', '--certificate', issued.id, '--name', 'web', '--allow', '127.0.0.1'],
      );
      const chain = await download(world, deployment.token);
      await verifyChain(world, chain, roots, name);
      await assert.rejects(verifyChain(world, chain, await rootsOf(pebble, world, 1), name));
    },
    { alternateRoots: 2 },
  ),
);

test('an authority with customers of its own takes the account that its customer vouches for', {
  skip: withoutPebble,
}, () => {
  const hmac = randomBytes(32).toString('base64url');
  return withPebble(
    async (world, organization, roots) => {
      const request = [
        ...['certificate', 'request', '--organization', organization, '--authority', 'pebble', '--domain', name],
        ...['--challenge', 'http-01', '--wait'],
      ];
      const tested = await world.waxwing(['authority', 'test', 'pebble', '--json']);
      assert.equal(tested.code, 1);
      assert.match((JSON.parse(tested.stdout) as { error: string }).error, /externalAccountBinding/);
      const refused = await world.waxwing([...request, '--json']);
      assert.equal(refused.code, 1);
      assert.equal((JSON.parse(refused.stdout) as Shown).state, 'failed');

      writeFileSync(world.path('hmac'), `${hmac}\n`, { mode: 0o600 });
      const external = ['--eab-kid', 'kid-1', '--eab-hmac-file', world.path('hmac')];
      const updated = await world.json<{ eab_kid: string }>('authority', 'update', 'pebble', ...external);
      assert.equal(updated.eab_kid, 'kid-1');
      const { id } = JSON.parse(refused.stdout) as Shown;
      let shown = await world.json<Shown>('certificate', 'request-again', id);
      while (shown.state === 'pending') shown = await world.json<Shown>('certificate', 'show', id);
      assert.equal(shown.state, 'issued', JSON.stringify(shown.progress));
      await verifyServed(world, id, roots, name);
      assert.ok(!world.log.includes(hmac), 'the key is in the log');
    },
    { externalAccounts: { 'kid-1': hmac } },
  );
});

/** BIND listens on addresses of the machine alone, and name servers are asked at port 53. */
const nameServer = '127.0.0.1';
const zone = 'acme.hub.test';
const secret = Buffer.from('a key of thirty-two octets, yes!').toString('base64');

/** Why to leave out stories with a name server at port 53, or false. */
const withoutPort53 = withoutPebble || withoutBind || (await withoutPort(53));

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
    await untilCleaned(world, issued.id);
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
    await untilCleaned(world, asked.id);
    // BIND remembers the values for as long as they say, which is five seconds. A limit of time ends this if they stay.
    while ((await proofsAt(alias?.target ?? '')) !== '') await delay(200);
  }),
);

/** A certificate is issued before its proofs are removed. */
async function untilCleaned(world: World, certificate: string): Promise<void> {
  const progress = () => world.json<{ step: string | null }>('certificate', 'progress', certificate);
  while ((await progress()).step !== null) await delay(100);
}

async function verifyServed(world: World, certificate: string, roots: string, host: string): Promise<void> {
  const deployment = await world.json<{ token: string }>(
    ...['deployment', 'create', '--certificate', certificate, '--name', 'web', '--allow', '127.0.0.1'],
  );
  await verifyChain(world, await download(world, deployment.token), roots, host);
}
