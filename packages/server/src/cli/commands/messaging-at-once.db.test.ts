import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothDatabases } from '../../database/testing.ts';
import { reply } from '../../outbound/receiver.testing.ts';
import { type Instance, newInstance, shape } from '../messaging-instance.testing.ts';

interface Key {
  readonly id: string;
  readonly token: string;
}

interface Report {
  readonly messages: readonly { readonly state: string; readonly status?: string; readonly memo?: string }[];
}

/** The reason why a message to this number is refused, if it is. */
async function memoOf({ json, organization }: Instance, number: string, text = 'Hello'): Promise<string | undefined> {
  const of = ['--organization', organization];
  const sent = await json<{ batch_id: string }>(['message', 'send', ...of, '--to', number, '--text', text]);
  const { messages } = await json<Report>(['message', 'show', sent.batch_id, ...of]);
  return messages[0]?.memo;
}

onBothDatabases('Commands beside a running server', (_open, kind) => {
  test('what is changed about a messaging key is true for the very next request', async (context) => {
    const { organization, json, serve } = await newInstance(context, kind);
    const server = await serve();
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(new URL('/api/messages/events', server.url), { headers })).status;
    };
    const of = ['--organization', organization];
    const { id, token } = await json<Key>(['messaging-key', 'create', ...of, '--name', 'n', '--allow', '127.0.0.1']);
    const after = async (...change: string[]) => {
      await json(['messaging-key', ...change]);
      return ask(token);
    };
    assert.equal(await ask(token), 200);
    assert.equal(await after('update', id, '--disable'), 401);
    assert.equal(await after('update', id, '--enable', '--forbid'), 403);
    assert.equal(await after('update', id, '--permit', '--allow', 'none'), 403);
    assert.equal(await after('update', id, '--allow', '127.0.0.0/8'), 200);
    assert.equal(await after('update', id, '--expires', '2020-01-31'), 401);
    assert.equal(await after('update', id, '--expires', 'never'), 200);
    const rotated = await json<Key>(['messaging-key', 'rotate', id]);
    assert.deepEqual([await ask(token), await ask(rotated.token)], [200, 200]);
    const last = await json<Key>(['messaging-key', 'rotate', id, '--overlap', '0']);
    assert.deepEqual([await ask(token), await ask(rotated.token), await ask(last.token)], [401, 401, 200]);
    await json(['messaging-key', 'delete', id]);
    assert.equal(await ask(last.token), 401);
  });

  test('lists, quotas, regions and routes count for the very next message and reply', async (context) => {
    const instance = await newInstance(context, kind);
    const { organization, json, run, serve } = instance;
    await serve();
    const of = ['--organization', organization];
    const number = ['--number', '+8613800130003'];
    assert.equal(await memoOf(instance, '+8613800130003'), undefined);
    await json(['opt-out', 'add', ...of, ...number]);
    assert.equal(await memoOf(instance, '+8613800130003'), 'recipient opted out');
    await json(['opt-out', 'remove', ...of, ...number]);
    await json(['blocked-number', 'add', ...number]);
    assert.equal(await memoOf(instance, '+8613800130003'), 'number blocked');
    await json(['blocked-number', 'remove', ...number]);
    await json(['blocked-word', 'add', ...of, '--word', 'casino']);
    assert.equal(await memoOf(instance, '+8613800130003', 'The CASINO'), 'blocked word: casino');
    await json(['blocked-word', 'remove', ...of, '--word', 'casino']);
    assert.equal(await memoOf(instance, '+8613800130003', 'The CASINO'), undefined);

    const set = (...settings: string[]) => json(['messaging-setting', 'set', ...of, ...settings]);
    await set('--default-region', 'CN');
    assert.equal(await memoOf(instance, '13800130003'), undefined);
    await set('--default-region', 'none', '--messages-per-day', '1');
    assert.equal(await memoOf(instance, '+8613800130003'), 'daily quota exceeded');
    await set('--messages-per-second', '1', '--messages-per-day', 'off');
    const many = Array.from({ length: 100 }, (_, index) => `+8613800131${String(index).padStart(3, '0')}`);
    await json(['message', 'send', ...of, '--to', many.join(), '--text', 'x']);
    const next = await run(['message', 'send', ...of, '--to', '+8613800130003', '--text', 'x', '--json']);
    assert.deepEqual([next.code, JSON.parse(next.err).code], [1, 'too_many_requests']);
    assert.match(next.err, /try again in \d+ s/);

    const answer = (text: string) =>
      json(['simulator', 'reply', '--from', '+86 (138) 0013-7777', '--to', '+106900', '--text', text]);
    await answer('nobody hears me');
    const route = await json<{ id: string }>(['route', 'add', ...of, '--carrier', 'simulator', '--prefix', '1069']);
    await answer('STOP');
    await json(['route', 'remove', route.id]);
    await answer('nobody again');
    assert.equal(
      shape((await run(['reply', 'list', ...of])).out),
      `ID  RECEIVED  MOBILE  TO  MESSAGE  STOP  FOUND BY  SIMULATED
ID  TIME  +8613800137777  +106900  STOP  yes  prefix  yes
`,
    );
    const unmatched = await json<{ message: string }[]>(['reply', 'list', '--unmatched']);
    assert.deepEqual(
      unmatched.map(({ message }) => message),
      ['nobody again', 'nobody hears me'],
    );
    const [optOut] = await json<{ number: string; source: string }[]>(['opt-out', 'list', ...of]);
    assert.deepEqual([optOut?.number, optOut?.source], ['+8613800137777', 'reply']);
    // Neither phone numbers nor texts.
    assert.doesNotMatch((await run(['audit', 'list', '--json'])).out, /86138|1380013|nobody|STOP/);
  });

  test('a test push shows what was sent and what came back, and fails unless it was 200', async (context) => {
    const { receiver, organization, run, serve } = await newInstance(context, kind);
    await serve();
    const uplink = ['--organization', organization, '--kind', 'uplink'];
    const url = `http://127.0.0.1:${receiver.port}/in?own=secret`;
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const set = await run(['push-setting', 'set', ...uplink, '--url', url, '--secret', '-'], `${secret}\n`);
    assert.equal(set.code, 0, set.err);
    // It is the customer's own: who set it knows it.
    assert.ok(!set.out.includes('whsec_'));
    const tried = await run(['push-setting', 'test', ...uplink]);
    assert.equal(tried.code, 0);
    const [head = ''] = receiver.requests;
    assert.match(head, /^GET \/in\?own=secret&mobile=%2B8613800138000&message=/);
    assert.match(tried.out, /^GET http:\/\/127\.0\.0\.1:\d+\/in\?\*\*\*&mobile=%2B8613800138000&message=/);
    assert.match(tried.out, /^webhook-signature: v1,\S+$/m);
    assert.match(tried.out, /^delivered {2}yes$/m);
    receiver.serve = (socket) => socket.write(reply(204));
    const refused = await run(['push-setting', 'test', ...uplink, '--json']);
    const { delivered, status } = JSON.parse(refused.out);
    assert.deepEqual([refused.code, delivered, status], [1, false, 204]);
  });

  test('a token and a secret are shown when they are made and never again', async (context) => {
    const { receiver, organization, run, json, serve } = await newInstance(context, kind);
    await serve();
    const of = ['--organization', organization];
    const status = [...of, '--kind', 'status'];
    const url = `http://127.0.0.1:${receiver.port}/in?own=precious`;
    const key = await json<Key>(['messaging-key', 'create', ...of, '--name', 'n', '--allow', 'none']);
    const made = ['push-setting', 'set', ...status, '--url', url, '--secret', 'generate'];
    const { secret = '' } = await json<{ secret?: string }>(made);
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    assert.match(key.token, /^wxm_\w{53}$/);
    for (const argv of [
      ['messaging-key', 'list'],
      ['messaging-key', 'show', key.id],
      ['push-setting', 'list', ...of],
      ['push-setting', 'show', ...status],
      ['push-setting', 'set', ...status, '--retries', '2'],
      ['push-setting', 'test', ...status],
      ['audit', 'list'],
    ]) {
      for (const { out } of [await run(argv), await run([...argv, '--json'])]) {
        assert.ok(out.length > 10 && !out.includes(key.token) && !out.includes(secret), argv.join(' '));
        // Only whoever looks at this one setting sees the customer's own query.
        if (argv[1] === 'list' || argv[1] === 'test') assert.doesNotMatch(out, /precious/);
      }
    }
  });

  test('pages of every list go on where the page before ended', async (context) => {
    const { organization, json, run, serve } = await newInstance(context, kind);
    await serve();
    const of = ['--organization', organization];
    const numbers = ['+8613800130003', '+8613800130013', '+8613800130023'];
    for (const number of numbers) await json(['opt-out', 'add', ...of, '--number', number]);
    await json(['push-setting', 'set', ...of, '--kind', 'status', '--url', 'http://127.0.0.1:1/', '--enable']);
    for (const to of [numbers.slice(0, 1), numbers]) {
      await json(['message', 'send', ...of, '--to', to.join(), '--text', 'x']);
    }
    await json(['route', 'add', ...of, '--carrier', 'simulator', '--number', '106']);
    for (const text of ['1', '2', '3']) {
      await json(['simulator', 'reply', '--from', numbers[0] ?? '', '--to', '106', '--text', text]);
    }
    for (const [list, count] of [
      ['opt-out', 3],
      ['message', 4],
      ['push', 4],
      ['reply', 3],
    ] as const) {
      const whole = await json<unknown[]>([list, 'list', ...of]);
      assert.equal(whole.length, count, list);
      const paged: unknown[] = [];
      let next: string[] = [];
      do {
        const argv = [list, 'list', ...of, '--limit', '2', ...next];
        paged.push(...(await json<unknown[]>(argv)));
        next = /There may be more: (.+)\n/.exec((await run(argv)).out)?.[1]?.split(' ') ?? [];
      } while (next.length > 0);
      // What a push waits for changes from look to look.
      const ids = (rows: unknown[]) => rows.map((row) => toKey(row as Row));
      assert.deepEqual(ids(paged), ids(whole), list);
    }
  });

  test('errors name the field and the remedy', async (context) => {
    const instance = await newInstance(context, kind);
    const { organization, run, json, serve } = instance;
    const server = await serve();
    const of = ['--organization', organization];
    const status = [...of, '--kind', 'status'];
    const refusals: readonly [argv: string[], field: string | null, message: RegExp][] = [
      [
        ['messaging-key', 'create', '--organization', 'x', '--name', 'n', '--allow', 'none'],
        'organization',
        /"organization list"/,
      ],
      [['messaging-key', 'create', ...of, '--name', 'n', '--allow', '1.2.3'], 'allow', /1\.2\.3/],
      [['messaging-key', 'show', 'x'], 'messaging_key', /"messaging-key list"/],
      [['messaging-setting', 'set', ...of, '--default-region', 'XX'], 'default_region', /such as CN, or none/],
      [
        ['message', 'send', ...of, '--to', '+8613800130003,12', '--text', 'x'],
        'mobiles[1]',
        /write it with \+ and country code/,
      ],
      [
        ['message', 'send', ...of, '--to', '+8613800130003', '--text', 'x', '--sender', '!'],
        null,
        /sender: must match/,
      ],
      [['message', 'show', 'x', ...of], 'batch', /no batch x\. "message list"/],
      [['message', 'list', ...of, '--number', 'x'], 'number', /write digits/],
      [['push-setting', 'set', ...status, '--enable'], 'url', /name the url/],
      [['push-setting', 'set', ...status, '--url', 'http://localhost/'], 'url', /localhost/],
      [['push-setting', 'set', ...status, '--url', `${server.url}`], 'url', /./],
      [
        ['push-setting', 'set', ...status, '--url', 'http://127.0.0.1:1/', '--secret', 'x'],
        'secret',
        /whsec_ and the base64/,
      ],
      [['push-setting', 'show', ...status], 'kind', /"push-setting set --url" makes one/],
      [['push', 'show', 'x'], 'push', /"push list"/],
      [['push', 'resend', ...status, '--all-failed'], 'kind', /"push-setting set" makes one/],
      [['route', 'add', ...of, '--carrier', 'x', '--number', '1'], 'carrier', /"carrier list"/],
      [['route', 'remove', 'x'], 'route', /"route list"/],
      [['opt-out', 'remove', ...of, '--number', '+8613800130003'], 'number', /has not opted out/],
      [['blocked-number', 'list', '--organization', 'x'], 'organization', /"organization list"/],
      [['blocked-word', 'list', '--organization', 'x'], 'organization', /"organization list"/],
      [['reply', 'list', '--organization', 'x'], 'organization', /"organization list"/],
    ];
    for (const [argv, field, message] of refusals) {
      const { code, out, err } = await run([...argv, '--json']);
      assert.deepEqual([code, out, JSON.parse(err).field], [1, '', field], argv.join(' '));
      assert.match((await run(argv)).err, message);
    }
    await json(['organization', 'suspend', organization]);
    const suspended = await run(['message', 'send', ...of, '--to', '+8613800130003', '--text', 'x']);
    assert.deepEqual(suspended, {
      code: 1,
      out: '',
      err: `error: Organization ${organization} is suspended. "organization resume" lets it send again.\n`,
    });
    assert.deepEqual(await json(['message', 'list', ...of]), []);
  });

  test('with the message gateway switched off all can be prepared, and nothing is sent', async (context) => {
    const { organization, receiver, run } = await newInstance(context, kind);
    const off = { WAXWING_MODULES: 'certificates' };
    const of = ['--organization', organization];
    const status = [...of, '--kind', 'status'];
    const url = `http://127.0.0.1:${receiver.port}/`;
    for (const argv of [
      ['messaging-key', 'create', ...of, '--name', 'n', '--allow', 'none'],
      ['push-setting', 'set', ...status, '--url', url, '--enable'],
      ['push-setting', 'test', ...status],
      ['message', 'list', ...of],
    ]) {
      assert.equal((await run(argv, '', off)).code, 0, argv.join(' '));
    }
    for (const argv of [
      ['message', 'send', ...of, '--to', '+8613800130003', '--text', 'x'],
      ['push', 'resend', ...status, '--all-failed'],
      ['simulator', 'reply', '--from', '+8613800130003', '--to', '106', '--text', 'x'],
    ]) {
      const { code, err } = await run([...argv, '--json'], '', off);
      assert.deepEqual([code, JSON.parse(err).field], [1, 'WAXWING_MODULES'], argv.join(' '));
    }
  });
});

interface Row {
  readonly id?: string;
  readonly number?: string;
  readonly batch_id?: string;
}

/** What tells one row of a list from its neighbours. */
function toKey({ id, number, batch_id }: Row): string {
  return [id, batch_id, number].join(' ');
}
