import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { makeOpensslCa } from '../openssl-ca.ts';
import type { World } from '../world.ts';
import { adapt, blocksUnder } from './guide.ts';
import { tellGuide } from './tell-guide.ts';

const accounts = 'docs/guides/accounts.md';
const remote = 'docs/guides/remote.md';

/** The real port is not known yet. */
const baseUrl = 'http://localhost:8080';

const readJson = (world: World, name: string) => JSON.parse(readFileSync(world.path(name), 'utf8'));
const auditOf = (world: World, organization: string) =>
  world.json<{ actor: string; action: string }[]>('audit', 'list', '--organization', organization);

/** A chain and its key in `~/tls`, where the guide expects the reader's. */
async function writeCertificate(world: World): Promise<void> {
  const ca = await makeOpensslCa(world.folder);
  const leaf = await ca.issue('site', ['shop.example.com']);
  const chain = [leaf.certificate, ca.intermediate].map((file) => readFileSync(file, 'utf8'));
  mkdirSync(world.path('tls'));
  writeFileSync(world.path('tls/fullchain.pem'), chain.join(''));
  copyFileSync(leaf.key, world.path('tls/privkey.pem'));
}

tellGuide(
  'the first operator comes in by the link of the guide, which stands nowhere else',
  async (world, shell) => {
    const [create = '', ...more] = blocksUnder(accounts, 'The first operator');
    assert.deepEqual(more, []);
    const printed = await shell.paste(create);
    const [, token = ''] = /\/console\/welcome#token=([\w-]{43})/.exec(printed) ?? [];
    assert.notEqual(token, '', printed);
    const accept = (password: string) =>
      fetch(`${world.url}/api/v1/links/accept`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: baseUrl },
        body: JSON.stringify({ token, password }),
      });
    assert.equal((await accept('ops@example.com')).status, 422, 'little more than the mail address');
    assert.equal((await accept('seven herons on the ice')).status, 200);
    assert.equal((await accept('seven herons on the ice')).status, 410, 'good once');
    assert.equal(world.log.includes(token), false);
  },
  { WAXWING_BASE_URL: baseUrl },
);

tellGuide('a program works with the management key of the guide, within its role', async (world, shell) => {
  const [setUp = '', importing = '', use = '', ...more] = blocksUnder(accounts, 'Management keys');
  assert.deepEqual(more, []);
  await shell.paste(setUp);
  assert.equal(statSync(world.path('trial/robot.header')).mode & 0o777, 0o600);
  await writeCertificate(world);
  await shell.paste(adapt(importing, { 'trial/site.crt': 'tls/fullchain.pem', 'trial/site.key': 'tls/privkey.pem' }));
  await shell.paste(adapt(use, { 'http://localhost:8080': world.url }));
  const [certificate] = readJson(world, 'trial/certificates.json').items;
  const deployment = readJson(world, 'trial/deployment.json');
  assert.deepEqual([deployment.certificate_id, deployment.allow], [certificate.id, ['203.0.113.7']]);
  // The same key of idempotency returns the same one.
  await shell.paste(adapt(use, { 'http://localhost:8080': world.url }));
  assert.equal(readJson(world, 'trial/deployment.json').id, deployment.id);
  const made = (await auditOf(world, certificate.organization_id)).filter(
    ({ action }) => action === 'deployment.create',
  );
  assert.deepEqual(
    made.map(({ actor }) => actor.split(':')[0]),
    ['key'],
  );
});

tellGuide('the settings of the guide on an identity provider are accepted as they stand', async (world, shell) => {
  const [settings = '', ...more] = blocksUnder(accounts, 'Sign-in by an identity provider', 'ini');
  assert.deepEqual(more, []);
  const { id } = await world.json<{ id: string }>('organization', 'create', '--name', 'Web');
  writeFileSync(world.path('sso.env'), adapt(settings, { ORGANIZATION_ID: id }));
  const shown = await shell.paste('npx --no waxwing config --env-file sso.env');
  for (const line of settings.trim().split('\n')) {
    const [name = ''] = line.split('=');
    assert.match(shown, new RegExp(`^${name} .* given$`, 'm'));
  }
});

tellGuide('a server is managed from another machine by the guide', async (world, shell) => {
  const [create = '', token = '', use = '', ...more] = blocksUnder(remote, 'From another machine');
  assert.deepEqual(more, []);
  const { id } = await world.json<{ id: string }>('organization', 'create', '--name', 'Shop');
  await shell.paste(`ORGANIZATION=${id}`);
  const printed = await shell.paste(adapt(create, { '203.0.113.7': '127.0.0.1' }));
  const [key = ''] = /wxa_\S+/.exec(printed) ?? [];
  await shell.paste(`${token.trimEnd()}\n${key}`);
  assert.equal(statSync(world.path('.waxwing-key')).mode & 0o777, 0o600);
  await writeCertificate(world);
  assert.match(await shell.paste(adapt(use, { 'https://waxwing.example.com': world.url })), /shop\.example\.com/);
  const imported = (await auditOf(world, id)).filter(({ action }) => action === 'certificate.import');
  assert.deepEqual(
    imported.map(({ actor }) => actor.split(':')[0]),
    ['key'],
  );
});
