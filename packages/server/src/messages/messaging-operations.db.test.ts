import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { MessageTimeline } from '@waxwing/contract/management-api/operations/message-operations.ts';
import type { PushHealth } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { type DatabaseKind, DatabaseUnavailable } from '../database/database.ts';
import { onBothDatabases } from '../database/testing.ts';
import { reply, startTrialReceiver } from '../outbound/receiver.testing.ts';
import { supervise } from '../runtime/supervisor.ts';
import {
  type Answer,
  type Caller,
  type ManagementWorld,
  openManagementWorld,
} from '../whole-server/management-world.testing.ts';

interface Gateway extends ManagementWorld {
  /** A request below the organization. */
  ask(caller: Caller, method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Asks again and again until the answer is as it should be. */
  until(path: string, isThere: (answer: Answer) => boolean): Promise<Answer>;
}

/** @param runs whether messages are carried and pushed, as by a server */
async function openGateway(t: TestContext, kind: DatabaseKind, runs = false): Promise<Gateway> {
  const world = await openManagementWorld(t, kind);
  const { clock, messaging } = world.application;
  if (runs) {
    const log = { info: () => {}, warn: () => {}, error: () => {} };
    const supervisor = supervise(messaging.workers, { log, clock });
    t.after(() => supervisor.stop(5_000));
  }
  const ask: Gateway['ask'] = (caller, method, path, body, headers = {}) =>
    world.request(caller, method, `/organizations/${world.acme}${path}`, { body, headers });
  return {
    ...world,
    ask,
    async until(path, isThere) {
      for (;;) {
        const answer = await ask('owner', 'GET', path);
        if (isThere(answer)) return answer;
      }
    },
  };
}

const items = ({ json }: Answer) => json.items as Record<string, unknown>[];

onBothDatabases('an organization that sends', (_open, kind) => {
  test('sees the way of a message to the last attempt of its push, and how pushing goes', {
    timeout: 60_000,
  }, async (t) => {
    const receiver = await startTrialReceiver();
    t.after(() => receiver[Symbol.asyncDispose]());
    receiver.serve = (socket) => socket.write(reply(500, 'not today'));
    const { ask, until } = await openGateway(t, kind, true);
    const url = `http://127.0.0.1:${receiver.port}/status?key=secret`;
    const made = await ask('owner', 'PATCH', '/push-settings/status', { url, enabled: true, retries: 0 }, any);
    assert.equal(made.status, 200, made.text);
    const content = 'x'.repeat(161);
    const sent = await ask('developer', 'POST', '/messages', { mobile: '+8613800130000', content });
    assert.equal(sent.status, 201, sent.text);

    const path = `/messages/${sent.json.batch_id}/0`;
    const { json } = await until(path, (answer) => (answer.json as MessageTimeline).push?.state === 'failed');
    const { message, parts, push, messaging_key_id } = json as MessageTimeline;
    assert.deepEqual([message.status, message.carrier, message.simulated], ['DELIVRD', 'simulator', true]);
    assert.equal(messaging_key_id, null);
    assert.deepEqual(
      parts.map(({ part, state, next_submit_at, submits }) => ({ part, state, next_submit_at, submits })),
      [1, 2].map((part) => ({ part, state: 'DELIVRD', next_submit_at: null, submits: 0 })),
    );
    assert.equal(parts.map(({ text }) => text).join(''), content);
    assert.ok(parts.every(({ carrier_message_id, sent_at }) => carrier_message_id !== null && sent_at !== null));
    assert.deepEqual(
      push?.attempt_log.map(({ number, status, answer }) => ({ number, status, answer })),
      [{ number: 1, status: 500, answer: null }],
    );

    const health = await until('/push-settings/status/health', (answer) => {
      return ((answer.json as PushHealth).windows[0]?.attempts ?? 0) > 0;
    });
    const { windows, series, failed } = health.json as PushHealth;
    assert.deepEqual(
      windows.map(({ minutes, attempts, delivered, success_rate }) => [minutes, attempts, delivered, success_rate]),
      [5, 60, 360, 1440].map((minutes) => [minutes, 1, 0, 0]),
    );
    assert.ok(windows.every(({ p50_ms, p99_ms }) => p50_ms !== null && p99_ms !== null));
    assert.deepEqual([series.points.length, series.step_minutes, failed], [1, 1, 1]);
    const day = await ask('viewer', 'GET', '/push-settings/status/health?span=24h');
    const { step_minutes, points, from } = (day.json as PushHealth).series;
    assert.deepEqual([step_minutes, points.map(({ attempts }) => attempts)], [15, [1]]);
    assert.ok(Date.parse(points[0]?.at ?? '') - Date.parse(from) >= 94 * 15 * 60_000, `${from} to ${points[0]?.at}`);

    const created_at = String(items(await ask('viewer', 'GET', '/pushes'))[0]?.created_at);
    const found = async (query: string) => items(await ask('viewer', 'GET', `/pushes?${query}`)).length;
    const later = new Date(Date.parse(created_at) + 1).toISOString();
    for (const state of ['', '&state=failed']) {
      assert.equal(await found(`since=${created_at}&until=${later}${state}`), 1);
      assert.equal(await found(`since=${later}${state}`), 0);
      assert.equal(await found(`until=${created_at}${state}`), 0);
    }

    receiver.serve = (socket) => socket.write(reply(200));
    const again = await ask('developer', 'POST', '/pushes/resend', { push_ids: [push?.id, 'none-such'] });
    assert.deepEqual(again.json, { resent: [push?.id], left: ['none-such'] });
    const ended = await until(`/pushes/${push?.id}`, (answer) => answer.json.state === 'delivered');
    assert.equal((ended.json.attempt_log as unknown[]).length, 2);
  });

  test('finds its messages by batch, number and status, page by page', async (t) => {
    const { ask, acme, other, request } = await openGateway(t, kind);
    const mobiles = Array.from({ length: 5 }, (_, index) => `+861380013000${index}`);
    for (const mobile of mobiles) await ask('owner', 'POST', '/messages', { mobile, content: 'Hello' });
    const { json } = await ask('owner', 'POST', '/messages', { mobiles, content: 'Hello again' });
    const found: unknown[] = [];
    for (let query = '?limit=3'; query !== ''; ) {
      const page = await ask('viewer', 'GET', `/messages${query}`);
      found.push(...items(page).map(({ mobile }) => mobile));
      query = page.json.next_cursor === null ? '' : `?limit=3&cursor=${page.json.next_cursor}`;
    }
    assert.deepEqual(found, [...mobiles, ...mobiles.toReversed()]);
    const count = async (query: string) => items(await ask('viewer', 'GET', `/messages?${query}`)).length;
    assert.equal(await count(`batch_id=${json.batch_id}`), 5);
    assert.equal(await count(`mobile=${encodeURIComponent('+8613800130003')}`), 2);
    assert.equal(await count(`mobile=${encodeURIComponent('+8613800130003')}&status=open&limit=1`), 1);
    assert.equal(await count('status=open'), 10);
    assert.equal(await count('status=DELIVRD'), 0);
    assert.equal(await count('status=REJECTED'), 0);
    const foreign = await request('operator', 'GET', `/organizations/${other}/messages/${json.batch_id}`);
    assert.equal(foreign.status, 404);
    const batch = await ask('viewer', 'GET', `/messages/${json.batch_id}`);
    assert.deepEqual([batch.json.content, batch.json.organization_id], ['Hello again', acme]);
  });

  test('finds its messages by the time of their acceptance, with and without a number', async (t) => {
    const { ask } = await openGateway(t, kind);
    const mobile = '+8613800130000';
    const moments: string[] = [];
    while (new Set(moments).size < 3) {
      const before = moments.at(-1);
      const body = { mobiles: [mobile, '+8613800130001'], content: 'Hello' };
      // No two in one millisecond: what stands between them must be told apart.
      while (new Date().toISOString() === before) await ask('viewer', 'GET', '/messages?limit=1');
      const { json } = await ask('owner', 'POST', '/messages', body);
      moments.push(String((await ask('viewer', 'GET', `/messages/${json.batch_id}`)).json.accepted_at));
    }
    const [first = '', second = '', third = ''] = moments;
    const found = async (query: Record<string, string>) =>
      items(await ask('viewer', 'GET', `/messages?${new URLSearchParams(query)}`)).map(
        ({ accepted_at }) => accepted_at,
      );
    assert.deepEqual(await found({ mobile, accepted_since: second }), [third, second]);
    assert.deepEqual(await found({ mobile, accepted_since: first, accepted_before: third }), [second, first]);
    assert.deepEqual(await found({ accepted_since: second, accepted_before: third }), [second, second]);
    assert.deepEqual(await found({ accepted_before: first }), []);
    assert.deepEqual(await found({ status: 'open', accepted_since: third }), [third, third]);
    assert.deepEqual(await found({ accepted_since: '1969-01-01T00:00:00Z', accepted_before: second }), [first, first]);
  });

  test('sees how a text is cut before anything is sent', async (t) => {
    const { ask } = await openGateway(t, kind);
    const preview = async (content: string) => (await ask('developer', 'POST', '/message-previews', { content })).json;
    assert.deepEqual(await preview('x'.repeat(161)), {
      encoding: 'gsm',
      segments: ['x'.repeat(153), 'x'.repeat(8)],
      max_segments: 10,
    });
    assert.deepEqual(await preview('您好'), { encoding: 'ucs2', segments: ['您好'], max_segments: 10 });
    assert.equal(((await preview('长'.repeat(700))).segments as string[]).length, 11);
    assert.deepEqual(items(await ask('viewer', 'GET', '/messages')), []);
  });

  test('finds replies by phone and stop word, and numbers in its lists', { timeout: 60_000 }, async (t) => {
    const { ask, until, request } = await openGateway(t, kind, true);
    const phones = ['+8613800130000', '+8613800130010'];
    await ask('owner', 'POST', '/messages', { mobiles: phones, content: 'Hello' });
    for (const [from, text] of [
      [phones[0], 'Thank you'],
      [phones[1], 'And you'],
      [phones[1], 'STOP'],
    ]) {
      const made = await request('operator', 'POST', '/instance/carriers/simulator/replies', {
        body: { from, to: '106', text },
      });
      assert.equal(made.status, 204, made.text);
    }
    await until('/replies', (answer) => items(answer).length === 3);
    const found = async (query: Record<string, string>) =>
      items(await ask('viewer', 'GET', `/replies?${new URLSearchParams(query)}`)).map(({ message, push }) => [
        message,
        push,
      ]);
    assert.deepEqual(await found({ mobile: phones[1] ?? '' }), [
      ['STOP', 'off'],
      ['And you', 'off'],
    ]);
    assert.deepEqual(await found({ stop: 'true' }), [['STOP', 'off']]);
    assert.deepEqual(await found({ stop: 'false', mobile: phones[0] ?? '' }), [['Thank you', 'off']]);
    assert.deepEqual(await found({ mobile: '+8613800130099' }), []);

    await ask('owner', 'POST', '/blocked-numbers', { number: phones[0] });
    const listed = async (path: string, number = '') =>
      items(await ask('viewer', 'GET', `${path}?number=${encodeURIComponent(number)}`)).map(({ number }) => number);
    assert.deepEqual(await listed('/opt-outs', phones[1]), [phones[1]]);
    assert.deepEqual(await listed('/opt-outs', phones[0]), []);
    assert.deepEqual(await listed('/blocked-numbers', phones[0]), [phones[0]]);
    const national = await ask('viewer', 'GET', '/opt-outs?number=13800130010');
    assert.deepEqual([national.json.code, national.json.field], ['invalid_parameter', 'number']);
  });

  test('sends once under an Idempotency-Key, nothing while suspended, and the trail names who sent', async (t) => {
    const { ask, request, acme } = await openGateway(t, kind);
    const body = { mobile: '+8613800130000', content: 'Hello' };
    const once = () => ask('developer', 'POST', '/messages', body, { 'idempotency-key': 'a' });
    assert.deepEqual((await once()).json, (await once()).json);
    assert.equal(items(await ask('owner', 'GET', '/messages')).length, 1);
    const bad = await ask('developer', 'POST', '/messages', { mobiles: ['+8613800130000', '12'], content: 'Hello' });
    assert.deepEqual([bad.json.code, bad.json.field], ['invalid_parameter', 'mobiles[1]']);
    const trail = await ask('admin', 'GET', '/audit?action=message.send');
    assert.deepEqual(
      items(trail).map(({ actor, detail }) => [actor, detail]),
      [['account:developer', { mobiles: 1 }]],
    );
    await request('operator', 'POST', `/organizations/${acme}/suspend`);
    assert.equal((await ask('developer', 'POST', '/messages', body)).json.reason, 'organization_suspended');
  });

  test('changes its region, and its operator alone the quotas, each by what was seen', async (t) => {
    const { ask } = await openGateway(t, kind);
    const shown = await ask('viewer', 'GET', '/messaging-settings');
    const seen = { 'if-match': shown.headers.get('etag') ?? '' };
    assert.equal((await ask('owner', 'PATCH', '/quotas', { messages_per_day: 5 }, seen)).status, 403);
    const quota = await ask('operator', 'PATCH', '/quotas', { messages_per_day: 5 }, seen);
    assert.equal(quota.json.messages_per_day, 5);
    const late = await ask('admin', 'PATCH', '/messaging-settings', { default_region: 'CN' }, seen);
    assert.equal(late.json.code, 'precondition_failed');
    const next = { 'if-match': quota.headers.get('etag') ?? '' };
    const region = await ask('admin', 'PATCH', '/messaging-settings', { default_region: 'cn' }, next);
    assert.deepEqual([region.status, region.json.default_region], [200, 'CN']);
  });
});

const any = { 'if-match': '*' };

onBothDatabases('a message sent by hand', (_open, kind) => {
  test('is sent once under its Idempotency-Key, also when the answer to its commit was lost', async (t) => {
    const { ask, application } = await openGateway(t, kind);
    const { database } = application;
    const { runBatch } = database;
    let isLost = false;
    Object.assign(database, {
      runBatch: async (...given: Parameters<typeof runBatch>) => {
        const results = await runBatch.apply(database, given);
        if (isLost) return results;
        isLost = true;
        throw new DatabaseUnavailable('the connection broke after the commit');
      },
    });
    const message = { mobile: '+8613800130000', content: 'Hello' };
    const send = () => ask('developer', 'POST', '/messages', message, { 'idempotency-key': 'order-1' });
    assert.equal((await send()).status, 503);
    const again = await send();
    assert.equal(again.status, 201, again.text);
    const batches = await database.db.selectFrom('message_batch').select('id').execute();
    assert.deepEqual(batches, [{ id: again.json.batch_id }]);
    const entries = database.db.selectFrom('audit_entry').select('subject').where('action', '=', 'message.send');
    assert.deepEqual(await entries.execute(), [{ subject: again.json.batch_id }]);
  });
});

onBothDatabases('a push setting', (_open, kind) => {
  test('is there before it is made; its query is shown to those who may change it alone', async (t) => {
    const { ask } = await openGateway(t, kind);
    const unset = await ask('viewer', 'GET', '/push-settings/uplink');
    assert.deepEqual([unset.status, unset.json.id, unset.json.url, unset.json.enabled], [200, null, null, false]);
    assert.equal((await ask('developer', 'POST', '/push-settings/uplink/test')).json.reason, 'no_url');
    const first = { 'if-match': unset.headers.get('etag') ?? '' };
    const url = 'http://127.0.0.1:9/up?key=secret';
    const made = await ask('developer', 'PATCH', '/push-settings/uplink', { url }, first);
    assert.deepEqual([made.status, made.json.url], [200, url]);
    const twice = await ask('developer', 'PATCH', '/push-settings/uplink', { enabled: true }, first);
    assert.equal(twice.json.code, 'precondition_failed');
    assert.equal((await ask('viewer', 'GET', '/push-settings/uplink')).json.url, 'http://127.0.0.1:9/up?***');
    assert.equal((await ask('key-developer', 'GET', '/push-settings/uplink')).json.url, url);
    assert.deepEqual(
      items(await ask('viewer', 'GET', '/push-settings')).map(({ kind, url }) => [kind, url]),
      [
        ['status', null],
        ['uplink', 'http://127.0.0.1:9/up?***'],
      ],
    );
    const own = await ask('developer', 'PATCH', '/push-settings/uplink', { url: 'http://localhost/' }, any);
    assert.deepEqual([own.json.code, own.json.field, own.json.reason], ['invalid_parameter', 'url', 'local_name']);
  });

  test('shows a generated secret once, and a given one never', async (t) => {
    const { ask } = await openGateway(t, kind);
    await ask('developer', 'PATCH', '/push-settings/status', { url: 'http://127.0.0.1:9/' }, any);
    const generated = await ask('developer', 'POST', '/push-settings/status/secret');
    assert.match(String(generated.json.secret), /^whsec_/);
    const given = await ask('developer', 'POST', '/push-settings/status/secret', { secret: generated.json.secret });
    assert.equal(given.json.secret, null);
    assert.equal((await ask('developer', 'GET', '/push-settings/status')).json.signed, true);
    const unsigned = await ask('developer', 'DELETE', '/push-settings/status/secret');
    assert.deepEqual([unsigned.status, unsigned.json.signed], [200, false]);
    const tried = await ask('developer', 'POST', '/push-settings/status/test');
    assert.deepEqual([tried.status, tried.json.delivered, tried.json.outcome], [200, false, 'refused']);
  });
});
