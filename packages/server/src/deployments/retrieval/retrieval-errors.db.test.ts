import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../database/database.ts';
import { reasonToSkip } from '../../database/testing.ts';
import type { ProblemCode } from '../../runtime/problem.ts';
import type { DeploymentUpdate } from '../manage-deployments.ts';
import {
  inBothWorlds,
  loseDatabase,
  openRetrievalWorld,
  type RetrievalWorld,
  refusal,
  type TestCertificate,
  type TestServer,
  wire,
} from './retrieval-world.testing.ts';

inBothWorlds('the error table', (world) => {
  let server: TestServer;
  let certificate: TestCertificate;

  before(async () => {
    server = await world().serve();
    certificate = await world().importLeaf({ domains: ['example.com'] });
  });

  async function setState(id: string, state: 'pending' | 'failed' | 'issued' | 'revoked'): Promise<void> {
    await world().application.feed.write(async (trx, note) => {
      await trx.updateTable('certificate').set({ state }).where('id', '=', id).execute();
      note('certificate', id);
    });
  }

  /** Both paths refuse alike. */
  async function assertRefused(code: ProblemCode, ...headers: string[]): Promise<void> {
    for (const target of ['/api/certificate', '/api/download', '/api/download?type=key']) {
      assert.equal((await server.ask(`GET ${target}`, ...headers)).text, refusal(code, world().clock), target);
    }
  }

  test('row 1: no token is supplied', async () => {
    await assertRefused('missing_token');
    await assertRefused('missing_token', 'User-Agent: curl/8');
  });

  test('row 1: a token in the URL of a deployment that takes none from there counts as not supplied', async () => {
    const { id, token, bearer } = await world().deploy(certificate.id);
    const ask = () => server.ask(`GET /api/certificate?key=${token}`);
    assert.equal((await ask()).status, 200);
    await world().application.deployments.update('test', id, { queryToken: false });
    assert.equal((await ask()).text, refusal('missing_token', world().clock));
    assert.equal((await server.ask('GET /api/certificate', bearer)).status, 200);
  });

  test('row 2: the token is unknown, or a typing error away from a known one', async () => {
    const { token } = await world().deploy(certificate.id);
    const swapped = `${token.slice(0, 20)}${token[21]}${token[20]}${token.slice(22)}`;
    const wrong = [`${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`, token.slice(0, -1), `${token}0`];
    wrong.push(token.toLowerCase(), token.toUpperCase(), 'x', 'wxd_', token === swapped ? 'y' : swapped);
    for (const each of wrong) {
      const answer = await server.ask('GET /api/certificate', `Authorization: Bearer ${each}`);
      assert.equal(answer.text, refusal('invalid_token', world().clock));
    }
  });

  const invalid: Record<string, (id: string) => Promise<unknown>> = {
    'its deployment is disabled': (id) => world().application.deployments.update('test', id, { enabled: false }),
    'its deployment expires at this very moment': (id) =>
      world().application.deployments.update('test', id, { expiresAt: world().clock.now() }),
    'it was rotated without overlap': (id) => world().application.deployments.rotate('test', id, 0),
    'its deployment is deleted': (id) => world().application.deployments.delete('test', id),
    'its deployment is gone but its own row stayed': (id) =>
      world().application.feed.write(async (trx, note) => {
        await trx.deleteFrom('deployment').where('id', '=', id).execute();
        note('deployment', id);
      }),
  };
  for (const [reason, spoil] of Object.entries(invalid)) {
    test(`row 2: the token worked until ${reason}`, async () => {
      const { id, bearer } = await world().deploy(certificate.id);
      assert.equal((await server.ask('GET /api/certificate', bearer)).status, 200);
      await spoil(id);
      await assertRefused('invalid_token', bearer);
    });
  }

  test('row 2: a deployment works until the moment it expires', async () => {
    const { id, bearer } = await world().deploy(certificate.id);
    await world().application.deployments.update('test', id, { expiresAt: world().clock.now() + 60_000 });
    world().clock.advance(59_999);
    assert.equal((await server.ask('GET /api/certificate', bearer)).status, 200);
    world().clock.advance(1);
    await assertRefused('invalid_token', bearer);
  });

  test('row 2: a former token works through its overlap and no longer', async () => {
    const former = await world().deploy(certificate.id);
    const { token } = await world().application.deployments.rotate('test', former.id, 60_000);
    world().keepSecret(token.reveal());
    const current = `Authorization: Bearer ${token.reveal()}`;
    for (const bearer of [former.bearer, current]) {
      assert.equal((await server.ask('GET /api/certificate', bearer)).status, 200);
    }
    world().clock.advance(60_000);
    await assertRefused('invalid_token', former.bearer);
    assert.equal((await server.ask('GET /api/certificate', current)).status, 200);
  });

  test('row 2: the organization is suspended', async () => {
    const { organizations } = world().application;
    const { bearer } = await world().deploy(certificate.id);
    await organizations.setSuspended('test', world().organizationId, true);
    await assertRefused('invalid_token', bearer);
    await organizations.setSuspended('test', world().organizationId, false);
    assert.equal((await server.ask('GET /api/certificate', bearer)).status, 200);
  });

  test('row 2: a token of another kind that was taken away is no longer a token of another kind', async () => {
    const { token, rotate } = await world().makeKey('messaging');
    await rotate();
    await assertRefused('invalid_token', `X-API-Key: ${token}`);
  });

  test('row 3: deployment permission is switched off', async () => {
    const { id, bearer } = await world().deploy(certificate.id);
    await world().application.deployments.update('test', id, { permitted: false });
    await assertRefused('token_not_permitted', bearer);
  });

  test('row 3: a valid token of another kind, whichever way it comes', async () => {
    for (const kind of ['messaging', 'management'] as const) {
      const { token, bearer } = await world().makeKey(kind);
      await assertRefused('token_not_permitted', bearer);
      await assertRefused('token_not_permitted', `X-API-Key: ${token}`);
      const answer = await server.ask(`GET /api/certificate?key=${token}`);
      assert.equal(answer.text, refusal('token_not_permitted', world().clock));
    }
  });

  test('row 4: the client is not on the allow-list, and nobody is on an empty one', async () => {
    await assertRefused('address_not_allowed', (await world().deploy(certificate.id, ['192.0.2.1', '::1'])).bearer);
    await assertRefused('address_not_allowed', (await world().deploy(certificate.id, [])).bearer);
  });

  test('row 5: the certificate is pending, failed, revoked or gone', async () => {
    const own = await world().importLeaf({ domains: ['states.example'] });
    const { bearer } = await world().deploy(own.id);
    for (const state of ['pending', 'failed', 'revoked'] as const) {
      await setState(own.id, state);
      await assertRefused('certificate_not_found', bearer);
      await setState(own.id, 'issued');
      assert.equal((await server.ask('GET /api/certificate', bearer)).status, 200);
    }
    await world().application.feed.write(async (trx, note) => {
      await trx.deleteFrom('certificate').where('id', '=', own.id).execute();
      note('certificate', own.id);
    });
    await assertRefused('certificate_not_found', bearer);
  });

  test('row 5: a certificate that waits for its first version', async () => {
    const own = await world().importLeaf({ domains: ['first.example'] });
    const { bearer } = await world().deploy(own.id);
    await world().application.feed.write(async (trx, note) => {
      await trx
        .updateTable('certificate')
        .set({ state: 'pending', current_version: null, versions: 0 })
        .where('id', '=', own.id)
        .execute();
      await trx.deleteFrom('certificate_version').where('certificate_id', '=', own.id).execute();
      note('certificate', own.id);
    });
    await assertRefused('certificate_not_found', bearer);
  });

  test('row 5: the certificate or its current version is revoked, with or without its version asked for', async () => {
    const { certificates } = world().application;
    for (const whole of [true, false]) {
      const own = await world().importLeaf({ domains: ['revoked.example'] });
      const { bearer } = await world().deploy(own.id);
      const targets = ['/api/certificate', '/api/download', `/api/download?type=key&version=${own.version}`];
      for (const target of targets) assert.equal((await server.ask(`GET ${target}`, bearer)).status, 200);
      await certificates.revoke('test', own.id, whole ? undefined : own.version);
      for (const target of targets) {
        const answer = await server.ask(`GET ${target}`, bearer);
        assert.equal(answer.text, refusal('certificate_not_found', world().clock));
      }
    }
  });

  test('row 6: a type that is neither certificate nor key, empty, given twice or in another case', async () => {
    const { bearer } = await world().deploy(certificate.id);
    const bad = ['type=pem', 'type=', 'type', 'type=Key', 'type=CERTIFICATE', 'type=key&type=key', 'type=key%20'];
    bad.push('type=certificate&type=', 'type=+key', 'x=1&type=chain', 'type=key%00');
    for (const query of bad) {
      const answer = await server.ask(`GET /api/download?${query}`, bearer);
      assert.equal(answer.text, refusal('invalid_download_type', world().clock), query);
      assert.equal((await server.ask(`GET /api/certificate?${query}`, bearer)).status, 200, 'there it means nothing');
    }
    for (const query of ['Type=pem', 'types=pem', 'type=key&Type=x', 'type=k%65y']) {
      assert.equal((await server.ask(`GET /api/download?${query}`, bearer)).status, 200, query);
    }
  });

  test('of several faults at once the first row answers, for every combination', async () => {
    const { id, token } = await world().deploy(certificate.id);
    const rows: readonly [code: ProblemCode, fault: DeploymentUpdate | 'no token' | 'version' | 'type'][] = [
      ['missing_token', 'no token'],
      ['invalid_token', { enabled: false }],
      ['token_not_permitted', { permitted: false }],
      ['address_not_allowed', { allow: ['192.0.2.7'] }],
      ['certificate_not_found', 'version'],
      ['invalid_download_type', 'type'],
    ];
    for (let set = 1; set < 1 << rows.length; set += 1) {
      const faults = rows.filter((_, index) => set & (1 << index));
      const has = (fault: string) => faults.some(([, each]) => each === fault);
      let update: DeploymentUpdate = { enabled: true, permitted: true, allow: ['127.0.0.1'] };
      for (const [, fault] of faults) if (typeof fault === 'object') update = { ...update, ...fault };
      await world().application.deployments.update('test', id, update);
      const query = `${has('version') ? 'version=none&' : ''}type=${has('type') ? 'pem' : 'key'}`;
      const headers = has('no token') ? [] : [`X-API-Key: ${token}`];
      const answer = await server.ask(`GET /api/download?${query}`, ...headers);
      const codes = faults.map(([code]) => code);
      assert.equal(answer.text, refusal(codes[0] ?? 'internal_error', world().clock), codes.join(' + '));
    }
  });

  test('a request that is refused before the checks is refused with a valid token too', async () => {
    const { token, bearer } = await world().deploy(certificate.id);
    const { clock } = world();
    const cases: readonly [line: string, expected: string][] = [
      [`GET /api/certificate?key=${token}&x=%`, refusal('invalid_request', clock)],
      [`GET /api/download?key=${token}&type=%ff`, refusal('invalid_request', clock)],
      ['GET /api/certificat%C3', refusal('invalid_request', clock)],
      [`GET /api/certificates?key=${token}`, refusal('route_not_found', clock)],
      ['GET /api/certificate/', refusal('route_not_found', clock)],
      ['GET /api/Certificate', refusal('route_not_found', clock)],
      [`GET /api/certificate;key=${token}`, refusal('route_not_found', clock)],
      ['GET /api', refusal('route_not_found', clock)],
      ['DELETE /api/unknown', refusal('route_not_found', clock)],
    ];
    for (const [line, expected] of cases) assert.equal((await server.ask(line, bearer)).text, expected, line);
  });

  test('another method is a 405 with Allow on both paths, whether a token comes with it or not', async () => {
    const { bearer } = await world().deploy(certificate.id);
    for (const path of ['/api/certificate', '/api/download?type=key']) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND']) {
        for (const headers of [[], [bearer]]) {
          const answer = await server.ask(`${method} ${path}`, ...headers);
          assert.equal(answer.text, refusal('method_not_allowed', world().clock, 'Allow: GET, HEAD'), method);
        }
      }
    }
  });

  test('headers beyond the limit are a 400 in the envelope, a long token within it is only wrong', async () => {
    const { clock } = world();
    const tooLong = await server.ask('GET /api/certificate', `Authorization: Bearer ${'x'.repeat(20_000)}`);
    assert.equal(tooLong.text, refusal('invalid_request', clock));
    const long = await server.ask('GET /api/certificate', `Authorization: Bearer ${'x'.repeat(12_000)}`);
    assert.equal(long.text, refusal('invalid_token', clock));
    const broken = await server.ask('GET /api/certificate', 'no colon here');
    assert.equal(broken.text, refusal('invalid_request', clock));
  });

  test('below /api/v1 an unknown path is answered as problem+json', async () => {
    const body = '{"title":"Not Found","status":404,"detail":"Nothing exists at this path.","code":"route_not_found"}';
    const headers = ['Content-Type: application/problem+json', `Content-Length: ${body.length}`];
    headers.push('Error-Code: route_not_found', 'Cache-Control: private, no-store', 'X-Content-Type-Options: nosniff');
    headers.push(
      "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'Cross-Origin-Resource-Policy: same-origin',
      'Referrer-Policy: no-referrer',
      'Request-Id: …',
      'X-Frame-Options: DENY',
    );
    for (const path of ['/api/v1', '/api/v1/certificate']) {
      const { text } = await server.ask(`GET ${path}`);
      const named = text.replace(/^request-id: [0-9a-f]{16}$/m, 'request-id: …');
      assert.equal(named, wire('404 Not Found', headers, body));
    }
  });

  test('with the certificates half switched off every path of it is a 404', async () => {
    const messaging = await world().serve({ WAXWING_MODULES: 'messaging' });
    const { bearer } = await world().deploy(certificate.id);
    for (const line of ['GET /api/certificate', 'GET /api/download?type=key', 'POST /api/certificate']) {
      assert.equal((await messaging.ask(line, bearer)).text, refusal('route_not_found', world().clock), line);
    }
    assert.equal((await messaging.ask('GET /healthz')).status, 200);
  });
});

inBothWorlds('limits of requests', (world) => {
  const retryAfter = (text: string) => Number(/^retry-after: (\d+)$/m.exec(text)?.[1]);

  test('wrong tokens beyond 60 a minute from one address are answered 429, and nobody else is', async () => {
    const { clock } = world();
    const server = await world().serve({ WAXWING_TRUSTED_PROXIES: '127.0.0.1' });
    const { id } = await world().importLeaf({ domains: ['example.com'] });
    const { bearer } = await world().deploy(id, ['198.51.100.0/24']);
    const from = (address: string) => `X-Forwarded-For: ${address}`;
    const unknown = `Authorization: Bearer ${'wxd_'.padEnd(57, 'A')}`;
    for (let wrong = 0; wrong < 60; wrong += 1) {
      const header = wrong % 2 === 0 ? unknown : 'X-API-Key: typo';
      const answer = await server.ask('GET /api/download', from('198.51.100.1'), header);
      assert.equal(answer.text, refusal('invalid_token', clock), `${wrong}`);
    }
    const limited = await server.ask('GET /api/certificate', from('198.51.100.1'), unknown);
    const seconds = retryAfter(limited.text);
    assert.ok(seconds >= 1 && seconds <= 60, limited.text);
    assert.equal(limited.text, refusal('too_many_requests', clock, `Retry-After: ${seconds}`));

    assert.equal((await server.ask('GET /api/certificate', from('198.51.100.1'), bearer)).status, 200);
    assert.equal((await server.ask('GET /api/certificate', from('198.51.100.1'))).status, 401, 'no token is no guess');
    const other = await server.ask('GET /api/certificate', from('198.51.100.2'), unknown);
    assert.equal(other.text, refusal('invalid_token', clock));
    clock.advance(60_000);
    const later = await server.ask('GET /api/certificate', from('198.51.100.1'), unknown);
    assert.equal(later.text, refusal('invalid_token', clock));
  });

  test('a deployment is limited only when told so, and by itself', async () => {
    const { clock, application } = world();
    const server = await world().serve();
    const { id } = await world().importLeaf({ domains: ['example.com'] });
    const [limited, free] = [await world().deploy(id), await world().deploy(id)];
    for (let request = 0; request < 100; request += 1) {
      assert.equal((await server.ask('GET /api/download', limited.bearer)).status, 200);
    }
    await application.deployments.update('test', limited.id, { requestsPerMinute: 2 });
    const { headers } = await server.ask('GET /api/download', limited.bearer);
    const tag = `If-None-Match: ${headers.get('etag')}`;
    assert.equal((await server.ask('GET /api/download', limited.bearer, tag)).status, 304);
    const answer = await server.ask('GET /api/download', limited.bearer, tag);
    const seconds = retryAfter(answer.text);
    assert.ok(seconds >= 1 && seconds <= 60);
    assert.equal(answer.text, refusal('too_many_requests', clock, `Retry-After: ${seconds}`));
    assert.equal((await server.ask('GET /api/download', free.bearer)).status, 200);
    clock.advance(60_000);
    assert.equal((await server.ask('GET /api/download', limited.bearer)).status, 200);
    await application.deployments.update('test', limited.id, { requestsPerMinute: null });
    for (let request = 0; request < 5; request += 1) {
      assert.equal((await server.ask('GET /api/download', limited.bearer)).status, 200);
    }
  });
});

inBothWorlds('faults of ours', (world) => {
  test('a private key that does not open is a 500 without detail; its certificate is still handed out', async () => {
    const { application, clock } = world();
    const server = await world().serve();
    const [spoiled, other] = [
      await world().importLeaf({ domains: ['spoiled.example'] }),
      await world().importLeaf({ domains: ['other.example'] }),
    ];
    const { bearer } = await world().deploy(spoiled.id);
    const { sealed_key: foreign } = await application.database.db
      .selectFrom('certificate_version')
      .select('sealed_key')
      .where('id', '=', other.version)
      .executeTakeFirstOrThrow();
    // Sealed bytes of another row open nowhere but there.
    for (const sealed of [foreign, Buffer.from('nonsense'), Buffer.alloc(0)]) {
      await application.feed.write(async (trx, note) => {
        await trx
          .updateTable('certificate_version')
          .set({ sealed_key: sealed })
          .where('id', '=', spoiled.version)
          .execute();
        note('certificate', spoiled.id);
      });
      const before = world().log().length;
      for (const target of ['/api/certificate', '/api/download?type=key']) {
        assert.equal((await server.ask(`GET ${target}`, bearer)).text, refusal('internal_error', clock));
      }
      const lines = world().log().slice(before).trim().split('\n');
      const faults = lines.map((line) => JSON.parse(line)).filter((line) => line.code === 'internal_error');
      assert.deepEqual(
        faults.map(({ path, method }) => `${method} ${path}`),
        ['GET /api/certificate', 'GET /api/download'],
      );
      assert.equal(faults[0].err.type ?? faults[0].err.name, 'SealError');
      assert.equal((await server.ask('GET /api/download', bearer)).body, spoiled.leaf.chainPem);
    }
  });
});

inBothWorlds('a server whose records are not written', (world) => {
  test('refuses keys, and is not ready for as long as ten seconds after', async () => {
    const { clock } = world();
    const append = () => Promise.reject(new DatabaseUnavailable('there is no room'));
    const server = await world().serve({}, (same) => ({ ...same, audit: { ...same.audit, append } }));
    const { id, leaf } = await world().importLeaf({ domains: ['example.com'] });
    const { bearer } = await world().deploy(id);
    const reasons = async () => {
      const { status, body } = await server.ask('GET /readyz');
      return [status, (JSON.parse(body) as { reasons?: string[] }).reasons];
    };
    assert.deepEqual(await reasons(), [200, undefined]);
    const refused = refusal('service_unavailable', clock, 'Retry-After: 2');
    assert.equal((await server.ask('GET /api/download?type=key', bearer)).text, refused);
    assert.deepEqual(await reasons(), [503, ['records']]);
    assert.equal((await server.ask('GET /api/download', bearer)).body, leaf.chainPem);
    clock.advance(10_000);
    assert.deepEqual(await reasons(), [200, undefined]);
  });
});

inBothWorlds('a server that lacks the current master key', (world) => {
  test('is not ready, and answers 503 without recording a hand-out, until it has the key', {
    timeout: 30_000,
  }, async ({ signal }) => {
    const { application, clock } = world();
    const { masterKeyFile } = application.settings;
    const file = `${masterKeyFile}.elsewhere`;
    copyFileSync(masterKeyFile, file);
    const node = await world().openNode({ WAXWING_MASTER_KEY_FILE: file });
    const { id, leaf } = await world().importLeaf({ domains: ['example.com'] });
    const { bearer } = await world().deploy(id);
    // It was not heard of for a while, as one that was paused.
    const { keyId } = await application.masterKeys.rotate('test');
    const server = await world().serve({}, () => node);
    const isReady = async () => (await server.ask('GET /readyz')).status === 200;
    while (await isReady()) await delay(10, undefined, { signal });
    const handOuts = async () => {
      const entries = await application.audit.list({ limit: 100 });
      return entries.filter(({ action }) => action === 'private-key.hand-out').length;
    };
    for (const target of ['GET /api/certificate', 'GET /api/download?type=key', 'HEAD /api/download?type=key']) {
      const answer = await server.ask(target, bearer);
      const expected = refusal('service_unavailable', clock, 'Retry-After: 2');
      assert.equal(answer.text, target.startsWith('GET') ? expected : expected.slice(0, expected.indexOf('{')), target);
    }
    assert.equal(await handOuts(), 0);
    assert.equal((await server.ask('GET /api/download', bearer)).body, leaf.chainPem);
    assert.match(world().log(), new RegExp(`"lacking":\\["${keyId}"\\].*the master key file cannot be used`));
    copyFileSync(masterKeyFile, file);
    await node.masterKeys.reload();
    assert.equal(await isReady(), true);
    assert.equal((await server.ask('GET /api/download?type=key', bearer)).body, leaf.keyPem);
    assert.equal(await handOuts(), 1);
  });
});

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(`a lost database on ${kind}`, { skip: reasonToSkip(kind) }, () => {
    test('is a 503 with Retry-After while it lasts, and over when it is back', async () => {
      const world = await openRetrievalWorld(kind);
      try {
        await losesDatabase(world);
      } finally {
        await world.close();
      }
    });
  });
}

async function losesDatabase(world: RetrievalWorld): Promise<void> {
  const { clock } = world;
  const server = await world.serve();
  const { id, leaf } = await world.importLeaf({ domains: ['example.com'] });
  const { bearer } = await world.deploy(id);
  assert.equal((await server.ask('GET /api/download?type=key', bearer)).body, leaf.keyPem);

  const giveBack = await loseDatabase(world);
  const unavailable = () => refusal('service_unavailable', clock, 'Retry-After: 2');
  // What is proven may decide a little longer, but without a record on disk no key leaves. A worker whose write was
  // committed at the last moment ends what is proven at once.
  assert.equal((await server.ask('GET /api/download?type=key', bearer)).text, unavailable());
  clock.advance(501);
  const readiness = async () => {
    const { status, body } = await server.ask('GET /readyz');
    // A warning is none: the world's clock is not PostgreSQL's.
    return [status, (JSON.parse(body) as { reasons?: string[] }).reasons];
  };
  assert.match((await readiness()).join(' '), /^503 database\b/, 'as soon as anybody is refused for want of it');
  assert.deepEqual(await sampled(server, /^waxwing_(?:ready|database_up) /), [
    'waxwing_ready 0',
    'waxwing_database_up 0',
  ]);
  clock.advance(500);
  for (const target of ['/api/certificate', '/api/download', '/api/download?type=key']) {
    assert.equal((await server.ask(`GET ${target}`, bearer)).text, unavailable());
    assert.equal((await server.ask(`GET ${target}`, 'X-API-Key: typo')).text, unavailable());
    assert.equal((await server.ask(`GET ${target}`)).text, refusal('missing_token', clock));
  }
  assert.equal((await server.ask('GET /healthz')).status, 200);
  assert.deepEqual(await sampled(server, /^waxwing_retrievals_refused_total.*service_unavailable/), [
    'waxwing_retrievals_refused_total{code="service_unavailable"} 7',
  ]);
  clock.advance(10_000);
  assert.deepEqual(await readiness(), [503, ['database']]);

  await giveBack();
  if (world.kind === 'sqlite') return;
  assert.equal((await server.ask('GET /api/certificate', bearer)).status, 200);
  assert.equal((await server.ask('GET /api/download?type=key', bearer)).body, leaf.keyPem);
  assert.deepEqual(await readiness(), [200, undefined]);
  assert.deepEqual(await sampled(server, /^waxwing_(?:ready|database_up) /), [
    'waxwing_ready 1',
    'waxwing_database_up 1',
  ]);
}

async function sampled(server: TestServer, pattern: RegExp): Promise<string[]> {
  return (await server.metrics.metrics()).split('\n').filter((line) => pattern.test(line));
}
