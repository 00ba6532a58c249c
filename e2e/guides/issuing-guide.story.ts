import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withoutPebble } from '../../packages/server/src/certificates/acme/protocol/pebble.testing.ts';
import { startPebbleHere } from '../acme/pebble-here.ts';
import { freePort } from '../free-port.ts';
import { startNginx, untilServed } from '../nginx.ts';
import { makeWorld, mustRun } from '../world.ts';
import { installFetchScript } from './fetch-script.ts';
import { adapt, blocksUnder } from './guide.ts';
import { makeClone, openShell } from './shell-session.ts';

const guide = 'docs/guides/issuing.md';
const name = 'shop.example.com';

test('the guide on issuing goes from nothing to a renewed certificate in nginx', { skip: withoutPebble }, async () => {
  const httpPort = await freePort();
  await using pebble = await startPebbleHere(name, { httpPort });
  const world = await makeWorld('sqlite', { WAXWING_HTTP01_LISTEN: `127.0.0.1:${httpPort}` });
  makeClone(world.folder);
  const shell = openShell(world.folder);
  const nginx = await startNginx(world.folder);
  try {
    await world.start();
    writeFileSync(world.path('root.pem'), pebble.rootPem);
    const [create = '', ask = ''] = blocksUnder(guide, 'An authority');
    const own = `--directory ${pebble.directoryUrl} --root-file root.pem`;
    await shell.paste(adapt(create, { '--preset letsencrypt-staging': own }));
    assert.match(await shell.paste(ask), /account/);
    const [request = ''] = blocksUnder(guide, 'Three proofs');
    assert.match(await shell.paste(request), /issued/);
    const [deploy = ''] = blocksUnder(guide, 'To nginx');
    await shell.paste(deploy);

    const site = { name, folder: world.path('nginx-tls'), script: world.path('bin/fetch-certificate') };
    const first = 'docs/guides/first-certificate.md';
    const [token = ''] = blocksUnder(first, 'Where nginx runs');
    await shell.paste(adapt(token, { '/etc/nginx/tls': site.folder }));
    mkdirSync(world.path('cron.d'));
    const fetching = await installFetchScript(world, nginx, site);
    const [serving = ''] = blocksUnder(first, 'Where nginx runs', 'nginx');
    nginx.configure(adapt(serving, { '/etc/nginx/tls': site.folder, '443': `127.0.0.1:${nginx.port}` }));
    await fetching.finds('200');
    const ca = world.path('issued-root.pem');
    const roots = ['-sS', '--fail', '--cacert', world.path('root.pem'), `${pebble.managementUrl}/roots/0`];
    writeFileSync(ca, await mustRun('curl', roots));
    const isServed = async () => {
      type Shown = { versions: { serial: string; place: string }[] };
      const { versions } = await world.json<Shown>('certificate', 'show', name);
      const serial = versions.find(({ place }) => place === 'current')?.serial ?? assert.fail('none is current');
      const served = await untilServed(nginx, { name, ca, serial });
      assert.deepEqual([served?.verified, served?.serial], [true, serial]);
      return serial;
    };
    const before = await isServed();
    await fetching.finds('304');

    const [renew = ''] = blocksUnder(guide, 'Renewals');
    assert.match(await shell.paste(renew), /rollout +0 of 1/);
    await fetching.finds('200');
    assert.notEqual(await isServed(), before);
  } finally {
    await nginx.stop();
    await shell.close();
    await world.end();
  }
});
