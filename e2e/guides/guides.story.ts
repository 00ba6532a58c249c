import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { startNginx, untilServed } from '../nginx.ts';
import { makeOpensslCa } from '../openssl-ca.ts';
import { mustRun, type World } from '../world.ts';
import { installFetchScript } from './fetch-script.ts';
import { adapt, blocksUnder } from './guide.ts';
import { openShell } from './shell-session.ts';
import { tellGuide } from './tell-guide.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modeOf = (path: string): number => statSync(path).mode & 0o777;

tellGuide('the five minutes of the README end with a chain that verifies', async (world, shell) => {
  const heading = 'A certificate handed out, in five minutes';
  const [ca = '', imported = '', deployed = '', fetched = '', served = '', ...more] = blocksUnder('README.md', heading);
  assert.deepEqual(more, []);
  await shell.paste(ca);
  assert.match(await shell.paste(imported), /domains +localhost, 127\.0\.0\.1/);
  await shell.paste(deployed);
  await shell.paste(adapt(fetched, { 'http://localhost:8080': world.url }));
  const port = String(await freePort());
  assert.match(await shell.paste(adapt(served, { '8443': port })), /^the chain verifies$/m);

  const { data } = JSON.parse(readFileSync(world.path('trial/served.json'), 'utf8'));
  assert.equal(data.certificate_info.private_key, readFileSync(world.path('trial/served.key'), 'utf8'));
  for (const file of readdirSync(world.path('trial'))) assert.equal(modeOf(world.path(`trial/${file}`)), 0o600, file);
});

tellGuide('nginx follows renewals by the script of the guide, also past a failed reload', async (world, shell) => {
  const guide = 'docs/guides/first-certificate.md';
  const site = {
    name: 'shop.example.com',
    folder: world.path('nginx-tls'),
    script: world.path('bin/fetch-certificate'),
  };
  // The reader's `~/tls`. The fetching machine has a folder of its own.
  mkdirSync(world.path('tls'));
  const ca = await makeOpensslCa(world.path('tls'));
  const first = await ca.issue('site', [site.name]);
  copyFileSync(ca.intermediate, world.path('tls/chain.crt'));
  const nginx = await startNginx(world.folder);
  try {
    for (const block of blocksUnder(guide, 'Where Waxwing runs')) await shell.paste(block);
    const [token = '', run = '', ...more] = blocksUnder(guide, 'Where nginx runs');
    assert.deepEqual(more, []);
    await shell.paste(adapt(token, { '/etc/nginx/tls': site.folder }));
    assert.deepEqual(
      [existsSync(world.path('trial/nginx.header')), modeOf(join(site.folder, 'token.header'))],
      [false, 0o600],
    );
    const fetching = await installFetchScript(world, nginx, site);
    const [configuration = ''] = blocksUnder(guide, 'Where nginx runs', 'nginx');
    const serving = adapt(configuration, { '/etc/nginx/tls': site.folder, '443': `127.0.0.1:${nginx.port}` });
    nginx.configure(serving);

    mkdirSync(world.path('cron.d'));
    await shell.paste(adapt(run, { '/usr/local/sbin/': world.path('bin/'), '/etc/cron.d/': world.path('cron.d/') }));
    const isServed = async ({ serial }: { readonly serial: string }) =>
      assert.deepEqual(await untilServed(nginx, { name: site.name, ca: ca.root, serial }), {
        verified: true,
        certificates: 2,
        serial,
      });
    await isServed(first);
    assert.equal(modeOf(join(site.folder, 'site.pem')), 0o600);
    await fetching.finds('304');

    const second = await ca.issue('site', [site.name]);
    const [renewal = ''] = blocksUnder(guide, 'When the certificate is renewed');
    await shell.paste(renewal);
    const before = readFileSync(join(site.folder, 'site.pem'), 'utf8');
    nginx.configure(`${serving}\nbroken;`);
    const failed = await fetching.run();
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /unknown directive "broken"[\s\S]*the next run tries again/);
    assert.equal(readFileSync(join(site.folder, 'site.pem'), 'utf8'), before);
    await isServed(first);

    nginx.configure(serving);
    await fetching.finds('200');
    await isServed(second);
    await fetching.finds('304');

    // A stopped nginx finds the new certificate when it starts.
    const third = await ca.issue('site', [site.name]);
    await shell.paste(renewal);
    const pid = world.path('nginx/nginx.pid');
    renameSync(pid, `${pid}.away`);
    const unheard = await fetching.run();
    assert.equal(unheard.code, 1);
    assert.match(unheard.stderr, /nginx could not be reloaded\. If it does not run, start it/);
    assert.equal(new X509Certificate(readFileSync(join(site.folder, 'site.pem'))).serialNumber, third.serial);
    renameSync(`${pid}.away`, pid);
    await fetching.finds('200');
    await isServed(third);

    const [, audit = ''] = blocksUnder(guide, 'When the certificate is renewed');
    const handedOut = (await shell.paste(audit)).match(/private-key\.hand-out/g);
    assert.equal(handedOut?.length, 5);
  } finally {
    await nginx.stop();
  }
});

tellGuide('the recipes of the guide on fetching fetch one matching pair', async (world, shell) => {
  const guide = 'docs/guides/fetching.md';
  const { token } = await importTrial(world);
  const [setUp = ''] = blocksUnder(guide, 'Fetching certificate and key');
  await shell.paste(`${adapt(setUp, { 'http://localhost:8080': world.url }).trimEnd()}\n${token}`);
  assert.equal(modeOf(world.path('trial/token.header')), 0o600);
  for (const recipe of ['The two operations', 'One matching pair']) {
    for (const file of ['fetched.crt', 'fetched.key']) writeFileSync(world.path(`trial/${file}`), '');
    for (const block of blocksUnder(guide, recipe)) await shell.paste(block);
    const certificate = new X509Certificate(readFileSync(world.path('trial/fetched.crt')));
    assert.ok(certificate.checkPrivateKey(createPrivateKey(readFileSync(world.path('trial/fetched.key')))));
  }
  assert.equal(JSON.parse(readFileSync(world.path('trial/fetched.json'), 'utf8')).status, 'success');
});

tellGuide('a backup by the guide is restored by the guide, after a kill and after a rotation', async (world, shell) => {
  const guide = 'docs/guides/backup-and-master-key.md';
  const backups = world.path('backups');
  const folders = { '/var/backups/waxwing/': `${backups}/` };
  const ofKeys = { '/var/backups/waxwing-keys/': `${world.path('keys')}/` };
  for (const folder of [backups, world.path('keys')]) mkdirSync(folder);
  const [, backUp = '', copyKey = ''] = blocksUnder(guide, 'Back up');
  const [restore = '', , look = ''] = blocksUnder(guide, 'Restore');
  const [trial = ''] = blocksUnder(guide, 'Try a restore');
  const [noteHead = '', checkHead = ''] = blocksUnder(guide, 'The audit trail');
  const names = async () => (await world.json<{ name: string }[]>('organization', 'list')).map(({ name }) => name);

  const { token } = await importTrial(world);
  // The names of copies contain seconds, and cron's may come within the same one.
  await shell.paste(adapt(backUp, { ...folders, '$(date +%FT%H%M%S)': 'by-hand' }));
  await shell.paste(adapt(copyKey, ofKeys));
  const [copy = ''] = readdirSync(backups);
  const old = join(backups, 'waxwing-2020-01-01.db');
  writeFileSync(old, '');
  utimesSync(old, 0, 0);
  await backUpByCron(world, folders);
  const kept = readdirSync(backups);
  assert.deepEqual([kept.length, kept.includes(copy), existsSync(old)], [2, true, false]);
  assert.equal(modeOf(join(backups, copy)), 0o600);
  for (let n = 0; n < 30; n += 1) await world.control.call('createOrganization', { body: { name: `Later ${n}` } });
  await shell.paste(adapt(noteHead, ofKeys));
  await shell.paste(adapt(checkHead, ofKeys));
  const ofTrial = {
    ...folders,
    ...ofKeys,
    '8081': String(await freePort()),
    'npx --no waxwing serve ': 'npx --no waxwing organization list ',
  };
  assert.match(await shell.paste(adapt(trial, ofTrial)), /No server runs on \S+tmp\.\w+\.[\s\S]*Trial/);
  await world.kill();
  // The WAL that would corrupt the copy really exists.
  assert.ok(statSync(world.path('data/waxwing.db-wal')).size > 0);

  await shell.paste(adapt(restore, folders));
  assert.deepEqual(
    readdirSync(world.path('data')).filter((name) => name.startsWith('waxwing.db')),
    ['waxwing.db'],
  );
  assert.equal(modeOf(world.path('data/waxwing.db')), 0o600);
  await world.start();
  assert.match(await shell.paste(look), /The audit trail is unbroken/);
  assert.deepEqual(await names(), ['Trial']);
  await fetchesKey(world, token);
  // A chain set back lacks the newer head, which the noted head is for.
  const other = openShell(world.folder);
  await assert.rejects(other.paste(adapt(checkHead, ofKeys)), /The audit trail is NOT unbroken/);
  await other.close();

  const [rotate = ''] = blocksUnder(guide, 'Rotate the master key');
  assert.match(await shell.paste(rotate), /The master key was rotated/);
  await shell.paste(look);
  await world.stop();
  // The former files' folder names contain seconds, and this restore may come within the same one.
  await shell.paste(adapt(restore, { ...folders, '$(date +%FT%H%M%S)': 'again' }));
  const refusal = await world.start().then(
    () => assert.fail('it started with a key that does not fit'),
    (error: Error) => error.message,
  );
  const [, keyId = ''] = /sealed by master key ([0-9a-f]{16}), which \S+ does not hold/.exec(refusal) ?? [];
  const fitting = (await mustRun('grep', ['-rl', keyId, world.path('keys')])).trim();
  await shell.paste(`cp ${fitting} data/master.key`);
  await world.start();
  await shell.paste(look);
  await fetchesKey(world, token);
});

tellGuide(
  'the command line of the unit serves from the folders of its settings, and ends at SIGTERM',
  async (world) => {
    await world.stop();
    const [settings = '', ...more] = blocksUnder('docs/guides/service.md', 'The files', 'ini');
    const [unit = ''] = blocksUnder('docs/guides/service.md', 'The unit', 'ini');
    assert.deepEqual(more, []);
    const file = world.path('waxwing.env');
    writeFileSync(file, `${adapt(settings, { '/var/lib': world.folder })}WAXWING_LISTEN=127.0.0.1:0\n`);
    const of = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? assert.fail(`no ${name}`);
    const line = adapt(of('ExecStart'), { '/opt/waxwing/': root, '/etc/waxwing/waxwing.env': file });
    const [program = '', ...args] = line.split(' ');
    const [name = '', value] = of('Environment').split('=');
    const cwd = adapt(`${of('WorkingDirectory')}/`, { '/opt/waxwing/': root });
    const server = spawn(program, args, { cwd, env: { PATH: process.env.PATH, [name]: value }, stdio: 'pipe' });
    try {
      const [greeting] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
      assert.match(String(greeting), /"msg":"Waxwing \S+ listens on http/);
      assert.deepEqual(
        of('StateDirectory')
          .split(' ')
          .map((folder) => existsSync(world.path(folder))),
        [true, true],
      );
      assert.ok(existsSync(world.path('waxwing-keys/master.key')));
      server.kill('SIGTERM');
      assert.deepEqual(await once(server, 'exit'), [0, null]);
    } finally {
      server.kill('SIGKILL');
    }
  },
);

/** An imported certificate of a trial CA, and a deployment for this machine. */
async function importTrial(world: World): Promise<{ readonly token: string }> {
  const ca = await makeOpensslCa(world.folder);
  const leaf = await ca.issue('trial', ['trial.example.com']);
  const { id: organization } = await world.json<{ id: string }>('organization', 'create', '--name', 'Trial');
  const { id: certificate } = await world.json<{ id: string }>(
    ...['certificate', 'import', '--organization', organization, '--key', leaf.key],
    ...['--certificate', leaf.certificate, '--certificate', ca.intermediate],
  );
  return world.json<{ token: string }>(
    ...['deployment', 'create', '--certificate', certificate, '--name', 'web', '--allow', '127.0.0.1'],
  );
}

/** Runs the guide's line as cron does: by sh, with each escaped percent sign as one. */
async function backUpByCron(world: World, folders: Readonly<Record<string, string>>): Promise<void> {
  const [line = ''] = blocksUnder('docs/guides/backup-and-master-key.md', 'Back up', '');
  const [, command = ''] = /^\S+ \S+ \* \* \* waxwing (.+)$/m.exec(line.replaceAll('\\%', '%')) ?? [];
  const adapted = adapt(command, {
    ...folders,
    'find /var/backups/waxwing ': `find ${folders['/var/backups/waxwing/']} `,
  });
  writeFileSync(world.path('waxwing.env'), '');
  const here = adapt(adapted, { '/opt/waxwing': world.folder, '/etc/waxwing/waxwing.env': world.path('waxwing.env') });
  assert.equal(await mustRun('sh', ['-c', here]), '', 'cron would mail it every night');
}

async function fetchesKey(world: World, token: string): Promise<void> {
  const answer = await fetch(`${world.url}/api/download?type=key`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(await answer.text(), readFileSync(world.path('trial.key'), 'utf8'));
}
