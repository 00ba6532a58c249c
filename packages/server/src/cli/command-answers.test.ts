import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import { type ExitCode, runCommandLine } from './command-line.ts';
import { applicationCommands, messagingCommands } from './command-table.ts';
import { fakeTerminal, temporaryFolder } from './terminal.testing.ts';

interface Instance {
  readonly folder: string;
  /** Runs a command for people. */
  run(argv: readonly string[], stdin?: string): Promise<{ code: ExitCode; out: string; err: string }>;
  /** Runs a command by `--json` that has to succeed. */
  json(argv: readonly string[], stdin?: string): Promise<unknown>;
}

/** An instance without a server, on SQLite, and a trial certificate beside it. */
async function newInstance(context: TestContext): Promise<Instance> {
  const folder = temporaryFolder(context);
  const ca = makeTrialCa({ now: Date.now() });
  const leaf = ca.issue({ domains: ['example.test', '*.example.test'] });
  writeFileSync(join(folder, 'leaf.crt'), leaf.certificatePem + ca.certificatePem);
  writeFileSync(join(folder, 'leaf.key'), leaf.keyPem);
  // Without the intermediate above it, which this instance knows.
  const issuer = ca.intermediate();
  const lacking = issuer.issue({ domains: ['lacking.test'] });
  writeFileSync(join(folder, 'lacking.pem'), lacking.certificatePem + lacking.keyPem);
  writeFileSync(join(folder, 'roots.pem'), ca.certificatePem + issuer.certificatePem);
  const environment = { WAXWING_EXTRA_ROOTS: 'roots.pem' };
  const run: Instance['run'] = async (argv, stdin = '') => {
    const terminal = fakeTerminal(folder, stdin, environment);
    const code = await runCommandLine(argv, terminal);
    return { code, ...terminal.written };
  };
  const umask = process.umask();
  context.after(() => process.umask(umask));
  assert.equal((await run(['migrate'])).code, 0);
  return {
    folder,
    run,
    async json(argv, stdin) {
      const { code, out, err } = await run([...argv, '--json'], stdin);
      assert.deepEqual([code, err], [0, '']);
      return JSON.parse(out);
    },
  };
}

/** Every name in a JSON value, at any depth. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

test('each command answers scripts in snake_case and people in plain text', async (context) => {
  const { folder, run, json } = await newInstance(context);
  const used = new Set<string>();
  /** The command once for people and once for scripts; the second answer counts. */
  async function both(name: string, people: readonly string[], scripts = people, stdin = ''): Promise<{ id: string }> {
    used.add(name);
    const words = name.split(' ');
    const shown = await run([...words, ...people], stdin);
    assert.deepEqual([shown.code, shown.err], [0, ''], `${name}: ${shown.err}`);
    assert.match(shown.out, /\S\n$/);
    assert.doesNotMatch(shown.out, /undefined|\[object|NaN/);
    const answer = await json([...words, ...scripts], stdin);
    assert.deepEqual(
      namesIn(answer).filter((each) => !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(each)),
      [],
      name,
    );
    return answer as { id: string };
  }

  const organization = await both('organization create', ['--name', 'One'], ['--name', 'Two']);
  await both('organization list', [], ['--search', 'two']);
  await both('organization show', [organization.id], ['Two']);
  await both('organization disable', [organization.id], ['One']);
  await both('organization enable', [organization.id]);
  const empty = await both('organization create', ['--name', 'Three'], ['--name', 'Four']);
  await both('organization rename', [empty.id, 'Fourth']);
  await both('organization delete', ['Three'], ['Fourth']);
  await both('status', []);
  const files = ['--organization', organization.id, '--certificate', 'leaf.crt', '--key', 'leaf.key'];
  const separate = [...files, '--separate'];
  const certificate = await both('certificate import', separate);
  await both('certificate list', [], ['--limit', '1']);
  await both('certificate show', [certificate.id]);
  await both('certificate versions', [certificate.id, '--before', '2', '--limit', '1']);
  await both('certificate import', [...files, '--onto', certificate.id]);
  await both('certificate activate', [certificate.id, '--version', '1'], [certificate.id, '--version', '2']);
  const lacking = ['--organization', organization.id, '--certificate', 'lacking.pem', '--incomplete-chain'];
  for (const name of ['people', 'scripts'])
    await json(['certificate', 'import', ...lacking, '--separate', '--name', name]);
  await both('certificate complete-chain', ['people'], ['scripts']);
  const out = (name: string) => [certificate.id, '--format', 'pkcs12', '--password-stdin', '--out', name];
  await both('certificate export', out('people'), out('scripts'), 'sesame\n');
  const deployment = await both('deployment create', [
    '--certificate',
    certificate.id,
    '--name',
    'web',
    '--allow',
    '::1',
  ]);
  await both('deployment update', [deployment.id, '--disable', '--expires', '2099-01-31']);
  await both('deployment rotate', [deployment.id]);
  await both('deployment disable', [deployment.id]);
  await both('deployment enable', [deployment.id]);
  await both('deployment rename', [deployment.id, 'w']);
  await both('deployment list', []);
  await both('deployment show', [deployment.id]);
  const other = await both('deployment create', [
    '--certificate',
    certificate.id,
    '--name',
    'other',
    '--allow',
    'none',
  ]);
  await both('deployment delete', [deployment.id], [other.id]);
  const third = await both('certificate import', separate);
  await both('certificate revoke', [certificate.id], [third.id]);
  await both('certificate rename', [third.id, 'renamed']);
  const fourth = await both('certificate import', separate);
  await both('certificate delete', [third.id], [fourth.id]);
  await both('backup', ['--out', 'people.db'], ['--out', 'scripts.db']);
  await both('master-key rotate', []);
  await both('operator create', ['--email', 'a@example.com'], ['--email', 'b@example.com']);
  for (const name of ['operator reset', 'operator disable', 'operator enable']) {
    await both(name, ['--email', 'a@example.com']);
  }
  await both('operator list', []);
  const forKey = ['--name', 'automation', '--allow', '::1', '--role'];
  const key = await both('management-key create', [...forKey, 'operator', '--expires', '2099-01-31']);
  const ofOrganization = await both('management-key create', [...forKey, 'admin', '--organization', organization.id]);
  await both('management-key update', [key.id, '--disable', '--allow', 'none']);
  await both('management-key show', [key.id], [ofOrganization.id]);
  await both('management-key disable', [key.id], [ofOrganization.id]);
  await both('management-key enable', [key.id]);
  await both('management-key rename', [key.id, 'other'], [ofOrganization.id, 'another']);
  await both('management-key rotate', [key.id]);
  await both('management-key list', [], ['--organization', organization.id]);
  await both('management-key delete', [key.id], [ofOrganization.id]);
  const mail = ['--instance', '--kind', 'email', '--to', 'ops@example.com', '--name'];
  const channel = await both('alert-channel create', [...mail, 'day'], [...mail, 'night']);
  await both('alert-channel list', []);
  await both('alert-channel show', ['day'], [channel.id]);
  await both('alert-channel update', ['day', '--name', 'noon'], [channel.id, '--to', 'on-call@example.com']);
  await both('alert-channel disable', ['noon'], [channel.id]);
  await both('alert-channel enable', ['noon'], [channel.id]);
  await both('alert list', []);
  const untested = await run(['alert-channel', 'test', 'noon']);
  assert.equal(untested.code, 1);
  assert.match(`${untested.out}${untested.err}`, /No mail server is set: the operator sets WAXWING_SMTP_URL/);
  used.add('alert-channel test');
  await both('alert-channel delete', ['noon'], [channel.id]);
  const ca = ['--email', 'ops@example.com', '--directory', 'https://127.0.0.1:1/directory', '--name'];
  const authority = await both('authority create', [...ca, 'first'], [...ca, 'second']);
  await both('authority list', [], ['--organization', organization.id]);
  await both('authority show', ['first'], [authority.id]);
  await both('authority update', ['first', '--profile', 'classic'], ['first', '--no-profile']);
  const zone = ['--organization', organization.id, '--kind', 'manual', '--name'];
  const provider = await both('dns-provider create', [...zone, 'first'], [...zone, 'second']);
  await both('dns-provider list', [], ['--organization', organization.id]);
  await both('dns-provider show', ['first'], [provider.id]);
  await both('dns-provider update', ['first', '--name', 'third'], ['second', '--name', 'fourth']);
  await both('dns-provider test', ['third', '--domain', 'example.com']);
  const wanted = ['--organization', organization.id, '--authority', 'first', '--domain'];
  const requested = await both('certificate request', [...wanted, 'a.example.com'], [...wanted, 'b.example.com']);
  await both('certificate request-again', [requested.id]);
  await both('certificate progress', [requested.id]);
  // Nobody issues here, and nobody answers at the address of the authority.
  const early = await run(['certificate', 'renew', requested.id]);
  assert.match(`${early.code} ${early.err}`, /^1 .*there is nothing to renew yet/);
  const unanswered = await run(['authority', 'test', 'first']);
  assert.match(`${unanswered.code} ${unanswered.out}`, /^1 It failed after \d+ ms: \S/);
  const unrolled = await run(['authority', 'roll-key', 'first']);
  assert.match(`${unrolled.code} ${unrolled.out}`, /^1 It failed: There is no account yet/);
  for (const name of ['certificate renew', 'authority test', 'authority roll-key', 'carrier test']) used.add(name);
  await both('dns-provider delete', ['third'], [provider.id]);
  await json(['authority', 'create', ...ca, 'third']);
  await both('authority delete', [authority.id], ['third']);
  await both('audit list', []);
  await both('audit verify', []);
  assert.deepEqual(
    // Those of the message gateway: see messaging-commands.db.test.ts.
    applicationCommands.filter((command) => !used.has(command.name) && !messagingCommands.includes(command)),
    [],
  );
  assert.ok(readFileSync(join(folder, 'people', 'example.test.p12')).length > 500);
});

/** Pastes a line with `curl` into a shell, and returns what curl got. */
async function runInShell(folder: string, line: string): Promise<{ arguments: string; stdin: string }> {
  const curl = join(folder, 'curl');
  writeFileSync(curl, `#!/bin/sh\nprintf '%s' "$*" >${folder}/arguments\ncat >${folder}/stdin\n`, { mode: 0o755 });
  const shell = spawn('/bin/sh', { cwd: folder, env: { PATH: `${folder}:${process.env.PATH}` } });
  shell.stdin.end(line);
  await once(shell, 'close');
  const got = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { arguments: got('arguments'), stdin: got('stdin') };
}

test('the audit trail is listed in pages, by whom and what and when', async (context) => {
  const { run, json } = await newInstance(context);
  for (const name of ['one', 'two', 'three']) await json(['organization', 'create', '--name', name]);
  const list = async (...options: string[]) =>
    (await json(['audit', 'list', ...options])) as { at: string; action: string; actor: string }[];
  const all = await list('--action', 'organization.');
  assert.deepEqual([all.length, new Set(all.map(({ action }) => action)).size], [3, 1]);
  const [newest, middle] = all;
  assert.ok(newest !== undefined && middle !== undefined);
  const page = await run(['audit', 'list', '--action', 'organization.', '--limit', '2']);
  assert.match(page.out, new RegExp(`There may be more: --until ${middle.at}`));
  assert.equal((await list('--until', middle.at, '--action', 'organization.')).at(-1)?.at, all.at(-1)?.at);
  assert.deepEqual(await list('--since', '2030-01-01'), []);
  const today = newest.at.slice(0, 10);
  assert.deepEqual(await list('--since', today, '--until', today, '--action', 'organization.'), all);
  assert.deepEqual(await list('--actor', 'nobody'), []);
  assert.deepEqual((await list('--actor', newest.actor, '--since', newest.at)).at(0), newest);
  assert.equal((await run(['audit', 'list', '--since', 'noon'])).code, 2);
});

test('a link is shown when it is made, with its end, and the audit trail does not hold it', async (context) => {
  const { run, json } = await newInstance(context);
  const made = await run(['operator', 'create', '--email', 'a@example.com']);
  const form = /^ {2}http:\/\/localhost:8080\/console\/welcome#token=([\w-]{43})$/m;
  const [, token = ''] = form.exec(made.out) ?? [];
  assert.match(token, /^[\w-]{43}$/);
  assert.match(made.out, /good once and until \d{4}-\d\d-\d\dT[\d:.]+Z:/);
  const answer = (await json(['operator', 'reset', '--email', 'a@example.com'])) as Record<string, string>;
  assert.match(answer.link ?? '', /#token=[\w-]{43}$/);
  const minutes = (Date.parse(answer.expires_at ?? '') - Date.now()) / 60_000;
  assert.ok(minutes > 13 && minutes <= 15, String(answer.expires_at));
  const trail = await run(['audit', 'list', '--json']);
  assert.equal(trail.out.includes(token), false);
});

test('a token is shown when it is made and never again, and the line to try it keeps it out of arguments', async (context) => {
  const { folder, run, json } = await newInstance(context);
  const organization = (await json(['organization', 'create', '--name', 'One'])) as { id: string };
  const files = ['--organization', organization.id, '--certificate', 'leaf.crt', '--key', 'leaf.key'];
  const certificate = (await json(['certificate', 'import', ...files])) as { id: string };
  const made = await run(['deployment', 'create', '--certificate', certificate.id, '--name', 'web', '--allow', '::1']);
  const [token = ''] = /wxd_\w{53}/.exec(made.out) ?? [];
  const line = made.out.slice(made.out.indexOf('curl '));
  assert.deepEqual(await runInShell(folder, line), {
    arguments: '-sS -H @- http://localhost:8080/api/certificate',
    stdin: `Authorization: Bearer ${token}\n`,
  });
  const id = /^id +(\S+)/.exec(made.out)?.[1] ?? '';
  for (const argv of [
    ['deployment', 'show', id],
    ['deployment', 'list'],
    ['audit', 'list'],
  ]) {
    const { out } = await run([...argv, '--json']);
    assert.ok(out.length > 10 && !out.includes(token));
  }
});

test('an export that meets a file of the same name writes nothing', async (context) => {
  const { folder, run, json } = await newInstance(context);
  const organization = (await json(['organization', 'create', '--name', 'One'])) as { id: string };
  const files = ['--organization', organization.id, '--certificate', 'leaf.crt', '--key', 'leaf.key'];
  const certificate = (await json(['certificate', 'import', ...files])) as { id: string };
  const argv = ['certificate', 'export', certificate.id, '--format', 'pem', '--out', '.'];
  writeFileSync(join(folder, 'example.test.key'), 'precious');
  const { code, err } = await run(argv);
  assert.equal(code, 1);
  assert.match(err, /example\.test\.key exists already; it was left as it is/);
  assert.equal(readFileSync(join(folder, 'example.test.key'), 'utf8'), 'precious');
});

test('a revoked certificate is exported with a warning, for people and for scripts', async (context) => {
  const { folder, run, json } = await newInstance(context);
  const organization = (await json(['organization', 'create', '--name', 'One'])) as { id: string };
  const files = ['--organization', organization.id, '--certificate', 'leaf.crt', '--key', 'leaf.key'];
  const first = (await json(['certificate', 'import', ...files])) as { id: string; version: string };
  const second = (await json(['certificate', 'import', ...files, '--onto', first.id])) as { version: string };
  await json(['certificate', 'revoke', first.id, '--version', first.version]);
  const exportTo = (out: string, ...more: string[]) => [
    ...['certificate', 'export', first.id, '--format', 'pem', '--out', out],
    ...more,
  ];
  assert.deepEqual(await json(exportTo('current')), {
    ...{ id: first.id, version: second.version, revoked: false },
    files: ['example.test.crt', 'example.test.key'].map((name) => join(folder, 'current', name)),
  });
  const former = await run(exportTo('former', '--version', first.version));
  assert.equal(former.code, 0);
  assert.match(former.err, new RegExp(`^warning: Version ${first.version} of certificate ${first.id} is revoked`));
  await json(['certificate', 'revoke', first.id]);
  const all = await run(exportTo('all', '--json'));
  assert.deepEqual([all.code, JSON.parse(all.out).revoked], [0, true]);
  assert.match(JSON.parse(all.err).warning, /^Version .* is revoked/);
});

test('a page says how to see the next one', async (context) => {
  const { run, json } = await newInstance(context);
  const organization = (await json(['organization', 'create', '--name', 'One'])) as { id: string };
  const files = ['--organization', organization.id, '--certificate', 'leaf.crt', '--key', 'leaf.key'];
  const first = (await json(['certificate', 'import', ...files, '--name', 'first'])) as { id: string };
  await json(['certificate', 'import', ...files, '--name', 'second', '--separate']);
  const page = await run(['certificate', 'list', '--limit', '1']);
  assert.match(page.out, new RegExp(`There may be more: --after ${first.id}`));
  const rest = (await json(['certificate', 'list', '--after', first.id])) as { name: string }[];
  assert.deepEqual(
    rest.map(({ name }) => name),
    ['second'],
  );
});

test('organizations are found by a part of their name, and where none is, that is said', async (context) => {
  const { run, json } = await newInstance(context);
  for (const name of ['示例科技 Acme', 'Other', 'ACME 2']) await json(['organization', 'create', '--name', name]);
  const named = async (search: string) =>
    ((await json(['organization', 'list', '--search', search])) as { name: string }[]).map(({ name }) => name);
  assert.deepEqual(await named('acme'), ['示例科技 Acme', 'ACME 2']);
  assert.deepEqual(await named('科技'), ['示例科技 Acme']);
  const none = await run(['organization', 'list', '--search', 'nobody']);
  assert.deepEqual([none.code, none.out], [0, 'No organization has this in its name.\n']);
  const tooLong = await run(['organization', 'list', '--search', 'x'.repeat(201)]);
  assert.equal(tooLong.code, 2);
  assert.match(tooLong.err, /--search must have at most 200 characters/);
});

const wrong: readonly [argv: string[], message: RegExp][] = [
  [
    ['certificate', 'import', '--organization', 'x', '--certificate', 'f', '--name', 'n', '--onto', 'i'],
    /give one of them/,
  ],
  [
    ['certificate', 'import', '--organization', 'x', '--certificate', 'f', '--separate', '--onto', 'i'],
    /give one of them/,
  ],
  [['certificate', 'activate', 'x'], /--version/],
  [['certificate', 'export', 'x', '--format', 'jks', '--out', 'd'], /--format must be pem, pkcs12 or der/],
  [['certificate', 'export', 'x', '--format', 'pem', '--out', 'd', '--password-stdin'], /goes with --format pkcs12/],
  [['certificate', 'export', 'x', '--format', 'pkcs12', '--out', 'd'], /goes with --format pkcs12, which needs it/],
  [['deployment', 'update', 'x'], /Nothing to change/],
  [['deployment', 'update', 'x', '--enable', '--disable'], /--enable or --disable, not both/],
  [['deployment', 'update', 'x', '--query-token', 'maybe'], /must be on or off/],
  [['deployment', 'update', 'x', '--requests-per-minute', '0'], /whole number from 1/],
  [['deployment', 'rotate', 'x', '--overlap', '31d'], /--overlap must be a span/],
  [['certificate', 'list', '--limit', '0'], /--limit must be/],
  [['messaging-key', 'update', 'x'], /Nothing to change/],
  [['messaging-key', 'update', 'x', '--permit', '--forbid'], /--permit or --forbid, not both/],
  [['messaging-setting', 'set', '--organization', 'x'], /Nothing to change/],
  [['messaging-setting', 'set', '--organization', 'x', '--messages-per-day', '0'], /whole number from 1/],
  [['push-setting', 'set', '--organization', 'x', '--kind', 'status'], /Nothing to change/],
  [['push-setting', 'set', '--organization', 'x', '--kind', 'both', '--enable'], /--kind must be status or uplink/],
  [['push-setting', 'set', '--organization', 'x', '--kind', 'status', '--timeout', '31'], /number from 1 to 30/],
  [
    ['push-setting', 'set', '--organization', 'x', '--kind', 'status', '--secret', '-'],
    /--secret - was given, but stdin/,
  ],
  [['push', 'list', '--organization', 'x', '--state', 'lost'], /must be waiting, delivered, failed or off/],
  [['push', 'resend'], /the ID of one push, or --organization and --kind of many/],
  [['push', 'resend', 'x', '--all-failed'], /the ID of one push or --all-failed, not both/],
  [['push', 'resend', '--organization', 'x', '--kind', 'status'], /Say which: --since MOMENT, --all-failed or/],
  [['push', 'resend', '--organization', 'x', '--kind', 'status', '--since', 'noon'], /--since must be a day/],
  [['message', 'list', '--organization', 'x', '--status', 'lost'], /DELIVRD, UNDELIV, REJECTED or open/],
  [['message', 'list', '--organization', 'x', '--before', 'batch:'], /--before must be a batch/],
  [['reply', 'list'], /--organization ID or --unmatched, one of them/],
  [['reply', 'list', '--organization', 'x', '--unmatched'], /--organization ID or --unmatched, one of them/],
  [['route', 'add', '--organization', 'x', '--carrier', 'c'], /--number N or --prefix P, one of them/],
  [
    ['route', 'add', '--organization', 'x', '--carrier', 'c', '--number', '1', '--prefix', '1'],
    /--number N or --prefix P, one of them/,
  ],
  [['simulator', 'reply', '--from', '13800138000', '--to', '106', '--text', 'x'], /--from must be an international/],
  [
    ['simulator', 'reply', '--from', '+8613800138000', '--to', '1'.repeat(21), '--text', 'x'],
    /more than 20 characters/,
  ],
  [['audit', 'verify', '--head', '12'], /--head must be as "audit verify" prints it/],
];
for (const [argv, message] of wrong) {
  test(`"waxwing ${argv.join(' ')}" is wrong usage`, async (context) => {
    const terminal = fakeTerminal(temporaryFolder(context));
    assert.equal(await runCommandLine(argv, terminal), 2);
    assert.match(terminal.written.err, message);
  });
}
