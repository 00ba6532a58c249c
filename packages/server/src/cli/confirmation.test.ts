import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { runCommandLine } from './command-line.ts';
import { applicationCommands } from './command-table.ts';
import { runAtTerminal, startServe } from './program.testing.ts';
import { fakeTerminal, temporaryFolder } from './terminal.testing.ts';

/** A person who types one answer, whatever is asked. */
async function typing(folder: string, answer: string, argv: readonly string[], tty = { stdin: true, stderr: true }) {
  const terminal = fakeTerminal(folder);
  const stdin = Object.assign(new PassThrough(), { isTTY: tty.stdin });
  stdin.end(answer);
  const code = await runCommandLine(argv, {
    ...terminal,
    stdin,
    stderr: { ...terminal.stderr, isTTY: tty.stderr },
  });
  return { code, ...terminal.written };
}

/** An instance without a server: a certificate with two deployments, a messaging key, a management key. */
async function newInstance(context: TestContext) {
  const folder = temporaryFolder(context);
  const umask = process.umask();
  context.after(() => process.umask(umask));
  const leaf = makeTrialCa({ now: Date.now() }).issue({ domains: ['shop.example.com'] });
  writeFileSync(join(folder, 'site.pem'), leaf.certificatePem + leaf.keyPem);
  const json = async <T = { id: string }>(...argv: string[]): Promise<T> => {
    const terminal = fakeTerminal(folder);
    assert.equal(await runCommandLine([...argv, '--json'], terminal), 0, terminal.written.err);
    assert.equal(terminal.written.err, '', 'nothing is asked where nobody sits');
    return JSON.parse(terminal.written.out);
  };
  assert.equal(await runCommandLine(['migrate'], fakeTerminal(folder)), 0);
  const { id: organization } = await json('organization', 'create', '--name', 'Shop');
  const { id: certificate } = await json(
    ...['certificate', 'import', '--organization', organization, '--certificate', 'site.pem'],
  );
  const deploy = (name: string) =>
    json('deployment', 'create', '--certificate', certificate, '--name', name, '--allow', '192.0.2.1,192.0.2.2');
  const { id: deployment } = await deploy('web');
  const { id: other } = await deploy('api');
  const { id: key } = await json(
    ...['messaging-key', 'create', '--organization', organization, '--name', 'till', '--allow', '192.0.2.1'],
  );
  const { id: managementKey } = await json(
    ...['management-key', 'create', '--name', 'robot', '--role', 'operator', '--allow', '192.0.2.1'],
  );
  return { folder, json, organization, certificate, deployment, other, key, managementKey };
}

test('what takes something away asks, says what stops, and does nothing on another answer', async (context) => {
  const made = await newInstance(context);
  const { organization, certificate, deployment, other, key, managementKey } = made;
  const setting = ['push-setting', 'set', '--organization', organization, '--kind', 'status'];
  await made.json(...setting, '--url', 'https://93.184.215.14/', '--enable', '--secret', 'generate');
  await made.json('opt-out', 'add', '--organization', organization, '--number', '+8613800138000');
  await made.json(
    ...[
      'alert-channel',
      'create',
      '--instance',
      '--name',
      'Duty',
      '--kind',
      'webhook',
      '--url',
      'https://93.184.215.14/',
    ],
  );
  await made.json('authority', 'create', '--name', 'CA', '--preset', 'letsencrypt', '--email', 'ops@example.com');
  await made.json('dns-provider', 'create', '--organization', organization, '--name', 'Zone', '--kind', 'manual');
  writeFileSync(join(made.folder, 'carrier.password'), 'secret12');
  const link = ['--protocol', 'smpp', '--address', '127.0.0.1:9', '--account', 'acme', '--disabled'];
  await made.json('carrier', 'create', '--name', 'Operator', ...link, '--password-file', 'carrier.password');
  const state = async () => {
    const shown: unknown[] = [];
    for (const argv of [
      ['alert-channel', 'list'],
      ['authority', 'list'],
      ['dns-provider', 'list'],
      ['carrier', 'list'],
      ['certificate', 'show', certificate],
      ['deployment', 'show', deployment],
      ['deployment', 'show', other],
      ['messaging-key', 'show', key],
      ['management-key', 'list'],
      ['organization', 'list'],
      ['opt-out', 'list', '--organization', organization],
      ['push-setting', 'show', '--organization', organization, '--kind', 'status'],
    ]) {
      shown.push(await made.json(...argv));
    }
    return shown;
  };
  const before = await state();

  const everybody = ['--allow', '203.0.113.7,::/0'];
  const cases: readonly [argv: string[], wanted: string, consequence: RegExp][] = [
    [['deployment', 'update', deployment, '--disable'], 'y', /^Every request of web will be refused from the next one/],
    [['deployment', 'disable', 'web'], 'y', /^Every request of web will be refused from the next one/],
    [['messaging-key', 'disable', 'till'], 'y', /^Every request of till will be refused/],
    [['management-key', 'disable', 'robot'], 'y', /^Every request of robot will be refused/],
    [['deployment', 'update', deployment, '--forbid'], 'y', /^Every request of web will be refused/],
    [['deployment', 'update', deployment, '--expires', '2020-01-01'], 'y', /^Every request of web will be refused/],
    [
      ['deployment', 'update', deployment, '--query-token', 'off'],
      'y',
      /web with the token in the URL will be refused/,
    ],
    [['deployment', 'update', deployment, '--allow', '192.0.2.1'], 'y', /will be refused .*: 192\.0\.2\.2\.$/m],
    [['deployment', 'update', deployment, ...everybody], 'web', /every address of the internet use the token of web/],
    [['deployment', 'rotate', deployment, '--overlap', '0'], 'web', /tokens that web uses now will be refused/],
    [['deployment', 'delete', deployment], 'web', /tokens of web will be refused .*for good/],
    [
      ['deployment', 'create', '--certificate', certificate, '--name', 'new', ...everybody],
      'new',
      /every address of the internet use the token of new/,
    ],
    [
      ['certificate', 'revoke', certificate],
      'shop.example.com',
      /^2 deployments of shop\.example\.com \(web, api\) will/,
    ],
    [
      ['certificate', 'import', '--organization', organization, '--certificate', 'site.pem'],
      'y',
      /^shop\.example\.com \(\S+\) has these names, or some of them\. This becomes the next version of shop/m,
    ],
    [
      ['certificate', 'activate', certificate, '--version', '1'],
      'y',
      /^Servers get version \S+ of shop\.example\.com from the next request on\.$/m,
    ],
    [['certificate', 'delete', certificate], 'shop.example.com', /private keys are deleted, for good/],
    [['organization', 'delete', organization], 'Shop', /places of its members go with Shop, for good/],
    [['messaging-key', 'update', key, '--disable'], 'y', /^Every request of till will be refused/],
    [['messaging-key', 'rotate', key, '--overlap', '0'], 'till', /tokens that till uses now/],
    [['messaging-key', 'delete', key], 'till', /tokens of till will be refused/],
    [['management-key', 'update', managementKey, ...everybody], 'robot', /every address of the internet/],
    [['management-key', 'rotate', managementKey, '--overlap', '0'], 'robot', /tokens that robot uses now/],
    [['management-key', 'delete', managementKey], 'robot', /tokens of robot will be refused/],
    [['organization', 'disable', organization], 'y', /^2 deployments and 1 messaging key of Shop will be refused/],
    [
      ['opt-out', 'remove', '--organization', organization, '--number', '+8613800138000'],
      '+8613800138000',
      /forgotten/,
    ],
    [['alert-channel', 'delete', 'Duty'], 'Duty', /^Nothing is sent to Duty any more/],
    [['authority', 'delete', 'CA'], 'CA', /^The key of the account at CA is lost, for good/],
    [['carrier', 'delete', 'Operator'], 'Operator', /^Operator takes no messages and brings no receipts any more/],
    [['dns-provider', 'delete', 'Zone'], 'Zone', /^The credential of Zone is deleted here, for good/],
    [[...setting, '--disable'], 'y', /^0 waiting pushes and all that would follow end as off/],
    [[...setting, '--secret', 'none'], 'status', /checks signatures refuses every push/],
    [['operator', 'disable', '--email', 'a@example.com'], 'y', /signed out at once and refused/],
    [['master-key', 'rotate'], 'y', /Only a copy of the file as it is now opens backups/],
  ];
  for (const [argv, wanted, consequence] of cases) {
    const { code, out, err } = await typing(made.folder, 'n\n', argv);
    assert.deepEqual([code, out], [1, ''], argv.join(' '));
    assert.match(err, consequence);
    assert.ok(err.includes(`\nType ${wanted} to go on: `), err);
    assert.ok(err.endsWith(`error: Nothing was changed: the answer was not ${wanted}.\n`), err);
  }
  assert.deepEqual(await state(), before);

  const asking = new Set(cases.map(([[group, verb]]) => `${group} ${verb}`));
  const named = (commands: typeof applicationCommands) => commands.map(({ name }) => name).sort();
  // Of the two kinds of keys `create` is the same as of deployments.
  for (const same of ['messaging-key create', 'management-key create']) asking.add(same);
  assert.deepEqual(named(applicationCommands.filter(({ options }) => options?.yes !== undefined)), [...asking].sort());
});

test('the right answer, or --yes, lets it happen; what stops nobody is not asked', async (context) => {
  const { folder, certificate, deployment, other, json } = await newInstance(context);
  for (const argv of [
    ['deployment', 'update', deployment, '--rename', 'www', '--allow', '192.0.2.1,192.0.2.2,192.0.2.3'],
    ['deployment', 'rotate', deployment],
    ['deployment', 'delete', other, '--yes'],
  ]) {
    const { code, err } = await typing(folder, '', argv);
    assert.deepEqual([code, err], [0, ''], argv.join(' '));
  }
  assert.equal((await typing(folder, ' Yes \n', ['deployment', 'update', deployment, '--disable'])).code, 0);
  const revoked = await typing(folder, 'shop.example.com\n', ['certificate', 'revoke', certificate]);
  assert.deepEqual([revoked.code, /^0 deployments of shop/.test(revoked.err)], [0, true]);
  assert.equal((await json<{ state: string }>('certificate', 'show', certificate)).state, 'revoked');
});

for (const tty of [
  { stdin: true, stderr: false },
  { stdin: false, stderr: true },
]) {
  const where = tty.stdin ? 'stderr' : 'stdin';
  test(`nothing is asked where ${where} is no terminal`, async (context) => {
    const { folder, deployment } = await newInstance(context);
    const { code, err } = await typing(folder, '', ['deployment', 'delete', deployment], tty);
    assert.deepEqual([code, err], [0, '']);
  });
}

test('at a terminal the question comes where the person sits, and Ctrl-C and Ctrl-D change nothing', async (context) => {
  const { folder, deployment, json } = await newInstance(context);
  await startServe(context, folder);
  const run = (answer: string) => runAtTerminal(folder, ['deployment', 'delete', deployment], answer);
  const interrupted = await run('\u0003');
  assert.notEqual(interrupted.code, 0);
  const ended = await run('\u0004');
  assert.equal(ended.code, 1);
  assert.match(ended.out, /Nothing was changed/);
  assert.equal((await run('api\n')).code, 1);
  assert.equal((await json<object[]>('deployment', 'list')).length, 2);
  const done = await run('web\n');
  assert.equal(done.code, 0);
  assert.match(done.out, /for good\.\r\nType web to go on: web\r\nDeployment \S+ is deleted/);
  assert.equal((await json<object[]>('deployment', 'list')).length, 1);
});

test('an import of names that exist shows what would change, asks, and makes the next version', async (context) => {
  const { folder, json, organization, certificate } = await newInstance(context);
  const leaf = makeTrialCa({ now: Date.now() }).issue({ domains: ['www.shop.example.com'] });
  const same = makeTrialCa({ now: Date.now() }).issue({ domains: ['shop.example.com'] });
  writeFileSync(join(folder, 'other.pem'), leaf.certificatePem + leaf.keyPem);
  writeFileSync(join(folder, 'same.pem'), same.certificatePem + same.keyPem);
  const importing = (file: string, ...more: string[]) => [
    ...['certificate', 'import', '--organization', organization, '--certificate', file],
    ...more,
  ];
  type Shown = { id: string; version: string; versions: { id: string; number: number }[] };
  const show = () => json<Shown>('certificate', 'show', certificate);
  const { version: first } = await show();

  const refused = await typing(folder, 'n\n', importing('same.pem'));
  assert.equal(refused.code, 1);
  assert.match(refused.err, /^certificate +shop\.example\.com\n/);
  assert.match(refused.err, /\nkey +EC P-256, as before; another key\n/);
  assert.match(refused.err, /\ndeployments +2: web, api\n/);
  assert.match(refused.err, /has these names, or some of them\. This becomes the next version .* say --separate\.\n/);
  assert.equal((await show()).versions.length, 1);
  const taken = await typing(folder, 'y\n', importing('same.pem', '--json'));
  assert.deepEqual([taken.code, JSON.parse(taken.out).id, JSON.parse(taken.out).number], [0, certificate, 2]);

  const onto = await typing(folder, 'y\n', importing('other.pem', '--onto', certificate));
  assert.equal(onto.code, 0, onto.err);
  assert.match(onto.err, /\nnames lost +1: shop\.example\.com\n/);
  assert.match(onto.out, /warning: certificate: The former version also covered shop\.example\.com/);
  const separate = await typing(folder, '', importing('other.pem', '--separate', '--json'));
  assert.notEqual(JSON.parse(separate.out).id, certificate);

  const back = await typing(folder, 'y\n', ['certificate', 'activate', certificate, '--version', '1']);
  assert.equal(back.code, 0, back.err);
  assert.match(back.err, /\nnames gained +1: shop\.example\.com\nnames lost +1: www\.shop\.example\.com\n/);
  assert.equal((await show()).version, first);
});

test('before the question it is said that a certificate is missing from the chain, and that --name is not used', async (context) => {
  const { folder, organization, certificate } = await newInstance(context);
  const issuer = makeTrialCa({ now: Date.now() }).intermediate();
  const leaf = issuer.issue({ domains: ['shop.example.com'], issuerUrls: ['http://aia.example/issuer.cer'] });
  writeFileSync(join(folder, 'lacking.pem'), leaf.certificatePem + leaf.keyPem);
  const importing = (...more: string[]) => [
    ...['certificate', 'import', '--organization', organization, '--certificate', 'lacking.pem', '--name', 'Spring'],
    ...more,
  ];
  const lacking = await typing(folder, 'y\n', importing());
  assert.equal(lacking.code, 1);
  const [before = '', refusal = ''] = lacking.err.split('Type y to go on: ');
  assert.match(before, /^warning: \w+: /m);
  assert.match(before, /^Without --complete-chain or --incomplete-chain this import is refused\.$/m);
  assert.match(before, /It keeps its name: --name is not used\./);
  assert.notEqual(refusal, '');
  const taken = await typing(folder, 'y\n', importing('--incomplete-chain', '--json'));
  assert.deepEqual([taken.code, JSON.parse(taken.out).id], [0, certificate], taken.err);
  assert.match(taken.err, /^warning: \w+: /m);
  assert.doesNotMatch(taken.err, /this import is refused/);
});

test('an import of names that exist is refused where nobody sits, with the command that is meant', async (context) => {
  const { folder, json, organization, certificate } = await newInstance(context);
  const again = ['certificate', 'import', '--organization', organization, '--certificate', 'site.pem'];
  const terminal = fakeTerminal(folder);
  assert.equal(await runCommandLine([...again, '--json'], terminal), 1);
  const refusal = JSON.parse(terminal.written.err) as { code: string; detail: string; parameters: { id: string } };
  assert.deepEqual([refusal.code, refusal.parameters.id], ['certificate_exists', certificate]);
  assert.ok(refusal.detail.includes(`certificate import … --onto ${certificate}`), refusal.detail);

  const other = makeTrialCa({ now: Date.now() }).issue({ domains: ['www.shop.example.com'] });
  writeFileSync(join(folder, 'other.pem'), other.certificatePem + other.keyPem);
  const onto = ['certificate', 'import', '--organization', organization, '--onto', certificate];
  const losing = fakeTerminal(folder);
  assert.equal(await runCommandLine([...onto, '--certificate', 'other.pem', '--json'], losing), 1);
  assert.equal(JSON.parse(losing.written.err).code, 'names_lost');
  assert.equal((await json<{ number: number }>(...onto, '--certificate', 'other.pem', '--yes')).number, 2);
});
