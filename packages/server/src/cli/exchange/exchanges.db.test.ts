import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeTrialCa } from '@waxwing/pki/trial-ca.testing.ts';
import type { DatabaseKind } from '../../database/database.ts';
import { freshDatabase, onBothDatabases } from '../../database/testing.ts';
import { startServer } from '../../start-server.ts';
import { applicationOn } from '../application.testing.ts';
import { runCommandLine } from '../command-line.ts';
import { startServe } from '../program.testing.ts';
import { fakeTerminal, temporaryFolder } from '../terminal.testing.ts';

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
    const { token } = await application.managementKeys.create(
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

/** What is written, without what differs from one answer to the next. */
function lasting(text: string): unknown {
  const varying = new Set([
    'id',
    'version',
    'token',
    'created_at',
    'updated_at',
    'outdated_since',
    'created_by',
    'batch_id',
    'url',
  ]);
  return JSON.parse(text, (name, value: unknown) => (varying.has(name) ? typeof value : value));
}

interface Things {
  readonly organization: string;
  readonly certificate: string;
  readonly deployment: string;
}

/** Commands of every shape: a list, one thing, a change under If-Match, a refusal, usage, and what is about one of several. */
const representative: readonly (readonly [name: string, words: (things: Things) => readonly string[]])[] = [
  ['a list', () => ['organization', 'list']],
  ['a list of all organizations', () => ['deployment', 'list']],
  ['a list of one', ({ organization }) => ['certificate', 'list', '--organization', organization, '--limit', '1']],
  ['the page behind', ({ certificate }) => ['certificate', 'list', '--after', certificate]],
  ['a thing', ({ deployment }) => ['deployment', 'show', deployment]],
  [
    'a thing made',
    ({ certificate }) => [...'deployment create --name w --allow ::1 --certificate'.split(' '), certificate],
  ],
  ['a change', ({ deployment }) => ['deployment', 'update', deployment, '--rename', 'new', '--expires', '2030-01-31']],
  ['a refused change', ({ deployment }) => ['deployment', 'update', deployment, '--allow', '1.2.3']],
  ['what is not there', () => ['deployment', 'show', 'nothing']],
  ['an organization that is not there', () => ['opt-out', 'list', '--organization', 'nothing']],
  ['wrong usage', () => ['deployment', 'rotate', 'x', '--overlap', '31d']],
  ['a verification', () => ['audit', 'verify', '--head', `0:${'0'.repeat(64)}`]],
];

onBothDatabases('The exchanges', (_open, kind) => {
  test('answer the same over HTTP, by the socket and without a server', async (t) => {
    const fresh = kind === 'postgres' ? await freshDatabase(kind, { empty: true }) : undefined;
    t.after(() => fresh?.close());
    const folder = temporaryFolder(t);
    const umask = process.umask();
    t.after(() => process.umask(umask));
    const environment: Record<string, string> =
      fresh?.options.kind === 'postgres' ? { WAXWING_DATABASE_URL: fresh.options.url } : {};
    const leaf = makeTrialCa({ now: Date.now() }).issue({ domains: ['example.com'] });
    writeFileSync(join(folder, 'chain.pem'), leaf.chainPem + leaf.keyPem, { mode: 0o600 });
    const run = async (words: readonly string[], more: Record<string, string> = {}) => {
      const terminal = fakeTerminal(folder, '', { ...environment, ...more });
      return { code: await runCommandLine([...words, '--json'], terminal), ...terminal.written };
    };
    const made = async (...words: string[]) => {
      const { out, err } = await run(words);
      assert.equal(err, '', words.join(' '));
      return JSON.parse(out) as { id: string; token: string };
    };
    assert.equal((await run(['migrate'])).code, 0);
    const { id: organization } = await made('organization', 'create', '--name', 'Acme');
    await made('organization', 'create', '--name', 'Other');
    const of = ['--organization', organization];
    const { id: certificate } = await made('certificate', 'import', ...of, '--certificate', 'chain.pem');
    const create = ['deployment', 'create', '--certificate', certificate, '--name', 'web', '--allow', '192.0.2.1'];
    const { id: deployment } = await made(...create);
    const key = await made(...'management-key create --name k --role operator --allow 127.0.0.1'.split(' '));
    writeFileSync(join(folder, 'key'), key.token, { mode: 0o600 });

    const answers = new Map<string, unknown[]>();
    async function askAll(more: Record<string, string> = {}): Promise<void> {
      for (const [name, wordsOf] of representative) {
        const { code, out, err } = await run(wordsOf({ organization, certificate, deployment }), more);
        const shown = [code, out && lasting(out), err && lasting(err)];
        answers.set(name, [...(answers.get(name) ?? []), shown]);
        if (code === 0 && name === 'a thing made')
          await made('deployment', 'delete', (JSON.parse(out) as { id: string }).id);
        if (code === 0 && name === 'a change')
          await made('deployment', 'update', deployment, '--rename', 'web', '--expires', 'never');
      }
    }
    await askAll();
    const server = await startServe(t, folder, environment);
    await askAll();
    await askAll({ WAXWING_SERVER: server.url.origin, WAXWING_TOKEN_FILE: 'key' });
    for (const [name, [inline, bySocket, byHttp]] of answers) {
      // Both are of this very moment.
      if (name === 'a verification') continue;
      assert.deepEqual(bySocket, inline, name);
      assert.deepEqual(byHttp, inline, name);
    }
    const codes = [...answers].map(([name, shown]) => [name, ...shown.map((each) => (each as unknown[])[0])]);
    const failing = new Map(
      Object.entries({
        'a refused change': 1,
        'what is not there': 1,
        'an organization that is not there': 1,
        'wrong usage': 2,
        'a verification': 1,
      }),
    );
    for (const [name, ...each] of codes) {
      const expected = failing.get(String(name)) ?? 0;
      assert.deepEqual(each, [expected, expected, expected], String(name));
    }
    const trail = JSON.parse((await run(['audit', 'list', '--subject', deployment])).out) as { actor: string }[];
    assert.deepEqual(new Set(trail.map(({ actor }) => actor.split(':')[0])), new Set(['cli', 'key']));
  });
});

onBothDatabases('a command line far from its server', (_open, kind) => {
  test('goes as far as the role of its key, and no further than its organization', async (t) => {
    const { organization, other, application, json, refused } = await farFromServer(t, kind);
    const files = ['--organization', organization, '--certificate', 'chain.pem'];
    const imported = (await json('developer', 'certificate', 'import', ...files)) as { id: string };
    const [listed] = (await json('viewer', 'certificate', 'list')) as { id: string }[];
    assert.deepEqual(listed, (await application.certificates.list({ limit: 1 }))[0]);
    const create = ['deployment', 'create', '--certificate', imported.id, '--name', 'web', '--allow', '::1'];
    assert.equal((await refused('viewer', ...create)).code, 'role_not_permitted');
    const made = (await json('admin', ...create)) as { id: string };
    assert.deepEqual(await json('admin', 'deployment', 'delete', made.id), { id: made.id });
    assert.equal((await refused('admin', 'deployment', 'show', made.id)).code, 'not_found');
    assert.equal((await refused('owner', 'deployment', 'list', '--organization', other)).code, 'not_found');

    const status = (await json('viewer', 'status')) as Record<string, unknown>;
    assert.deepEqual([status.running, status.ready, status.instance], [true, true, null]);
    assert.deepEqual(status.counts, { organizations: 1, certificates: 1, deployments: 0, messaging_keys: 0 });
    const ofInstance = (await json('operator', 'status')) as { instance: { version: string } };
    assert.match(ofInstance.instance.version, /^\d+\./);

    const names = async (rank: Rank, search: string) =>
      ((await json(rank, 'organization', 'list', '--search', search)) as { name: string }[]).map(({ name }) => name);
    assert.deepEqual([await names('operator', 'OTHER'), await names('owner', 'other')], [['Other'], []]);
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

    const keys = await application.managementKeys.list(organization);
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
