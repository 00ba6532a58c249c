import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as requestByHttp } from 'node:http';
import { test } from 'node:test';
import { createDeployment } from '@waxwing/contract/management-api/operations/deployment-operations.ts';
import { onBothDatabases } from '../database/testing.ts';
import { Problem } from '../runtime/problem.ts';
import { type Caller, openManagementWorld } from '../whole-server/management-world.testing.ts';

const own = 'http://localhost:8080';

/** The signals for work that waits for its turn. */
interface Turn {
  readonly signal: AbortSignal;
  begin(): Promise<void>;
}

onBothDatabases('the management API', (_open, kind) => {
  test('names every field at fault, and refuses what it does not know', async (t) => {
    const { request, acme } = await openManagementWorld(t, kind);
    const path = `/organizations/${acme}/deployments`;
    const body = { certificate_id: 'x', name: '', allow: 'all', odd: 1 };
    const { status, json, headers } = await request('owner', 'POST', path, { body });
    assert.equal(status, 400);
    assert.deepEqual((json.faults as { field: string }[]).map(({ field }) => field).sort(), ['allow', 'name', 'odd']);
    assert.equal(headers.get('error-field'), json.field);
    const nested = { files: [{ name: 'a', text: 'x' }, { name: 'b' }] };
    const imported = await request('owner', 'POST', `/organizations/${acme}/certificates`, { body: nested });
    assert.equal(imported.json.field, 'files[1]');
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=x', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['cursor=%20', 'cursor'],
      ['colour=red', 'colour'],
      ['__proto__=1', '__proto__'],
    ] as const) {
      assert.equal((await request('owner', 'GET', `${path}?${query}`)).json.field, field, query);
    }
    assert.equal((await request('owner', 'GET', `/organizations/${acme}?x=1`)).json.field, 'x');
  });

  test('refuses a body that is no JSON, not UTF-8 or of another type, and one where none is taken', async (t) => {
    const { request, acme, url } = await openManagementWorld(t, kind);
    const path = `/organizations/${acme}/suspend`;
    for (const body of ['{', '"\\ud800', 'nonsense']) {
      assert.equal((await request('operator', 'POST', '/organizations', { body })).json.code, 'invalid_request', body);
    }
    assert.equal((await request('operator', 'POST', path, { body: { really: true } })).json.code, 'invalid_request');
    const headers = { cookie: 'waxwing=operator', origin: own };
    const send = async (type: string, body: string | Uint8Array<ArrayBuffer>, coding: object = {}) => {
      const answer = await fetch(`${url}/api/v1/organizations`, {
        method: 'POST',
        body,
        headers: { ...headers, ...coding, 'content-type': type },
      });
      return [answer.status, ((await answer.json()) as { code: string }).code];
    };
    assert.deepEqual(await send('text/plain', '{"name":"x"}'), [400, 'invalid_request']);
    assert.deepEqual(await send('application/json; charset=GBK', '{"name":"x"}'), [400, 'invalid_request']);
    const gzip = { 'content-encoding': 'gzip' };
    assert.deepEqual(await send('application/json', '{"name":"x"}', gzip), [400, 'invalid_request']);
    assert.deepEqual(await send('application/json', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), [
      400,
      'invalid_request',
    ]);
    const large = JSON.stringify({ name: 'x'.repeat(300_000) });
    assert.deepEqual(await send('application/json', large), [413, 'body_too_large']);
    // Nested deeply enough to exhaust the stack of a recursive walk.
    const deep = '['.repeat(8_000) + ']'.repeat(8_000);
    for (const at of ['/organizations', path, '/sign-in/passkey-options', '/sign-in']) {
      const { status, text } = await request('operator', 'POST', at, { body: deep });
      assert.equal(status, 400, text);
    }
  });

  test('a field that is given twice is refused, as it is with messages', async (t) => {
    const { request, acme } = await openManagementWorld(t, kind);
    const body = '{"email":"a@example.com","role":"viewer","role":"owner"}';
    const { status, json } = await request('owner', 'POST', `/organizations/${acme}/invitations`, { body });
    assert.deepEqual([status, json.code, json.field], [400, 'invalid_parameter', 'role']);
  });

  test('what strangers send is short, and a long list is taken of those who may have one', async (t) => {
    const { request, acme, sample } = await openManagementWorld(t, kind);
    const code = async (caller: Caller, path: string, bytes: number, body: object = {}) => {
      const text = JSON.stringify({ ...body, x: '' });
      const { json } = await request(caller, 'POST', path, {
        body: text.replace('""', `"${'x'.repeat(bytes - text.length)}"`),
      });
      return json.code;
    };
    for (const path of ['/sign-in', '/sign-in/code', '/sign-in/passkey-options', '/links/describe', '/links/accept']) {
      assert.notEqual(await code('nobody', path, 16_384), 'body_too_large', path);
      assert.equal(await code('nobody', path, 16_385), 'body_too_large', path);
    }
    assert.equal(await code('owner', '/me/password', 16_385), 'body_too_large');
    for (const path of ['/sign-in/passkey', '/me/passkeys', '/me/reauthentication']) {
      assert.equal(await code('owner', path, 32_768), 'invalid_parameter', path);
      assert.equal(await code('owner', path, 32_769), 'body_too_large', path);
    }
    const { body } = await sample(createDeployment);
    const allow = Array.from({ length: 1000 }, (_, n) => `2001:0db8:0000:0000:0000:0000:0000:${n.toString(16)}/128`);
    const made = await request('owner', 'POST', `/organizations/${acme}/deployments`, {
      body: { ...Object(body), allow },
    });
    assert.equal(made.status, 201, made.text);
  });

  test('a credential of WebAuthn that is nested without end is a fault like others', async (t) => {
    const { request, logged } = await openManagementWorld(t, kind);
    const deep = `{"clientDataJSON":"a","x":${'['.repeat(15_000)}${']'.repeat(15_000)}}`;
    const body = `{"credential":{"id":"a","rawId":"a","type":"public-key","response":${deep}}}`;
    const { status, json } = await request('nobody', 'POST', '/sign-in/passkey', { body });
    assert.deepEqual([status, json.code, logged], [400, 'invalid_parameter', []]);
    assert.match(String(json.field), /^credential\.response\.x\[0\]/);
  });

  test('a change of settings needs the ETag of what was read', async (t) => {
    const { request, acme, createDeployment } = await openManagementWorld(t, kind);
    const path = `/organizations/${acme}/deployments/${await createDeployment()}`;
    const change = (name: string, ifMatch?: string) =>
      request('developer', 'PATCH', path, {
        body: { name },
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      });
    assert.equal((await change('a')).json.code, 'precondition_required');
    const seen = (await request('viewer', 'GET', path)).headers.get('etag') ?? '';
    assert.match(seen, /^"[\w-]{27}"$/);
    const changed = await change('a', seen);
    assert.equal(changed.status, 200);
    assert.equal((await change('b', seen)).json.code, 'precondition_failed');
    assert.equal((await change('b', `W/${changed.headers.get('etag')}`)).status, 412);
    assert.equal((await change('b', `"x", ${changed.headers.get('etag')}`)).status, 200);
    assert.equal((await change('c', '*')).status, 200);
    const after = await request('viewer', 'GET', path);
    assert.equal(after.json.name, 'c');
    // Two clients read the same tag. The second one is refused.
    const tag = after.headers.get('etag') ?? '';
    const both = await Promise.all([change('one', tag), change('two', tag)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412]);
  });

  test('what a deployment fetches does not touch the ETag of its settings', async (t) => {
    const { request, acme, createDeployment, application } = await openManagementWorld(t, kind);
    const id = await createDeployment();
    const tag = async () =>
      (await request('viewer', 'GET', `/organizations/${acme}/deployments/${id}`)).headers.get('etag');
    const before = await tag();
    await application.database.db
      .insertInto('deployment_refusal')
      .values({
        organization_id: acme,
        deployment_id: id,
        minute: 1,
        reason: 'address_not_allowed',
        address: '::1',
        count: 2,
      })
      .execute();
    assert.equal(await tag(), before);
  });

  test('a client that leaves is known to have left, so that what it asked for need not be done', async (t) => {
    const { request, acme, application, logged } = await openManagementWorld(t, kind);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
    Object.assign(application.certificates, {
      async import(_by: string, { turn: { signal } }: { turn: Turn }) {
        begin();
        if (!signal.aborted) await once(signal, 'abort');
        end(signal.reason);
        throw signal.reason;
      },
    });
    const left = new AbortController();
    const body = { files: [{ name: 'a', text: 'x' }] };
    const asked = request('owner', 'POST', `/organizations/${acme}/certificates`, { body, signal: left.signal });
    await begun;
    left.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    const reason = await ended;
    assert.ok(reason instanceof Problem);
    assert.equal(reason.code, 'invalid_request');
    assert.deepEqual(logged, []);
  });

  test('a session changes things from the pages of the instance alone', async (t) => {
    const { url } = await openManagementWorld(t, kind);
    const create = async (headers: Record<string, string>) => {
      const answer = await fetch(`${url}/api/v1/organizations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ name: crypto.randomUUID() }),
      });
      return ((await answer.json()) as { code?: string }).code ?? answer.status;
    };
    const cookie = 'waxwing=operator';
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost:8081' },
      { origin: `${own}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ]) {
      assert.equal(
        await create({ cookie, ...headers } as Record<string, string>),
        'origin_not_allowed',
        JSON.stringify(headers),
      );
    }
    assert.equal(await create({ cookie, origin: own }), 201);
    assert.equal(await create({ cookie, 'sec-fetch-site': 'same-origin' }), 201);
    // Browsers never send a key. Beside one, a cookie is ignored.
    assert.equal(await create({ authorization: 'Bearer key-instance', origin: 'https://evil.example' }), 201);
    assert.equal(await create({ authorization: 'Bearer key-viewer', cookie, origin: own }), 'role_not_permitted');
    assert.equal(await create({ authorization: 'Bearer wrong', cookie, origin: own }), 'invalid_token');
    assert.equal(await create({ cookie: 'waxwing=operator; waxwing=owner', origin: own }), 'unauthenticated');
    assert.equal(await create({ 'x-api-key': 'key-instance' }), 'unauthenticated');
  });

  test('a refused change has changed nothing', async (t) => {
    const { request, acme, createDeployment, application } = await openManagementWorld(t, kind);
    const id = await createDeployment();
    const before = await application.audit.list({ limit: 1000 });
    const path = `/organizations/${acme}/deployments/${id}`;
    for (const caller of ['nobody', 'stranger', 'viewer', 'key-viewer', 'foreign-owner', 'foreign-key'] as const) {
      for (const [method, at] of [
        ['DELETE', path],
        ['POST', `${path}/rotate`],
        ['PATCH', path],
      ] as const) {
        const body = method === 'PATCH' ? { body: { enabled: false } } : {};
        const { status } = await request(caller, method, at, { ...body, headers: { 'if-match': '*' } });
        assert.ok(status === 401 || status === 403 || status === 404, `${caller} ${method} ${status}`);
      }
    }
    assert.deepEqual(await application.audit.list({ limit: 1000 }), before);
  });

  test('whoever loses the right before the body is complete changes nothing', async (t) => {
    const { url, application, forget, lookedAt, used } = await openManagementWorld(t, kind);
    const text = JSON.stringify({ name: 'Late' });
    const late = requestByHttp(`${url}/api/v1/organizations`, {
      method: 'POST',
      headers: {
        cookie: 'waxwing=operator',
        origin: own,
        'content-type': 'application/json',
        'content-length': text.length,
      },
    });
    late.write(text.slice(0, 5));
    while (lookedAt('operator') === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    forget('operator');
    late.end(text.slice(5));
    const [answer] = (await once(late, 'response')) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, 401);
    assert.equal(used('operator'), 1);
    const { db } = application.database;
    assert.equal(
      await db.selectFrom('organization').select('id').where('name', '=', 'Late').executeTakeFirst(),
      undefined,
    );
  });

  test('whoever loses the right while a twin is waited for changes nothing', { timeout: 20_000 }, async (t) => {
    const { application, request, forget, lookedAt } = await openManagementWorld(t, kind);
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
    let calls = 0;
    Object.assign(application.organizations, {
      create: () => {
        calls += 1;
        begun.resolve();
        return end.promise;
      },
    });
    const create = () =>
      request('operator', 'POST', '/organizations', {
        body: { name: 'Twin' },
        headers: { 'idempotency-key': 'twin' },
      });
    const first = create();
    await begun.promise;
    const looked = lookedAt('operator');
    const twin = create();
    while (lookedAt('operator') < looked + 2) await new Promise((resolve) => setTimeout(resolve, 5));
    forget('operator');
    end.reject(new Problem('conflict'));
    assert.equal((await first).status, 409);
    assert.equal((await twin).status, 401);
    assert.equal(calls, 1);
  });

  test('whoever loses the right while the turn is waited for gets no key, and stores nothing', async (t) => {
    const { application, request, acme, importCertificate, forget } = await openManagementWorld(t, kind);
    const id = await importCertificate();
    const waiting: Turn[] = [];
    const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const turn = Promise.withResolvers<void>();
    const waits = async (_by: string, call: { turn: Turn }) => {
      asked[waiting.push(call.turn) - 1]?.resolve();
      await turn.promise;
      await call.turn.begin();
      assert.fail('it has begun');
    };
    Object.assign(application.certificates, { import: waits, export: waits });
    const path = `/organizations/${acme}/certificates`;
    const imported = request('owner', 'POST', path, { body: { files: [{ name: 'a', text: 'x' }] } });
    const exported = request('owner', 'POST', `${path}/${id}/export`, {
      body: { format: 'pkcs12', password: 'secret' },
    });
    await Promise.all(asked.map(({ promise }) => promise));
    forget('owner');
    turn.resolve();
    assert.deepEqual([(await imported).status, (await exported).status], [401, 401]);
  });

  test('requests beyond the limits of an actor and of an address are answered 429', async (t) => {
    const settings = { apiRequestsPerMinute: 3, apiAddressRequestsPerMinute: 6 };
    const { request } = await openManagementWorld(t, kind, { settings });
    const ask = async (caller: 'owner' | 'viewer' | 'admin') => (await request(caller, 'GET', '/organizations')).status;
    const own = [await ask('owner'), await ask('owner'), await ask('owner'), await ask('owner')];
    assert.deepEqual(own, [200, 200, 200, 429]);
    assert.deepEqual([await ask('viewer'), await ask('viewer')], [200, 200]);
    const { status, headers } = await request('admin', 'GET', '/organizations');
    assert.equal(status, 429);
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
  });

  test('what is asked for below /api/v1 and is not there carries the same headers', async (t) => {
    const { request, url } = await openManagementWorld(t, kind, { settings: { baseUrl: 'https://waxwing.example' } });
    const same = ['content-security-policy', 'strict-transport-security', 'x-frame-options', 'cache-control'];
    const { headers: model } = await request('nobody', 'GET', '/me');
    for (const [method, path, status] of [
      ['GET', '/nothing/here', 404],
      ['DELETE', '/sign-in', 405],
      ['GET', '/me/%zz', 400],
    ] as const) {
      const answer = await request('nobody', method, path);
      assert.equal(answer.status, status, path);
      for (const name of same) assert.equal(answer.headers.get(name), model.get(name), `${path} ${name}`);
      assert.match(answer.headers.get('request-id') ?? '', /^[0-9a-f]{16}$/, path);
    }
    const given = await fetch(`${url}/api/nothing`);
    assert.deepEqual([given.status, given.headers.get('request-id')], [404, null], 'the envelope is as given');
  });

  test('a client does not choose the Request-Id, nor writes lines into the log by a path', async (t) => {
    const { request, application, logged, acme } = await openManagementWorld(t, kind);
    application.certificates.list = () => Promise.reject(new Error('a fault'));
    const path = `/organizations/${acme}/certificates`;
    const { headers } = await request('viewer', 'GET', path, {
      headers: { 'request-id': 'mine', 'x-request-id': 'mine' },
    });
    assert.match(headers.get('request-id') ?? '', /^[0-9a-f]{16}$/);
    assert.doesNotMatch(JSON.stringify(logged), /mine/);
  });

  test('an IPv6 customer has one budget for the whole network, and a person one for all sessions', async (t) => {
    const settings = { apiAddressRequestsPerMinute: 3, apiRequestsPerMinute: 2 };
    const { request } = await openManagementWorld(t, kind, { settings, trustedProxies: ['127.0.0.1'] });
    const from = async (address: string) =>
      (await request('nobody', 'GET', '/sign-in', { headers: { 'x-forwarded-for': address } })).status;
    const statuses = [];
    for (const end of [':1', ':2', 'a::3', 'ffff:ffff:ffff:ffff']) statuses.push(await from(`2001:db8:0:1:${end}`));
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    assert.equal(await from('2001:db8:0:2::1'), 200);
    const person = async (cookie: string, address: string) =>
      (await request('nobody', 'GET', '/me', { headers: { cookie: `waxwing=${cookie}`, 'x-forwarded-for': address } }))
        .status;
    assert.deepEqual(
      [
        await person('owner', '192.0.2.1'),
        await person('owner-again', '192.0.2.2'),
        await person('owner', '192.0.2.3'),
      ],
      [200, 200, 429],
    );
  });

  test('every answer carries its headers, and a fault of ours is logged by its Request-Id', async (t) => {
    const { request, application, logged, acme } = await openManagementWorld(t, kind, {
      settings: { baseUrl: 'https://waxwing.example' },
    });
    const cookie = { cookie: '__Host-waxwing=owner', origin: 'https://waxwing.example' };
    const fine = await request('nobody', 'GET', `/organizations/${acme}`, { headers: cookie });
    const refused = await request('nobody', 'GET', `/organizations/${acme}`);
    assert.deepEqual([fine.status, refused.status], [200, 401]);
    for (const { headers } of [fine, refused]) {
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; .*frame-ancestors 'none'$/);
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000');
      assert.deepEqual(
        ['x-frame-options', 'x-content-type-options', 'referrer-policy'].map((name) => headers.get(name)),
        ['DENY', 'nosniff', 'no-referrer'],
      );
    }
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
    assert.notEqual(fine.headers.get('request-id'), refused.headers.get('request-id'));

    application.certificates.list = () => Promise.reject(new Error('secret detail'));
    const fault = await request('nobody', 'GET', `/organizations/${acme}/certificates`, { headers: cookie });
    assert.equal(fault.status, 500);
    assert.doesNotMatch(fault.text, /secret detail/);
    const line = logged.find(({ fields }) => 'request_id' in fields)?.fields as { request_id: string };
    assert.equal(line.request_id, fault.headers.get('request-id'));
  });

  test('a list leads through all its items, page by page, each once', async (t) => {
    const { request, acme, createDeployment } = await openManagementWorld(t, kind);
    const made = [];
    for (let count = 0; count < 7; count++) made.push(await createDeployment());
    const seen: string[] = [];
    let cursor: unknown = '';
    for (let pages = 1; cursor !== null; pages++) {
      const query = cursor === '' ? '' : `&cursor=${cursor}`;
      const { json } = await request('viewer', 'GET', `/organizations/${acme}/deployments?limit=3${query}`);
      seen.push(...(json.items as { id: string }[]).map(({ id }) => id));
      cursor = json.next_cursor;
      assert.ok(pages <= 3);
    }
    assert.deepEqual(seen, made);
    const { json } = await request('viewer', 'GET', `/organizations/${acme}/certificates?limit=1`);
    assert.equal(json.next_cursor, null);
    const other = await request('viewer', 'GET', `/organizations/${acme}/deployments?limit=1`);
    const foreign = await request(
      'viewer',
      'GET',
      `/organizations/${acme}/certificates?cursor=${other.json.next_cursor}`,
    );
    assert.deepEqual([foreign.status, foreign.json.field], [400, 'cursor']);
  });

  test('certificates are found by a part of their name or domains, their state and their end', async (t) => {
    const { request, acme, importCertificate } = await openManagementWorld(t, kind);
    const [first, second] = [await importCertificate(), await importCertificate()];
    await request('admin', 'POST', `/organizations/${acme}/certificates/${second}/revoke`);
    const find = async (query: string) => {
      const { json } = await request('viewer', 'GET', `/organizations/${acme}/certificates?${query}`);
      return (json.items as { id: string }[]).map(({ id }) => id);
    };
    assert.deepEqual(await find('search=EXAMPLE.c'), [first, second]);
    for (const none of [
      'search=%25',
      'search=_xample',
      'search=!',
      'search=%5C',
      'expires_before=2020-01-01T00:00:00Z',
    ]) {
      assert.deepEqual(await find(none), [], none);
    }
    assert.deepEqual(await find('state=revoked'), [second]);
    assert.deepEqual(await find('state=issued&search=www&expires_before=2900-01-01T00:00:00Z'), [first]);
  });

  test('a private key leaves by an export alone, and a chain without it', async (t) => {
    const { request, acme, importCertificate } = await openManagementWorld(t, kind);
    const path = `/organizations/${acme}/certificates/${await importCertificate()}`;
    const textOf = ({ json }: { json: Record<string, unknown> }) =>
      (json.files as { base64: string }[]).map(({ base64 }) => Buffer.from(base64, 'base64').toString('latin1')).join();
    const chain = await request('viewer', 'POST', `${path}/export-chain`, { body: { format: 'pem' } });
    assert.match(textOf(chain), /BEGIN CERTIFICATE/);
    assert.doesNotMatch(textOf(chain), /PRIVATE KEY/);
    assert.match(textOf(await request('admin', 'POST', `${path}/export`, { body: { format: 'pem' } })), /PRIVATE KEY/);
    const bundle = await request('admin', 'POST', `${path}/export`, { body: { format: 'pkcs12', password: 'secret' } });
    assert.equal(bundle.status, 200);
    assert.equal((await request('admin', 'POST', `${path}/export`, { body: { format: 'pkcs12' } })).status, 400);
  });

  test('every fault of an import is listed', async (t) => {
    const { request, acme } = await openManagementWorld(t, kind);
    const body = {
      files: [
        { name: 'a.pem', text: 'nothing' },
        { name: 'b.pem', base64: 'AAAA' },
      ],
    };
    const { status, json } = await request('developer', 'POST', `/organizations/${acme}/certificates`, { body });
    assert.deepEqual([status, json.code], [422, 'certificate_rejected']);
    assert.ok((json.faults as unknown[]).length >= 1);
  });
});
