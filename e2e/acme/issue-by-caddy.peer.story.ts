import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import { makeWorld } from '../world.ts';
import { startCaddy, withoutCaddy } from './caddy.ts';
import { withoutPort } from './free-standard-port.ts';
import { download, verifyChain } from './served-chain.ts';

/** An address, because Caddy resolves names by the machine's resolver, which a story must not change. */
const name = '127.0.0.1';

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly current_version: string;
  readonly result?: string;
  readonly renewal: { readonly state: string; readonly next_at: string };
}

const ports = { 'http-01': 80, 'tls-alpn-01': 443 } as const;

for (const challenge of ['http-01', 'tls-alpn-01'] as const) {
  const skip = withoutCaddy || (await withoutPort(ports[challenge]));
  if (skip !== false) console.log(`${challenge} by Caddy: ${skip}`);
  test(`Caddy's authority issues by ${challenge}, renews with another key, and revokes`, { skip }, async () => {
    await using caddy = await startCaddy();
    const world = await makeWorld('sqlite', {
      [challenge === 'http-01' ? 'WAXWING_HTTP01_LISTEN' : 'WAXWING_TLS_ALPN_LISTEN']: `${name}:${ports[challenge]}`,
    });
    try {
      await world.start();
      const { id: organization } = await world.json<{ id: string }>('organization', 'create', '--name', 'Story');
      await world.json(
        ...['authority', 'create', '--name', 'caddy', '--directory', caddy.directoryUrl],
        ...['--root-file', caddy.rootFile, '--email', 'ops@example.com'],
      );
      const tested = await world.json<{ ok: boolean; renewal_info: boolean }>('authority', 'test', 'caddy');
      assert.deepEqual([tested.ok, tested.renewal_info], [true, false]);

      const issued = await world.json<Shown>(
        ...['certificate', 'request', '--organization', organization, '--authority', 'caddy', '--domain', name],
        ...['--profile', 'ip', '--challenge', challenge, '--wait'],
      );
      assert.equal(issued.state, 'issued');
      const deployment = await world.json<{ token: string }>(
        ...['deployment', 'create', '--certificate', issued.id, '--name', 'web', '--allow', '127.0.0.1'],
      );
      const fetched = async () => {
        const pem = await download(world, deployment.token);
        const leaf = await verifyChain(world, pem, caddy.rootFile, name);
        const key = await download(world, deployment.token, '?type=key');
        assert.ok(leaf.checkPrivateKey(createPrivateKey(key)));
        return leaf;
      };
      const before = await fetched();
      // It lives for twelve hours, and is renewed at half of them without a window.
      const life = Date.parse(before.validTo) - Date.parse(before.validFrom);
      const share = (Date.parse(issued.renewal.next_at) - Date.parse(before.validFrom)) / life;
      assert.ok(Math.abs(share - 1 / 2) <= 1 / 8, `renewed at ${share} of its lifetime`);

      const renewed = await world.json<Shown>('certificate', 'renew', issued.id, '--wait');
      assert.equal(renewed.result, 'issued');
      const after = await fetched();
      assert.notEqual(after.serialNumber, before.serialNumber);
      assert.notDeepEqual(after.publicKey.export({ format: 'jwk' }), before.publicKey.export({ format: 'jwk' }));

      const revoked = await world.json<{ authority_told: boolean | null }>(
        ...['certificate', 'revoke', issued.id, '--yes'],
      );
      assert.equal(revoked.authority_told, true);
      assert.equal(await world.stop(), 0);
    } finally {
      await world.end();
    }
  });
}
