import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { newInstance } from '../messaging-instance.testing.ts';

const smpp = ['--protocol', 'smpp', '--address', '127.0.0.1:9', '--account', 'acme'];
const secret = 'S3cret12';

type Shown = Readonly<Record<string, unknown>> & { readonly id: string };

onBothDatabases('the carrier commands', (_open, kind) => {
  test('a carrier is set up, found by its name or the beginning of its id, changed and deleted', async (t) => {
    const { run, json, organization } = await newInstance(t, kind);
    const options = [
      '--for-organization',
      'One',
      '--for-prefix',
      '+86,+852',
      '--temporary',
      '0x45',
      '--connections',
      '2',
    ];
    const created = await run(
      ['carrier', 'create', '--name', 'main', ...smpp, '--password-stdin', ...options, '-q'],
      secret,
    );
    const id = created.out.trim();
    const shown = await json<Shown>(['carrier', 'show', 'main']);
    assert.deepEqual(
      [shown.id, shown.name, shown.state, shown.for_organization, shown.for_prefix, shown.temporary],
      [id, 'main', 'connecting', [organization], ['+86', '+852'], ['0x45']],
    );
    assert.deepEqual([shown.connections, shown.connection_count, shown.enabled], [[], 2, true]);
    const updated = await json<Shown>([
      'carrier',
      'update',
      id.slice(0, 30),
      '--for-organization',
      'none',
      '--weight',
      '7',
    ]);
    assert.deepEqual([updated.for_organization, updated.weight, updated.window], [[], 7, 10]);
    assert.equal((await json<Shown>(['carrier', 'disable', 'main'])).state, 'disabled');
    assert.equal((await json<Shown>(['carrier', 'enable', 'main'])).state, 'connecting');
    const people = await run(['carrier', 'show', 'main']);
    assert.match(people.out, /0 of 2 bound/);
    assert.doesNotMatch(created.out + people.out + JSON.stringify([shown, updated]), /S3cret/);

    const of = ['--organization', organization];
    const sent = await json<{ batch_id: string }>([
      'message',
      'send',
      ...of,
      '--to',
      '+8613800138000',
      '--text',
      'Hello',
    ]);
    const { messages } = await json<{ messages: Shown[] }>(['message', 'show', sent.batch_id, ...of]);
    assert.deepEqual([messages[0]?.carrier, messages[0]?.carrier_reason], [null, 'the only matching carrier']);

    const route = await json<Shown>(['route', 'add', ...of, '--carrier', 'main', '--number', '106900']);
    assert.equal(route.carrier, 'main');
    const kept = await run(['carrier', 'delete', 'main']);
    assert.deepEqual([kept.code, /Remove these routes first/.test(kept.err)], [1, true], kept.err);
    await json(['route', 'remove', route.id]);
    assert.deepEqual(await json(['carrier', 'delete', 'main']), { id });
    const gone = await run(['carrier', 'show', 'main']);
    assert.deepEqual([gone.code, /There is no carrier main/.test(gone.err)], [1, true], gone.err);
    const listed = await json<Shown[]>(['carrier', 'list']);
    assert.deepEqual(
      listed.map(({ name, state }) => [name, state]),
      [['simulator', 'disabled']],
    );
  });
});

const wrong: readonly (readonly [argv: readonly string[], code: number, words: RegExp])[] = [
  [smpp, 2, /--password-file or --password-stdin/],
  [[...smpp, '--password-stdin', '--password-file', 'password'], 2, /not both/],
  [[...smpp, '--password-file', 'nowhere'], 1, /cannot be read/],
  [[...smpp, '--password-stdin', '--protocol', 'sms'], 2, /--protocol/],
  [[...smpp, '--password-stdin', '--window', '501'], 2, /--window must be a whole number from 1 to 500/],
  [[...smpp, '--password-stdin', '--connections', '17'], 2, /from 1 to 16/],
  [[...smpp, '--password-stdin', '--service-id', 'MFG'], 2, /--service-id is an option of CMPP/],
  [[...smpp, '--password-stdin', '--tls-name', 'a.example'], 2, /--tls-name goes with --tls verify/],
  [[...smpp, '--password-stdin', '--tls', 'on'], 2, /--tls must be off or verify/],
  [[...smpp, '--password-stdin', '--source-ton', '5'], 2, /--source-ton goes with --source-npi/],
  [[...smpp, '--password-stdin', '--temporary', '14'], 2, /--temporary must be statuses such as 0x14/],
  [[...smpp, '--password-stdin', '--for-prefix', '86'], 2, /such as \+86,\+852/],
  [[...smpp, '--password-stdin', '--response-timeout', '10'], 2, /must be a span/],
  [[...smpp, '--password-stdin', '--response-timeout', '10m'], 1, /100ms to 5m/],
  [[...smpp, '--password-stdin', '--for-organization', 'Nobody'], 1, /There is no organization Nobody/],
];
test('a wrong option is refused by its name, and nothing is set up', async (t) => {
  const { run, json } = await newInstance(t, 'sqlite');
  for (const [argv, code, words] of wrong) {
    const ran = await run(['carrier', 'create', '--name', 'main', ...argv], secret);
    assert.equal(ran.code, code, `${argv.join(' ')}: ${ran.err}`);
    assert.match(ran.err, words);
  }
  const cmpp = ['--protocol', 'cmpp2', '--address', 'a:1', '--account', '901234', '--password-stdin', '--long', 'sar'];
  assert.equal((await run(['carrier', 'create', '--name', 'main', ...cmpp], secret)).code, 2);
  assert.equal((await json<Shown[]>(['carrier', 'list'])).length, 1);
});
