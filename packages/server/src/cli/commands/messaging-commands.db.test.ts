import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smppSmsc, smscSecret } from '../../carriers/links/scripted-smsc.testing.ts';
import { onBothDatabases } from '../../database/testing.ts';
import { reply } from '../../outbound/receiver.testing.ts';
import { messagingCommands } from '../command-table.ts';
import { type Instance, newInstance, shape } from '../messaging-instance.testing.ts';

/** Every name in a JSON value, at any depth; names of HTTP headers are no names of ours. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...(name === 'headers' ? [] : namesIn(inner))]);
}

type Answer = Readonly<Record<string, never>> & { readonly id: string };

/** Uses each command for scripts, and before that for people where `forPeople` says so. */
async function useEachCommand(
  { run, json, receiver, organization }: Instance,
  { forPeople, smsc }: { readonly forPeople: boolean; readonly smsc: number },
): Promise<void> {
  const used = new Set<string>();
  async function both(name: string, people: readonly string[], scripts = people, stdin = ''): Promise<Answer> {
    used.add(name);
    const words = name.split(' ');
    if (forPeople) {
      const shown = await run([...words, ...people], stdin);
      assert.deepEqual([shown.code, shown.err], [0, ''], name);
      assert.match(shown.out, /\S\n$/);
      assert.doesNotMatch(shown.out, /undefined|\[object|NaN/, name);
    }
    const answer = await json<Answer>([...words, ...scripts], stdin);
    const badNames = namesIn(answer).filter((each) => !/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(each));
    assert.deepEqual(badNames, [], name);
    return answer;
  }
  const of = ['--organization', organization];

  const newKey = [...of, '--name', 'shop', '--allow', '127.0.0.1,::1'];
  const key = await both('messaging-key create', newKey);
  const otherKey = await both('messaging-key create', newKey);
  await both('messaging-key update', [key.id, '--disable', '--rename', 'closed', '--expires', '2099-01-31']);
  await both('messaging-key disable', [key.id]);
  await both('messaging-key enable', [key.id]);
  await both('messaging-key rename', [key.id, 'former']);
  await both('messaging-key rotate', [key.id, '--overlap', '0']);
  await both('messaging-key list', of, []);
  await both('messaging-key show', [key.id]);
  await both('messaging-key delete', [key.id], [otherKey.id]);

  await both('messaging-setting set', [...of, '--default-region', 'CN', '--messages-per-day', '1000']);
  await both('messaging-setting show', of);

  const status = [...of, '--kind', 'status'];
  const uplink = [...of, '--kind', 'uplink'];
  const url = `http://127.0.0.1:${receiver.port}/status?own=secret`;
  await both('push-setting set', [...status, '--url', url, '--enable', '--secret', 'generate']);
  await both('push-setting set', [...uplink, '--url', `http://127.0.0.1:${receiver.port}/uplink`, '--enable']);
  await both('push-setting show', status);
  await both('push-setting list', of);
  await both('push-setting test', status);

  await both('blocked-number add', ['--number', '+8613800139999'], [...of, '--number', '138 0013 9998']);
  await both('blocked-number list', of, []);
  await both('blocked-word add', ['--word', 'casino'], [...of, '--word', '赌场']);
  await both('blocked-word list', of, []);
  const numbers = ['13800130008', '+86 138 0013 0009'].map((number) => [...of, '--number', number] as const);
  await both('opt-out add', numbers[0] ?? [], numbers[1]);
  await both('opt-out list', of);

  const sent = await both('message send', [...of, '--to', '13800130000,13800139999', '--text', 'Hello']);
  await both('message list', of, [...of, '--status', 'REJECTED', '--number', '13800139999', '--limit', '1']);
  await both('message show', [String(sent.batch_id), ...of]);

  const route = await both(
    'route add',
    [...of, '--carrier', 'simulator', '--prefix', '1069'],
    [...of, '--carrier', 'simulator', '--number', '106900'],
  );
  const simulated = ['--from', '+8613800130000', '--to', '106900'];
  await both('simulator reply', [...simulated, '--text', 'Hello yourself']);
  await both('reply list', of, ['--unmatched']);

  const [push] = await json<{ id: string }[]>(['push', 'list', ...of]);
  await both('push list', of, [...status, '--limit', '1']);
  await both('push show', [push?.id ?? '']);
  await both('push resend', [...status, '--all-failed'], [...uplink, '--undelivered', '--since', '2026-01-31']);
  await both('resend list', of);

  const [former] = await json<{ id: string }[]>(['route', 'list', ...of]);
  await both('route list', of, []);
  await both('route show', [route.id]);
  await both('route remove', [former?.id ?? ''], [route.id]);
  await both('opt-out remove', numbers[0] ?? [], numbers[1]);
  await both('blocked-number remove', ['--number', '+8613800139999'], [...of, '--number', '13800139998']);
  await both('blocked-word remove', ['--word', 'casino'], [...of, '--word', '赌场']);

  // Last, because the simulator takes nothing any more.
  const link = ['--protocol', 'smpp', '--address', `127.0.0.1:${smsc}`, '--account', 'acme', '--password-stdin'];
  const carrier = (name: string) => ['--name', name, ...link, '--disabled'];
  await both('carrier create', carrier('one'), carrier('two'), `${smscSecret}\n`);
  await both('carrier update', ['two', '--window', '20', '--for-prefix', '+86,+852', '--rate', 'off']);
  await both('carrier test', ['two', '--to', '+8613800130000', '--text', 'Hello']);
  await both('carrier enable', ['two']);
  await both('carrier disable', ['two']);
  await both('carrier list', []);
  await both('carrier show', ['two']);
  await both('carrier delete', ['one'], ['two']);
  assert.deepEqual(
    messagingCommands.filter(({ name }) => !used.has(name)).map(({ name }) => name),
    [],
  );
}

/** A push that has ended; whoever asks again and again asks the server, which needs the time. */
async function ended({ json, organization }: Instance, state: string): Promise<Pushed> {
  for (;;) {
    const [push] = await json<Pushed[]>(['push', 'list', '--organization', organization, '--state', state]);
    if (push !== undefined) return push;
  }
}

interface Pushed {
  readonly id: string;
  readonly parameters: Readonly<Record<string, string>>;
}

onBothDatabases('The commands of the message gateway', (_open, kind) => {
  test('each answers scripts in snake_case without a server', async (context) => {
    await useEachCommand(await newInstance(context, kind), { forPeople: false, smsc: (await smppSmsc(context)).port });
  });

  test('each answers people in plain text and scripts in snake_case beside a server', async (context) => {
    const instance = await newInstance(context, kind);
    await instance.serve();
    await useEachCommand(instance, { forPeople: true, smsc: (await smppSmsc(context)).port });
  });

  test('what is sent without a server goes out when one runs, and a push that failed is sent again', async (context) => {
    const instance = await newInstance(context, kind);
    const { receiver, organization, run, json } = instance;
    const of = ['--organization', organization];
    const url = `http://127.0.0.1:${receiver.port}/in?own=secret`;
    receiver.serve = (socket) => socket.write(reply(500, 'not today\u0007'));
    const made = await run([
      ...['push-setting', 'set', ...of, '--kind', 'status', '--url', url],
      ...['--enable', '--retries', '0', '--timeout', '2', '--concurrency', '3', '--secret', 'generate'],
    ]);
    assert.equal(
      shape(made.out),
      `id  ID
organization  ID
kind  status
url  http://RECEIVER/in?own=secret
enabled  yes
retries  0
time limit  2 s
concurrency  3
signed  yes

The secret, shown this once:
  SECRET
`,
    );
    const sent = await run(['message', 'send', ...of, '--to', '+8613800130001', '--text', 'Hello', '--sender', 'One']);
    assert.equal(
      shape(sent.out),
      'batch  ID\n\nIt is accepted. See what becomes of it: waxwing message show ID --organization ID\n',
    );
    const [batch = ''] = /[0-9a-f-]{36}/.exec(sent.out) ?? [];
    const shown = (await run(['message', 'show', batch, ...of])).out;
    assert.equal(
      shape(shown),
      `batch  ID
accepted  TIME

MOBILE  STATE  MEMO  SEGMENTS  SIMULATED  PUSH  ACCEPTED  SETTLED  CARRIER  CHOSEN AS
+8613800130001  queued  -  1  yes  -  TIME  -  -  -
`,
    );

    const server = await instance.serve();
    const { id } = await ended(instance, 'failed');
    assert.equal(
      shape((await run(['push', 'show', id])).out),
      `id  ID
organization  ID
kind  status
state  failed
batch_id  ID
mobile  +8613800130001
status  UNDELIV
attempts  1
created  TIME
ended  TIME

ATTEMPT  AT  MS  ADDRESS  OUTCOME  STATUS  ERROR  ANSWER
1  TIME  MS  127.0.0.1  answered  500  -  -
`,
    );
    const listed = (await run(['message', 'list', ...of])).out;
    assert.equal(
      shape(listed),
      `BATCH  MOBILE  STATE  MEMO  SEGMENTS  SIMULATED  PUSH  ACCEPTED  SETTLED  CARRIER
ID  +8613800130001  UNDELIV  -  1  yes  failed  TIME  TIME  simulator
`,
    );
    const settings = (await run(['push-setting', 'list', ...of])).out;
    assert.match(
      shape(settings),
      /\nstatus {2}yes {2}http:\/\/RECEIVER\/in\?\*\*\* {2}yes {2}0 {2}1 {2}(?:open|idle)\n/,
    );

    receiver.serve = (socket) => socket.write(reply(200));
    const elsewhere = await run(['push', 'resend', id, '--organization', 'another']);
    assert.deepEqual([elsewhere.code, /There is no organization another/.test(elsewhere.err)], [1, true]);
    const again = await json<{ state: string; attempts: number }>([
      'push',
      'resend',
      id,
      '--organization',
      organization,
    ]);
    assert.deepEqual([again.state, again.attempts], ['waiting', 1]);
    assert.equal((await ended(instance, 'delivered')).id, id);
    server.signal('SIGTERM');
    assert.equal((await server.ended).code, 0);
  });
});
