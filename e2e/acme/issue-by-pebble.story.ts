import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  respondFrom,
  startNameServer,
  trialRecord,
} from '../../packages/server/src/certificates/acme/dns/name-server.testing.ts';
import {
  type Pebble,
  startPebble,
  withoutPebble,
} from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';
import { freePort } from '../free-port.ts';
import { makeWorld, mustRun, type World } from '../world.ts';

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

/** A server that answers HTTP-01 and TLS-ALPN-01, and Pebble, which looks there. */
async function withPebble(story: (world: World, organization: string, roots: string) => Promise<void>): Promise<void> {
  await using dns = await startNameServer(respondFrom(() => [trialRecord(name, 'A', '127.0.0.1')]));
  const [httpPort, tlsPort] = [await freePort(), await freePort()];
  await using pebble = await startPebble({ httpPort, tlsPort, dnsServer: `127.0.0.1:${dns.port}` });
  const world = await makeWorld('sqlite', {
    WAXWING_HTTP01_LISTEN: `127.0.0.1:${httpPort}`,
    WAXWING_TLS_ALPN_LISTEN: `127.0.0.1:${tlsPort}`,
  });
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
