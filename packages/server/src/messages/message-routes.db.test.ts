import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { onBothDatabases } from '../database/testing.ts';
import { parseAnswer } from '../http/wire.testing.ts';
import { createManagementKeys } from '../organizations/manage-management-keys.ts';
import { createOrganizations } from '../organizations/organization.ts';
import { type HttpWorld, openHttpWorld, success } from './send/messages-http.testing.ts';
import { createBlockedLists } from './senders/manage-blocked-lists.ts';
import { createMessagingSettings } from './senders/messaging-settings.ts';
import { delivered } from './state/message-state.ts';

onBothDatabases('the message interface on the wire', (open) => {
  const body = { mobile: '+8613800138000', content: 'Hello' };
  const batchIdOf = (answer: { body: string }) =>
    (JSON.parse(answer.body) as { data: { batch_id: string } }).data.batch_id;
  const needsOf = ({ world }: HttpWorld) => ({ ...world, clock: world.time.clock });

  test('a send is answered with its batch, by any of the three ways to show a key', async (t) => {
    const { post, ask, newKey, world, port } = await openHttpWorld(t, open);
    const { token, bearer } = await newKey();
    const answer = await post(body, bearer);
    assert.equal(answer.text, success({ batch_id: batchIdOf(answer) }));
    assert.equal((await post(body, `X-API-Key: ${token}`)).status, 200);
    const text = JSON.stringify(body);
    const query = await ask(
      `POST /api/messages?key=${token}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${text.length}\r\n\r\n${text}`,
    );
    assert.equal(query.status, 200, `${port}`);
    assert.equal((await world.messagesOf(batchIdOf(query))).length, 1);
  });

  test('errors 1 to 4, in their order, and before the body is looked at', async (t) => {
    const http = await openHttpWorld(t, open);
    const { post, ask, newKey, keys, refusal, world } = http;
    const { id, token, bearer } = await newKey();
    const bad = { nonsense: true };
    assert.equal((await post(bad)).text, refusal('missing_token'));
    assert.equal((await post(bad, 'Authorization: Basic eDp5')).text, refusal('missing_token'));
    assert.equal((await post(bad, 'Authorization: Bearer wxm_wrong')).text, refusal('invalid_token'));
    assert.equal((await post(bad, bearer, 'Authorization: Bearer other')).text, refusal('invalid_token'));
    // The first one present decides alone.
    assert.equal(
      (await post(body, 'Authorization: Bearer wrong', `X-API-Key: ${token}`)).text,
      refusal('invalid_token'),
    );
    const elsewhere = await newKey(['203.0.113.0/24']);
    assert.equal((await post(bad, elsewhere.bearer)).text, refusal('address_not_allowed'));
    const nowhere = await newKey([]);
    assert.equal((await post(bad, nowhere.bearer)).text, refusal('address_not_allowed'));
    for (const target of ['/api/messages/events', '/api/messages/some-batch']) {
      assert.equal((await ask(`GET ${target}`)).text, refusal('missing_token'));
      assert.equal((await ask(`GET ${target}`, nowhere.bearer)).text, refusal('address_not_allowed'));
    }

    await keys.update('test', id, { permitted: false });
    assert.equal((await post(bad, bearer)).text, refusal('token_not_permitted'));
    await keys.update('test', id, { enabled: false });
    assert.equal((await post(bad, bearer)).text, refusal('invalid_token'));
    await keys.update('test', id, { enabled: true, permitted: true, queryToken: false });
    assert.equal((await ask(`GET /api/messages/events?key=${token}`)).text, refusal('missing_token'));
    assert.equal((await ask('GET /api/messages/events', bearer)).status, 200);

    const { organizationId } = world;
    const other = { organizationId, name: 'key', role: 'owner', allow: ['127.0.0.1'], expiresAt: null } as const;
    const management = await createManagementKeys(needsOf(http)).create({ by: 'test', rank: 'operator' }, other);
    assert.equal((await post(bad, `X-API-Key: ${management.token.reveal()}`)).text, refusal('token_not_permitted'));
  });

  test('a key stops working the moment it is deleted, expires or is rotated, or its organization is suspended', async (t) => {
    const http = await openHttpWorld(t, open);
    const { post, newKey, keys, refusal, world } = http;
    const suspended = createOrganizations(needsOf(http));
    const ends: Record<string, (id: string) => Promise<unknown>> = {
      deleted: (id) => keys.delete('test', id),
      expired: (id) => keys.update('test', id, { expiresAt: world.time.clock.now() }),
      rotated: (id) => keys.rotate('test', id, 0),
      suspended: () => suspended.setSuspended('test', world.organizationId, true),
    };
    for (const [reason, end] of Object.entries(ends)) {
      const { id, bearer } = await newKey();
      assert.equal((await post(body, bearer)).status, 200, reason);
      await end(id);
      assert.equal((await post(body, bearer)).text, refusal('invalid_token'), reason);
    }
  });

  test('a key that is deleted before the body of its request is complete sends nothing', async (t) => {
    const { newKey, keys, refusal, world, port, letIn } = await openHttpWorld(t, open);
    const { id, bearer } = await newKey();
    const text = JSON.stringify(body);
    const socket = connect({ host: '127.0.0.1', port });
    const head = ['POST /api/messages HTTP/1.1', 'Host: localhost', 'Connection: close', bearer];
    head.push('Content-Type: application/json', `Content-Length: ${text.length}`);
    socket.write(`${head.join('\r\n')}\r\n\r\n${text.slice(0, 9)}`);
    while (letIn() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await keys.delete('test', id);
    socket.write(text.slice(9));
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    assert.equal(parseAnswer(answer).text, refusal('invalid_token'));
    assert.deepEqual(await world.database.db.selectFrom('message_batch').selectAll().execute(), []);
  });

  test('wrong keys beyond the limit of an address are answered 429; a right one is served all the same', async (t) => {
    const { post, newKey, refusal } = await openHttpWorld(t, open);
    const { bearer } = await newKey();
    for (let turn = 0; turn < 30; turn += 1) await post(body, 'X-API-Key: wrong');
    assert.equal((await post(body, 'X-API-Key: wrong')).text, refusal('too_many_requests', 'Retry-After: 60'));
    assert.equal((await post(body, bearer)).status, 200);
  });

  test('every parameter at fault is named, and nothing is accepted', async (t) => {
    const { post, newKey, refusal, world } = await openHttpWorld(t, open);
    const { bearer } = await newKey();
    const long = Array.from({ length: 1_001 }, () => '+8613800138000');
    const faults: readonly (readonly [field: string, body: unknown])[] = [
      ['body', []],
      ['body', null],
      ['mobile', { content: 'x' }],
      ['mobile', { ...body, mobile: 13800138000 }],
      ['mobile', { ...body, mobile: '13800138000' }],
      ['mobile', { ...body, mobile: '+861' }],
      ['mobiles', { ...body, mobiles: ['+8613800138000'] }],
      ['mobiles', { mobiles: '+8613800138000', content: 'x' }],
      ['mobiles', { mobiles: [], content: 'x' }],
      ['mobiles', { mobiles: long, content: 'x' }],
      ['mobiles[3]', { mobiles: [...long.slice(0, 3), 'x'], content: 'x' }],
      ['content', { mobile: body.mobile }],
      ['content', { ...body, content: '' }],
      ['content', { ...body, content: 'a\0b' }],
      ['content', { ...body, content: 'x'.repeat(1_531) }],
      ['content', { ...body, content: '长'.repeat(671) }],
      ['sender', { ...body, sender: '' }],
      ['sender', { ...body, sender: 'much too long a name' }],
      ['contents', { ...body, contents: 'x' }],
      // As a header can hold it.
      ['a??b?', { ...body, 'a\r\nb日': 'x' }],
      ['mobile', Buffer.from('{"mobile":"+8613800138000","mobile":"+8613800138001","content":"x"}')],
      ['content', Buffer.from('{"content":"","mobile":"x","\\u0063ontent":"x"}')],
      ['__proto__', Buffer.from('{"mobile":"+8613800138000","content":"x","__proto__":{}}')],
    ];
    for (const [field, each] of faults) {
      const answer = await post(each, bearer);
      assert.equal(answer.text, refusal('invalid_parameter', `Error-Field: ${field}`), JSON.stringify(each));
    }
    const keys = ['', 'a b', 'ä', 'x'.repeat(256)];
    for (const key of keys) {
      const answer = await post(body, bearer, `Idempotency-Key: ${key}`);
      assert.equal(answer.text, refusal('invalid_parameter', 'Error-Field: Idempotency-Key'), key);
    }
    const twice = await post(body, bearer, 'Idempotency-Key: a', 'Idempotency-Key: a');
    assert.equal(twice.text, refusal('invalid_parameter', 'Error-Field: Idempotency-Key'));
    assert.deepEqual(await world.database.db.selectFrom('message_batch').selectAll().execute(), []);
  });

  test('what is no JSON request at all is a bad request, and one that is too large says so', async (t) => {
    const { post, newKey, refusal } = await openHttpWorld(t, open);
    const { bearer } = await newKey();
    const bodies = ['', '{', '{"mobile":"+8613800138000",}', '\xff'];
    for (const each of bodies) {
      const answer = await post(Buffer.from(each, 'latin1'), bearer);
      assert.equal(answer.text, refusal('invalid_request'), each);
    }
    const form = await post(Buffer.from('mobile=1'), bearer, 'Content-Type: application/x-www-form-urlencoded');
    assert.equal(form.text, refusal('invalid_request'));
    assert.equal((await post(body, bearer, 'Content-Type:')).text, refusal('invalid_request'));
    assert.equal((await post(body, bearer, 'Content-Type: text/plain')).text, refusal('invalid_request'));
    // 学校 in GBK; the same bytes are ѧУ in UTF-8.
    const gbk = Buffer.from(JSON.stringify({ ...body, content: '\xd1\xa7\xd0\xa3' }), 'latin1');
    const chinese = await post(gbk, bearer, 'Content-Type: application/json; charset=GBK');
    assert.equal(chinese.text, refusal('invalid_request'));
    assert.equal((await post(body, bearer, 'Content-Type: application/json; charset="UTF-8"')).status, 200);
    const compressed = await post(body, bearer, 'Content-Type: application/json', 'Content-Encoding: gzip');
    assert.equal(compressed.text, refusal('invalid_request'));
    assert.equal(
      (await post(body, bearer, 'Content-Type: application/json', 'Content-Encoding: identity')).status,
      200,
    );
    const large = await post({ ...body, content: 'x'.repeat(300_000) }, bearer);
    assert.equal(large.text, refusal('invalid_parameter', 'Error-Field: body'));
  });

  test('the same request under one key is one batch, another body is a conflict', async (t) => {
    const { post, newKey, refusal } = await openHttpWorld(t, open);
    const { bearer } = await newKey();
    const first = await post(body, bearer, 'Idempotency-Key: order-1');
    const spaced = Buffer.from('{ "content" : "H\\u0065llo", "mobile" : "+8613800138000" }');
    assert.equal((await post(spaced, bearer, 'Idempotency-Key: order-1')).text, first.text);
    assert.equal(
      (await post({ ...body, content: 'Other' }, bearer, 'Idempotency-Key: order-1')).text,
      refusal('idempotency_conflict', 'Error-Field: Idempotency-Key'),
    );
  });

  test('over the quota of a second: 429 with the time to wait', async (t) => {
    const http = await openHttpWorld(t, open);
    const { bearer } = await http.newKey();
    const settings = createMessagingSettings(needsOf(http));
    await settings.update('test', http.world.organizationId, { messagesPerSecond: 1 });
    const mobiles = Array.from({ length: 5 }, (_, index) => `+861380013800${index}`);
    assert.equal((await http.post({ mobiles, content: 'x' }, bearer)).status, 200);
    assert.equal((await http.post(body, bearer)).text, http.refusal('too_many_requests', 'Retry-After: 5'));
  });

  test('without a database: 503', async (t) => {
    const { post, newKey, refusal, world } = await openHttpWorld(t, open);
    const { bearer } = await newKey();
    await world.database.close();
    assert.equal((await post(body, bearer)).text, refusal('service_unavailable', 'Retry-After: 2'));
    await world.time.advance(5_000);
    assert.equal((await post(body, bearer)).text, refusal('service_unavailable', 'Retry-After: 2'));
  });

  test('a batch tells what became of each message, to its own organization only', async (t) => {
    const http = await openHttpWorld(t, open);
    const { ask, post, newKey, refusal, world } = http;
    const { bearer } = await newKey();
    await createBlockedLists(needsOf(http)).addNumber('test', '', '+8613800138002');
    const mobiles = ['+86 138 0013 8000', '+8613800138001', '+8613800138002'];
    const batchId = batchIdOf(await post({ mobiles, content: '长'.repeat(71) }, bearer));
    const accepted_at = '2026-03-01T12:00:00.000Z';
    await world.time.advance(1_500);
    for (const part of [0, 1]) {
      const ref = { organizationId: world.organizationId, batchId, position: 0, part };
      const carrierMessageId = `m${part}`;
      const simulated = true;
      await world.deliveries.apply({ kind: 'taken', part: ref, carrierId: 'c', carrierMessageId, simulated });
      await world.deliveries.apply({ kind: 'receipt', carrierId: 'c', carrierMessageId, verdict: delivered });
    }
    const report = await ask(`GET /api/messages/${batchId}`, bearer);
    const later = '2026-03-01T12:00:01.500Z';
    const common = { segments: 2, simulated: true };
    assert.equal(
      report.text,
      success({
        batch_id: batchId,
        accepted_at,
        messages: [
          {
            mobile: '+86 138 0013 8000',
            state: 'settled',
            status: 'DELIVRD',
            ...common,
            push: 'waiting',
            accepted_at,
            sent_at: later,
            settled_at: later,
          },
          { mobile: '+8613800138001', state: 'queued', ...common, accepted_at },
          {
            mobile: '+8613800138002',
            state: 'settled',
            status: 'REJECTED',
            memo: 'number blocked',
            segments: 2,
            simulated: false,
            push: 'waiting',
            accepted_at,
            settled_at: accepted_at,
          },
        ],
      }),
    );
    for (const id of ['unknown', '%00', '%E6%97%A5', batchId.toUpperCase(), `${batchId}%00`, '%2e%2e%2f']) {
      const none = await ask(`GET /api/messages/${id}`, bearer);
      assert.equal(none.text, refusal('not_found', 'Error-Field: batch_id'), id);
    }
    const { token } = await http.keys.create('test', {
      organizationId: world.otherOrganizationId,
      name: 'other',
      allow: ['127.0.0.1'],
    });
    const foreign = await ask(`GET /api/messages/${batchId}`, `X-API-Key: ${token.reveal()}`);
    assert.equal(foreign.text, refusal('not_found', 'Error-Field: batch_id'));
  });

  test('events: pages, a bad cursor or limit, an expired cursor', async (t) => {
    const http = await openHttpWorld(t, open);
    const { ask, post, newKey, refusal, world } = http;
    const { bearer } = await newKey();
    for (const target of ['/api/messages/events', '/api/messages/events?after=e0']) {
      assert.equal((await ask(`GET ${target}`, bearer)).text, success({ events: [], next: 'e0', more: false }));
    }
    await createBlockedLists(needsOf(http)).addNumber('test', '', '+8613800138000');
    const batchId = batchIdOf(await post(body, bearer));
    const event = {
      cursor: 'e1',
      kind: 'status',
      batch_id: batchId,
      mobile: '+8613800138000',
      status: 'REJECTED',
      memo: 'number blocked',
      simulated: false,
      settled_at: '2026-03-01T12:00:00.000Z',
    };
    for (const target of ['/api/messages/events', '/api/messages/events?limit=1&after=e0']) {
      assert.equal((await ask(`GET ${target}`, bearer)).text, success({ events: [event], next: 'e1', more: false }));
    }
    for (const after of ['', 'x', 'e2', 'e0&after=e0']) {
      const answer = await ask(`GET /api/messages/events?after=${after}`, bearer);
      assert.equal(answer.text, refusal('invalid_parameter', 'Error-Field: after'), after);
    }
    for (const limit of ['0', '1001', '-1', '1.5', 'all', '', '5&limit=5']) {
      const answer = await ask(`GET /api/messages/events?limit=${limit}`, bearer);
      assert.equal(answer.text, refusal('invalid_parameter', 'Error-Field: limit'), limit);
    }
    await world.database.db.updateTable('message_counter').set({ forgotten: 1 }).execute();
    const expired = await ask('GET /api/messages/events?after=e0', bearer);
    assert.equal(expired.text, refusal('cursor_expired', 'Error-Field: after'));
  });

  test('unknown paths and methods are told before any key is asked for', async (t) => {
    const { ask, refusal } = await openHttpWorld(t, open);
    assert.equal((await ask('GET /api/messages/a/b')).text, refusal('route_not_found'));
    assert.equal((await ask('GET /api/messages/')).text, refusal('route_not_found'));
    assert.equal((await ask(`GET /api/messages/${'a'.repeat(1_000)}`)).text, refusal('route_not_found'));
    for (const method of ['GET', 'OPTIONS', 'HEAD']) {
      const { status, headers } = await ask(`${method} /api/messages`);
      assert.deepEqual([status, headers.get('allow')], [405, 'POST'], method);
    }
    for (const target of ['/api/messages/events', '/api/messages/some-batch']) {
      const known = await ask(`DELETE ${target}`);
      assert.equal(known.text, refusal('method_not_allowed', 'Allow: GET, HEAD'));
    }
  });

  test('HEAD answers what GET does, without the body', async (t) => {
    const { ask, newKey, refusal } = await openHttpWorld(t, open);
    const { bearer } = await newKey();
    const headOf = (text: string) => text.slice(0, text.indexOf('\n\n'));
    const events = await ask('HEAD /api/messages/events', bearer);
    assert.equal(events.text.trimEnd(), headOf(success({ events: [], next: 'e0', more: false })));
    const unknown = await ask('HEAD /api/messages/unknown', bearer);
    assert.equal(unknown.text.trimEnd(), headOf(refusal('not_found', 'Error-Field: batch_id')));
    assert.equal((await ask('HEAD /api/messages/events')).text.trimEnd(), headOf(refusal('missing_token')));
  });
});
