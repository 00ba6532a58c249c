import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allOperations } from '@waxwing/contract/management-api/all-operations.ts';
import { inputCheck } from '@waxwing/contract/management-api/check-input.ts';
import { managementBase, type Operation, pathParameters } from '@waxwing/contract/management-api/operation.ts';
import { loadSettings } from '../config/load-settings.ts';
import { SecretText } from '../runtime/secret-text.ts';
import { applicationCommands } from './application-commands.ts';
import { parseCommandLine } from './arguments.ts';
import { remoteServer } from './remote-client.ts';
import type { Exchange, RemoteRequest } from './remote-exchange.ts';
import { fakeTerminal, temporaryFolder } from './terminal.testing.ts';

/** Those that no management key may do, or that are about the machine: its files, its keys, its first people. */
const needsMachine = [
  'backup',
  'certificate export',
  'master-key rotate',
  'operator create',
  'operator disable',
  'operator enable',
  'operator reset',
];

const of = ['--organization', 'o1'];
const allow = ['--allow', '203.0.113.7,2001:db8::/32'];
const phone = ['--number', '+8613800138000'];

/** What people write behind each command; a command with forms that ask for different operations has several. */
const samples: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'organization create': [['--name', 'Acme']],
  'organization list': [[], ['--search', '科技 Acme']],
  'organization suspend': [['o1']],
  'organization resume': [['o1']],
  'certificate import': [
    [...of, '--certificate', 'chain.pem', '--password-stdin', '--name', 'web'],
    [...of, '--certificate', 'chain.pem', '--onto', 'c1'],
  ],
  'certificate list': [[], [...of, '--limit', '1000', '--after', 'c1']],
  'certificate show': [['c1'], ['c1', ...of]],
  'certificate versions': [['c1'], ['c1', ...of, '--before', '7', '--limit', '3']],
  'certificate revoke': [['c1'], ['c1', ...of, '--version', 'v1']],
  'deployment create': [['--certificate', 'c1', '--name', 'web', ...allow]],
  'deployment update': [
    ['d1', '--disable', '--forbid', ...allow, '--query-token', 'off', '--expires', '2030-01-31'],
    ['d1', ...of, '--expires', 'never', '--rename', 'new', '--requests-per-minute', 'off'],
  ],
  'deployment rotate': [['d1'], ['d1', '--overlap', '30m']],
  'deployment list': [[], [...of, '--certificate', 'c1', '--after', 'd1']],
  'deployment show': [['d1']],
  'deployment delete': [['d1', ...of]],
  'messaging-key create': [[...of, '--name', 'shop', '--allow', 'none']],
  'messaging-key update': [['k1', '--enable', '--permit', ...allow, '--expires', 'never', '--rename', 'n']],
  'messaging-key rotate': [['k1', '--overlap', '0']],
  'messaging-key list': [[], of],
  'messaging-key show': [['k1']],
  'messaging-key delete': [['k1']],
  'messaging-setting show': [of],
  'messaging-setting set': [
    [...of, '--default-region', 'CN', '--messages-per-second', '9', '--messages-per-day', 'off'],
    [...of, '--default-region', 'none'],
    [...of, '--messages-per-day', '5'],
  ],
  'message send': [[...of, '--to', '+8613800138000,+8613800138001', '--text', 'Hello', '--sender', '1069']],
  'message list': [[...of, '--batch', 'b1', ...phone, '--status', 'open', '--before', 'b2:3', '--limit', '7'], of],
  'message show': [['b1', ...of]],
  'reply list': [[...of, '--before', 'r1'], ['--unmatched']],
  'route add': [[...of, '--carrier', 'simulator', '--prefix', '1069']],
  'route list': [[], of],
  'route remove': [['r1']],
  'opt-out add': [[...of, ...phone]],
  'opt-out list': [[...of, '--after', '+8613800138000']],
  'opt-out remove': [[...of, ...phone]],
  'blocked-number add': [phone, [...of, ...phone]],
  'blocked-number list': [[], [...of, '--after', '+1']],
  'blocked-number remove': [phone, [...of, ...phone]],
  'blocked-word add': [
    ['--word', 'w'],
    [...of, '--word', 'w'],
  ],
  'blocked-word list': [[], of],
  'blocked-word remove': [
    ['--word', 'w'],
    [...of, '--word', 'w'],
  ],
  'push-setting set': [
    [...of, '--kind', 'status', '--url', 'https://shop.example.com/', '--enable', '--retries', '2', '--timeout', '9'],
    [...of, '--kind', 'uplink', '--concurrency', '3', '--secret', 'generate'],
    [...of, '--kind', 'uplink', '--secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    [...of, '--kind', 'uplink', '--secret', 'none'],
  ],
  'push-setting show': [[...of, '--kind', 'status']],
  'push-setting list': [of],
  'push-setting test': [[...of, '--kind', 'status']],
  'push list': [[...of, '--kind', 'status', '--state', 'failed', '--before', 'p1']],
  'push show': [['p1']],
  'push resend': [['p1', ...of], ['p1'], [...of, '--kind', 'status', '--since', '2030-01-31', '--undelivered']],
  'push resends': [of],
  'simulator reply': [['--from', '+8613800138000', '--to', '1069', '--text', 'STOP']],
  'audit list': [
    [],
    [...of, '--subject', 'c1', '--limit', '3'],
    ['--actor', 'cli:root', '--action', 'deployment.', '--since', '2030-01-31', '--until', '2030-02-01T12:00:00Z'],
  ],
  'audit verify': [[], ['--head', `7:${'a'.repeat(64)}`]],
  'operator list': [[]],
  'management-key create': [
    [...of, '--name', 'n', '--role', 'viewer', ...allow, '--expires', '2030-01-31'],
    ['--name', 'n', '--role', 'operator', ...allow],
  ],
  'management-key update': [
    ['m1', ...of, '--role', 'admin', '--disable', '--expires', 'never'],
    ['m1', '--rename', 'n', ...allow],
  ],
  'management-key rotate': [['m1'], ['m1', ...of]],
  'management-key list': [[], of],
  'management-key delete': [['m1'], ['m1', ...of]],
};

test('every command runs at a server elsewhere, but for those that are listed', () => {
  const without = applicationCommands.filter(({ remote }) => remote === undefined).map(({ name }) => name);
  assert.deepEqual(without.sort(), needsMachine);
  assert.deepEqual(
    applicationCommands.map(({ name }) => name).filter((name) => !needsMachine.includes(name) && !(name in samples)),
    [],
  );
});

/** The operation that a request asks for, with the path's parameters. */
function asked({ method, path }: RemoteRequest): { operation: Operation; params: Record<string, string> } {
  const { pathname } = new URL(path, 'http://localhost');
  for (const operation of allOperations.filter((each) => each.method === method)) {
    const pattern = `^${managementBase}${operation.path.replace(/\{([a-z_]+)\}/g, '(?<$1>[^/]+)')}$`;
    const found = new RegExp(pattern).exec(pathname);
    if (found !== null) return { operation, params: { ...found.groups } };
  }
  throw new Error(`No operation is ${method} ${path}`);
}

/** What the server would check before it does anything. */
function faultsOf(request: RemoteRequest): readonly unknown[] {
  const { operation, params } = asked(request);
  const query = Object.fromEntries(
    [...new URL(request.path, 'http://localhost').searchParams].map(([name, text]) => [
      name,
      /^(?:\d+|true)$/.test(text) ? (JSON.parse(text) as unknown) : text,
    ]),
  );
  assert.deepEqual(Object.keys(params), pathParameters(operation.path));
  assert.equal(request.headers['if-match'], operation.ifMatch === true ? '"tag"' : undefined);
  assert.equal(request.headers['idempotency-key'] !== undefined, operation.idempotent === true);
  assert.equal(request.body !== undefined, operation.body !== undefined);
  assert.notEqual(operation.fresh, true, `no key may do ${operation.id}`);
  return [
    ...(operation.params === undefined ? [] : inputCheck(operation.params)(params)),
    ...(operation.query === undefined ? Object.keys(query) : inputCheck(operation.query)(query)),
    ...(operation.body === undefined ? [] : inputCheck(operation.body)(JSON.parse(request.body ?? ''))),
  ];
}

const item = { id: 'o1', organization_id: 'o1', kind: 'status', url: 'https://shop.example.com/?key=secret' };

const loaded = loadSettings({});
assert.ok(loaded.ok);
const { settings } = loaded;

for (const command of applicationCommands.filter(({ remote }) => remote !== undefined)) {
  test(`"${command.name}" asks a server elsewhere for what its API takes`, async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'chain.pem'), 'PEM');
    for (const words of samples[command.name] ?? []) {
      const requests: RemoteRequest[] = [];
      const exchange: Exchange = async (request) => {
        requests.push(request);
        const { operation } = asked(request);
        const answer = operation.paged ? { items: [item], next_cursor: null } : { ...item, setting: item };
        return { status: operation.answer.status, headers: { etag: '"tag"' }, text: JSON.stringify(answer) };
      };
      const target = { url: 'https://waxwing.example.com', token: new SecretText('wxa_'), ca: undefined };
      const line = parseCommandLine([...command.name.split(' '), ...words], applicationCommands);
      assert.ok(line.kind === 'command');
      const input = await command.prepare(line.args, { settings, terminal: fakeTerminal(folder, 'password\n') });
      await command.remote?.(remoteServer(target, exchange), input, line.args);
      assert.ok(requests.length > 0);
      for (const request of requests) assert.deepEqual(faultsOf(request), [], `${words.join(' ')}: ${request.path}`);
    }
  });
}
