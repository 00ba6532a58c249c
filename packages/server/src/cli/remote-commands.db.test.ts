import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTrialCa } from '../certificates/trial-ca.testing.ts';
import type { DatabaseKind } from '../database/connect.ts';
import { onBothDatabases } from '../database/testing.ts';
import { startServer } from '../start-server.ts';
import { applicationOn } from './application.testing.ts';
import { runCommandLine } from './command-line.ts';
import { fakeTerminal, temporaryFolder } from './terminal.testing.ts';

const ranks = ['viewer', 'developer', 'admin', 'owner', 'operator'] as const;
type Rank = (typeof ranks)[number];

/** A real server, and a person far from it who has a key of each rank in a file. */
async function farFromServer(t: TestContext, kind: DatabaseKind, settings: Readonly<Record<string, string>> = {}) {
  const application = await (await applicationOn(t, kind, { WAXWING_LISTEN: '127.0.0.1:0', ...settings }))();
  const server = await startServer(application);
  t.after(() => server.stop());
  const folder = temporaryFolder(t);
  const { id: organization } = await application.organizations.create('test', 'Acme');
  const other = await application.organizations.create('test', 'Other');
  for (const role of ranks) {
    const { token } = await application.people.managementKeys.create(
      { by: 'test', rank: 'operator' },
      {
        organizationId: role === 'operator' ? '' : organization,
        name: role,
        role,
        allow: ['127.0.0.1'],
        expiresAt: null,
      },
    );
    writeFileSync(join(folder, role), `${token.reveal()}\n`, { mode: 0o600 });
  }
  const ca = makeTrialCa({ now: Date.now() });
  const leaf = ca.issue({ domains: ['example.com'] });
  writeFileSync(join(folder, 'chain.pem'), leaf.chainPem + leaf.keyPem, { mode: 0o600 });

  async function run(rank: Rank | '-', words: readonly string[], stdin = '') {
    const environment = { WAXWING_SERVER: server.url, WAXWING_TOKEN_FILE: rank };
    const terminal = fakeTerminal(folder, stdin, environment);
    return { code: await runCommandLine([...words, '--json'], terminal), ...terminal.written };
  }
  /** At a terminal, where the answer is typed. */
  async function typing(rank: Rank, words: readonly string[], answer: string) {
    const terminal = fakeTerminal(folder, answer, { WAXWING_SERVER: server.url, WAXWING_TOKEN_FILE: rank });
    Object.assign(terminal.stdin, { isTTY: true });
    Object.assign(terminal.stderr, { isTTY: true });
    return { code: await runCommandLine(words, terminal), ...terminal.written };
  }
  return {
    folder,
    organization,
    other: other.id,
    application,
    run,
    typing,
    async json(rank: Rank, ...words: string[]): Promise<unknown> {
      const { code, out, err } = await run(rank, words);
      assert.deepEqual([code, err], [0, '']);
      return JSON.parse(out);
    },
    async refused(rank: Rank, ...words: string[]): Promise<Record<string, unknown>> {
      const { code, err } = await run(rank, words);
      assert.equal(code, 1, err);
      return JSON.parse(err) as Record<string, unknown>;
    },
  };
}

onBothDatabases('a command line far from its server', (_open, kind) => {
  test('does what it does beside it, as far as the role of its key goes', async (t) => {
    const { organization, other, application, json, refused } = await farFromServer(t, kind);
    const imported = (await json(
      'developer',
      'certificate',
      'import',
      '--organization',
      organization,
      '--certificate',
      'chain.pem',
    )) as {
      id: string;
    };
    const [listed] = (await json('viewer', 'certificate', 'list')) as { id: string }[];
    assert.deepEqual(listed, (await application.certificates.list({ limit: 1 }))[0]);
    assert.deepEqual(
      await json('viewer', 'certificate', 'show', imported.id),
      JSON.parse(JSON.stringify(await application.certificates.show(imported.id))),
    );

    const create = ['deployment', 'create', '--certificate', imported.id, '--name', 'web', '--allow', '::1'];
    const refusal = await refused('viewer', ...create);
    assert.equal(refusal.code, 'role_not_permitted');
    const made = (await json('admin', ...create)) as { id: string; token: string; url: string };
    assert.match(made.token, /^wxd_/);
    assert.match(made.url, /\/api\/certificate$/);
    const changed = await json('owner', 'deployment', 'update', made.id, '--rename', 'new', '--expires', '2030-01-31');
    assert.deepEqual(
      [(changed as { name: string }).name, (changed as { expires_at: string }).expires_at],
      ['new', '2030-01-31T23:59:59.999Z'],
    );
    assert.match(((await json('admin', 'deployment', 'rotate', made.id)) as { token: string }).token, /^wxd_/);
    assert.deepEqual(await json('admin', 'deployment', 'delete', made.id), { id: made.id });
    assert.equal((await refused('admin', 'deployment', 'show', made.id)).code, 'not_found');

    const names = async (rank: Rank, search: string) =>
      ((await json(rank, 'organization', 'list', '--search', search)) as { name: string }[]).map(({ name }) => name);
    assert.deepEqual([await names('operator', 'OTHER'), await names('owner', 'other')], [['Other'], []]);

    const entries = (await json('operator', 'audit', 'list', '--subject', made.id)) as { actor: string }[];
    assert.ok(entries.length > 0 && entries.every(({ actor }) => actor.startsWith('key:')));
    assert.equal(
      ((await json('operator', 'organization', 'suspend', other)) as { suspended: boolean }).suspended,
      true,
    );
    assert.equal((await refused('owner', 'organization', 'suspend', organization)).code, 'role_not_permitted');
  });

  test('asks before a final act, and says what it found at the server', async (t) => {
    const { organization, application, typing, json } = await farFromServer(t, kind);
    const files = ['--organization', organization, '--certificate', 'chain.pem'];
    const { id } = (await json('admin', 'certificate', 'import', ...files)) as { id: string };
    await json('admin', 'deployment', 'create', '--certificate', id, '--name', 'web', '--allow', '::1');
    const revoke = ['certificate', 'revoke', id, '--organization', organization];
    const refused = await typing('operator', revoke, 'y\n');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /^1 deployment of example\.com \(web\) will be refused/);
    assert.equal((await application.certificates.show(id)).state, 'issued');
    assert.equal((await typing('operator', revoke, 'example.com\n')).code, 0);
    assert.equal((await application.certificates.show(id)).state, 'revoked');

    const keys = await application.people.managementKeys.list(organization);
    const { id: key = '' } = keys.find(({ name }) => name === 'viewer') ?? {};
    const end = ['management-key', 'delete', key, '--organization', organization];
    assert.match((await typing('operator', end, '\n')).err, /^The tokens of viewer will be refused/);
  });

  for (const modules of ['certificates', 'messaging']) {
    test(`asks for a server with ${modules} alone of what is there`, async (t) => {
      const { other, typing, application } = await farFromServer(t, kind, { WAXWING_MODULES: modules });
      const { code, err } = await typing('operator', ['organization', 'suspend', other], 'y\n');
      assert.equal(code, 0, err);
      assert.match(err, /^0 deployments and 0 messaging keys of Other will be refused/);
      const [, suspended] = await application.organizations.list();
      assert.deepEqual([suspended?.id, suspended?.suspended], [other, true]);
    });
  }

  test('sends, and sets how is sent and pushed', async (t) => {
    const { organization, json, refused } = await farFromServer(t, kind);
    const of = ['--organization', organization];
    const limits = ['--default-region', 'CN', '--messages-per-second', '100'];
    assert.equal((await refused('owner', 'messaging-setting', 'set', ...of, ...limits)).code, 'role_not_permitted');
    assert.deepEqual(await json('operator', 'messaging-setting', 'set', ...of, ...limits), {
      organization_id: organization,
      default_region: 'CN',
      messages_per_second: 100,
      messages_per_day: null,
    });
    const sent = (await json('developer', 'message', 'send', ...of, '--to', '13800138000', '--text', 'Hi')) as {
      batch_id: string;
    };
    const [message] = (await json('viewer', 'message', 'list', ...of)) as { batch_id: string }[];
    assert.equal(message?.batch_id, sent.batch_id);
    const behind = ['--before', `${sent.batch_id}:0`];
    assert.deepEqual(await json('viewer', 'message', 'list', ...of, ...behind), []);

    const status = [...of, '--kind', 'status'];
    assert.equal((await refused('viewer', 'push-setting', 'show', ...status)).code, 'not_found');
    const url = ['--url', 'https://8.8.8.8/status?key=1'];
    const set = (await json('admin', 'push-setting', 'set', ...status, ...url, '--secret', 'generate')) as object;
    assert.match((set as { secret: string }).secret, /^whsec_/);
    const [shown, ...more] = (await json('admin', 'push-setting', 'list', ...of)) as { url: string }[];
    assert.deepEqual([shown?.url, more], ['https://8.8.8.8/status?***', []]);

    for (const number of ['+8613800138001', '+8613800138002'])
      await json('admin', 'opt-out', 'add', ...of, '--number', number);
    const rest = (await json('admin', 'opt-out', 'list', ...of, '--after', '+8613800138001')) as { number: string }[];
    assert.deepEqual(
      rest.map(({ number }) => number),
      ['+8613800138002'],
    );
  });

  test('says what is missing, and what it can not do from there', async (t) => {
    const { folder, run, refused } = await farFromServer(t, kind);
    const several = await run('operator', ['certificate', 'list']);
    assert.equal(several.code, 2);
    assert.match(several.err, /sees several organizations: give --organization/);
    const backup = await run('operator', ['backup', '--out', 'x']);
    assert.equal(backup.code, 2);
    assert.match(backup.err, /needs the machine itself/);
    const unknown = await refused('viewer', 'organization', 'create', '--name', 'x');
    assert.equal(unknown.code, 'role_not_permitted');
    const piped = await run('-', ['certificate', 'list'], 'wxa_nonsense\n');
    assert.equal(piped.code, 2);
    assert.match(piped.err, /holds no management key/);
    chmodSync(join(folder, 'viewer'), 0o644);
    const open = await run('viewer', ['certificate', 'list']);
    assert.equal(open.code, 0);
    assert.match(JSON.parse(open.err).warning, /^every account of this machine can read/);
  });
});
