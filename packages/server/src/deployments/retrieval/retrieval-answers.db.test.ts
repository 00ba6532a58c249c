import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { makeTrialCa, makeTrialKey } from '@waxwing/pki/trial-ca.testing.ts';
import {
  type Answer,
  inBothWorlds,
  infoBody,
  parseAnswer,
  refusal,
  type TestCertificate,
  type TestDeployment,
  type TestServer,
  wire,
  worldStart,
} from './retrieval-world.testing.ts';

const day = 86_400_000;

inBothWorlds('a successful answer', (world) => {
  let server: TestServer;
  let certificate: TestCertificate;
  let deployment: TestDeployment;

  before(async () => {
    server = await world().serve();
    certificate = await world().importLeaf({ domains: ['example.com', '*.example.com', '192.0.2.1'] });
    deployment = await world().deploy(certificate.id);
  });

  const common = (answer: Answer, version: string) => [
    'Cache-Control: private, no-store',
    'X-Content-Type-Options: nosniff',
    `ETag: ${answer.headers.get('etag')}`,
    `Certificate-Version: ${version}`,
  ];

  function assertWhole(answer: Answer, version: string, body: string, ...headers: string[]): void {
    const all = [...common(answer, version), ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
    assert.equal(answer.text, wire('200 OK', all, body));
    assert.match(answer.headers.get('etag') ?? '', /^"[A-Za-z0-9_-]{20,}"$/, 'a strong entity tag');
  }

  const json = 'Content-Type: application/json; charset=utf-8';
  const pem = 'Content-Type: application/x-pem-file';
  const file = (name: string) => `Content-Disposition: attachment; filename="${name}"`;

  test('the JSON holds domains, certificate, private_key and expires_at, in this order, and nothing else', async () => {
    const { leaf, version } = certificate;
    const body = infoBody(leaf, ['example.com', '*.example.com', '192.0.2.1'], '2026-05-30 12:00:00');
    assertWhole(await server.ask('GET /api/certificate', deployment.bearer), version, body, json);
  });

  test('a download is the certificate when nothing or the certificate is asked for, and the key when it is', async () => {
    const { leaf, version } = certificate;
    for (const target of ['/api/download', '/api/download?type=certificate', '/api/download?other=1']) {
      const answer = await server.ask(`GET ${target}`, deployment.bearer);
      assertWhole(answer, version, leaf.chainPem, pem, file('example.com.crt'));
    }
    const key = await server.ask('GET /api/download?type=key', deployment.bearer);
    assertWhole(key, version, leaf.keyPem, pem, file('example.com.key'));
  });

  test('the three representations name one version and have entity tags of their own, always the same', async () => {
    const targets = ['/api/certificate', '/api/download', '/api/download?type=key'];
    const ask = () => Promise.all(targets.map((target) => server.ask(`GET ${target}`, deployment.bearer)));
    const [first, again] = [await ask(), await ask()];
    const of = (answers: Answer[], name: string) => answers.map(({ headers }) => headers.get(name));
    assert.deepEqual(new Set(of(first, 'certificate-version')), new Set([certificate.version]));
    assert.equal(new Set(of(first, 'etag')).size, 3);
    assert.deepEqual(of(first, 'etag'), of(again, 'etag'));
  });

  test('HEAD has every header of GET, its length too, and no body', async () => {
    for (const target of ['/api/certificate', '/api/download', '/api/download?type=key']) {
      const got = await server.ask(`GET ${target}`, deployment.bearer);
      const head = await server.ask(`HEAD ${target}`, deployment.bearer);
      assert.equal(head.text, got.text.slice(0, got.text.length - got.body.length), target);
      assert.equal(head.body, '');
    }
    const { clock } = world();
    for (const [target, code] of [
      ['/api/certificate', 'missing_token'],
      ['/api/unknown', 'route_not_found'],
    ] as const) {
      const whole = refusal(code, clock);
      assert.equal((await server.ask(`HEAD ${target}`)).text, whole.slice(0, whole.lastIndexOf('\n') + 1));
    }
  });

  test('If-None-Match with the tag of this representation is answered 304, without a body or its headers', async () => {
    for (const target of ['/api/certificate', '/api/download', '/api/download?type=key']) {
      const answer = await server.ask(`GET ${target}`, deployment.bearer);
      const tag = answer.headers.get('etag') ?? '';
      const unchanged = wire('304 Not Modified', common(answer, certificate.version), '');
      for (const value of [tag, `W/${tag}`, `"other", ${tag}`, `"a",W/${tag} , "b"`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const again = await server.ask(`${method} ${target}`, deployment.bearer, `If-None-Match: ${value}`);
          assert.equal(again.text, unchanged, `${method} ${target} ${value}`);
        }
      }
      const inLines = ['If-None-Match: "other"', `If-None-Match: ${tag}`];
      assert.equal((await server.ask(`GET ${target}`, deployment.bearer, ...inLines)).text, unchanged);
      for (const value of ['"other"', tag.slice(1, -1), tag.toLowerCase(), '', `${tag}x`]) {
        const whole = await server.ask(`GET ${target}`, deployment.bearer, `If-None-Match: ${value}`);
        assert.equal(whole.text, answer.text, value);
      }
    }
    const info = await server.ask('GET /api/certificate', deployment.bearer);
    const other = `If-None-Match: ${info.headers.get('etag')}`;
    assert.equal((await server.ask('GET /api/download', deployment.bearer, other)).status, 200);
  });

  test('304 comes after all checks', async () => {
    const { clock, application } = world();
    const { id, bearer } = await world().deploy(certificate.id);
    const tag = (await server.ask('GET /api/download', bearer)).headers.get('etag');
    const ask = (target: string, ...headers: string[]) =>
      server.ask(`GET ${target}`, `If-None-Match: ${tag}`, ...headers);
    assert.equal((await ask('/api/download', bearer)).status, 304);
    assert.equal((await ask('/api/download')).text, refusal('missing_token', clock));
    assert.equal((await ask('/api/download', 'X-API-Key: x')).text, refusal('invalid_token', clock));
    assert.equal((await ask('/api/download?type=x', bearer)).text, refusal('invalid_download_type', clock));
    assert.equal((await ask('/api/download?version=x', bearer)).text, refusal('certificate_not_found', clock));
    await application.deployments.update('test', id, { allow: ['192.0.2.1'] });
    assert.equal((await ask('/api/download', bearer)).text, refusal('address_not_allowed', clock));
    await application.deployments.update('test', id, { permitted: false });
    assert.equal((await ask('/api/download', bearer)).text, refusal('token_not_permitted', clock));
  });

  test('a new version changes every tag; the current and the former one are answered by their id, older ones not', async () => {
    const { clock } = world();
    const first = await world().importLeaf({ domains: ['renewed.example'] });
    const { bearer } = await world().deploy(first.id);
    const versions = [first];
    const ask = (query: string) => server.ask(`GET /api/download?type=key${query}`, bearer);
    const tags = new Set<string | undefined>([(await ask('')).headers.get('etag')]);
    for (const round of [2, 3]) {
      // Read while it is still the current one, so that memory holds it as such.
      await ask(`&version=${versions.at(-1)?.version}`);
      const next = await world().importLeaf({ domains: ['renewed.example'], onto: first.id });
      versions.push(next);
      const answer = await ask('');
      assertWhole(answer, next.version, next.leaf.keyPem, pem, file('renewed.example.key'));
      tags.add(answer.headers.get('etag'));
      assert.equal(tags.size, round);
      const former = versions.at(-2) ?? assert.fail();
      const pinned = await ask(`&version=${former.version}`);
      assertWhole(pinned, former.version, former.leaf.keyPem, pem, file('renewed.example.key'));
      assert.ok(tags.has(pinned.headers.get('etag')), 'the tag it had when it was the current one');
      const info = await server.ask(`GET /api/certificate?version=${former.version}`, bearer);
      assertWhole(info, former.version, infoBody(former.leaf, ['renewed.example'], '2026-05-30 12:00:00'), json);
      assert.equal((await ask(`&version=${next.version}`)).body, next.leaf.keyPem);
    }
    const [oldest, former, current] = versions.map(({ version }) => version);
    const unknown = [oldest, '', 'x', current?.toUpperCase(), `${current}&version=${current}`, certificate.version];
    unknown.push(`${former}&version=${current}`, `${current}%20`, `${current}&version=`, "'", '%00', '%F0%9F%92%A9');
    for (const version of unknown) {
      assert.equal((await ask(`&version=${version}`)).text, refusal('certificate_not_found', clock), `${version}`);
      const info = await server.ask(`GET /api/certificate?version=${version}`, bearer);
      assert.equal(info.text, refusal('certificate_not_found', clock), `${version}`);
    }
    assert.equal((await ask(`&version=${former}`)).status, 200);
  });

  test('a pair pinned by the version of its first half fits, although a renewal came in between', async () => {
    const first = await world().importLeaf({ domains: ['pair.example'] });
    const { bearer } = await world().deploy(first.id);
    const half = await server.ask('GET /api/download', bearer);
    const pin = half.headers.get('certificate-version');
    await world().importLeaf({ domains: ['pair.example'], onto: first.id });
    const other = await server.ask(`GET /api/download?type=key&version=${pin}`, bearer);
    assert.deepEqual([half.body, other.body], [first.leaf.chainPem, first.leaf.keyPem]);
    assert.equal(other.headers.get('certificate-version'), pin);
    assert.notEqual((await server.ask('GET /api/download?type=key', bearer)).body, first.leaf.keyPem);
  });

  test('a revoked former version is not found, and nobody falls back to a former one', async () => {
    const { clock, application } = world();
    const first = await world().importLeaf({ domains: ['revoked.example'] });
    const second = await world().importLeaf({ domains: ['revoked.example'], onto: first.id });
    const { bearer } = await world().deploy(first.id);
    const ask = (query = '') => server.ask(`GET /api/certificate${query}`, bearer);
    assert.equal((await ask(`?version=${first.version}`)).status, 200);
    await application.certificates.revoke('test', first.id, second.version);
    assert.equal((await ask()).text, refusal('certificate_not_found', clock));
    assert.equal((await ask(`?version=${first.version}`)).status, 200, 'asked for by its id it is still valid');
    await application.certificates.revoke('test', first.id, first.version);
    assert.equal((await ask(`?version=${first.version}`)).text, refusal('certificate_not_found', clock));
    const third = await world().importLeaf({ domains: ['revoked.example'], onto: first.id });
    assert.equal((await ask()).headers.get('certificate-version'), third.version);
    assert.equal((await ask(`?version=${second.version}`)).text, refusal('certificate_not_found', clock));
  });

  test('an expired certificate is still handed out', async () => {
    const short = await world().importLeaf({ domains: ['short.example'], notAfter: worldStart + 3_600_000 });
    const { bearer } = await world().deploy(short.id);
    world().clock.advance(2 * 3_600_000);
    const answer = await server.ask('GET /api/certificate', bearer);
    assertWhole(answer, short.version, infoBody(short.leaf, ['short.example'], '2026-03-01 13:00:00'), json);
  });

  test('expires_at is in the time zone of the instance, and so is the tag of the JSON alone', async () => {
    const shanghai = await world().serve({ WAXWING_TIME_ZONE: 'Asia/Shanghai' });
    const { leaf, version } = certificate;
    const answer = await shanghai.ask('GET /api/certificate', deployment.bearer);
    const body = infoBody(leaf, ['example.com', '*.example.com', '192.0.2.1'], '2026-05-30 20:00:00');
    assertWhole(answer, version, body, json);
    const tags = (one: TestServer) =>
      Promise.all(
        ['/api/certificate', '/api/download'].map(async (target) =>
          (await one.ask(`GET ${target}`, deployment.bearer)).headers.get('etag'),
        ),
      );
    const [[infoThere, fileThere], [infoHere, fileHere]] = [await tags(shanghai), await tags(server)];
    assert.notEqual(infoThere, infoHere);
    assert.equal(fileThere, fileHere);
  });

  test('a time zone with summer time, and midnight', async () => {
    const berlin = await world().serve({ WAXWING_TIME_ZONE: 'Europe/Berlin' });
    const expiries = [
      [Date.UTC(2026, 6, 1, 22, 0, 0), '2026-07-02 00:00:00'],
      [Date.UTC(2026, 11, 31, 23, 59, 59), '2027-01-01 00:59:59'],
    ] as const;
    for (const [notAfter, expected] of expiries) {
      const { id } = await world().importLeaf({ domains: ['zone.example'], notAfter });
      const { bearer } = await world().deploy(id);
      const { body } = await berlin.ask('GET /api/certificate', bearer);
      assert.equal(JSON.parse(body).data.certificate_info.expires_at, expected);
    }
  });

  test('the file is named after the first domain', async () => {
    const names: readonly [domains: string[], name: string][] = [
      [['*.example.com', 'example.com'], '_.example.com'],
      [['xn--bcher-kva.example'], 'xn--bcher-kva.example'],
      [['xn--fiqs8s', 'example.com'], 'xn--fiqs8s'],
      [['192.0.2.1', 'example.com'], '192.0.2.1'],
      [['2001:db8::1'], '2001_db8__1'],
      [['_acme.example_1.test'], '_acme.example_1.test'],
      [['UPPER.Example'], 'upper.example'],
    ];
    for (const [domains, name] of names) {
      const { id, version, leaf } = await world().importLeaf({ domains });
      const { bearer } = await world().deploy(id);
      const crt = await server.ask('GET /api/download', bearer);
      assertWhole(crt, version, leaf.chainPem, pem, file(`${name}.crt`));
      const key = await server.ask('GET /api/download?type=key', bearer);
      assertWhole(key, version, leaf.keyPem, pem, file(`${name}.key`));
      const { body } = await server.ask('GET /api/certificate', bearer);
      assert.deepEqual(
        JSON.parse(body).data.certificate_info.domains,
        domains.map((domain) => domain.toLowerCase()),
      );
    }
  });

  test('names that no certificate of ours can hold yet leave neither the folder nor the header', async () => {
    const { id, version, leaf } = await world().importLeaf({ domains: ['odd.example'] });
    const { bearer } = await world().deploy(id);
    const names: readonly [domain: string, name: string][] = [
      ['../../etc/passwd', '.._.._etc_passwd'],
      ['a"; filename="b', 'a___filename__b'],
      ['a\r\nSet-Cookie: x', 'a__Set-Cookie__x'],
      ['bücher.example', 'xn--bcher-kva.example'],
      ['*.中国', '_.xn--fiqs8s'],
    ];
    for (const [domain, name] of names) {
      await world().application.feed.write(async (trx, note) => {
        await trx
          .updateTable('certificate_version')
          .set({ domains: JSON.stringify([domain]) })
          .where('id', '=', version)
          .execute();
        note('certificate', id);
      });
      const answer = await server.ask('GET /api/download', bearer);
      assertWhole(answer, version, leaf.chainPem, pem, file(`${name}.crt`));
    }
  });

  test('the chain stands leaf first without its root, with LF only and one newline at the end', async () => {
    const { ca } = world();
    const inner = ca.intermediate();
    const innermost = inner.intermediate();
    const leaf = innermost.issue({ domains: ['chain.example'] });
    const parts = [ca, inner, innermost, leaf].map((each) => each.certificatePem);
    const shuffled = `some text\r\n${parts.join('between\r\n').replaceAll('\n', '\r\n')}\r\n\r\n`;
    const { id, version } = await world().importPem(shuffled, `\n\n${leaf.keyPem.replaceAll('\n', '\r\n')}`);
    const { bearer } = await world().deploy(id);
    const chain = [leaf, innermost, inner].map((each) => each.certificatePem).join('');
    const crt = await server.ask('GET /api/download', bearer);
    assertWhole(crt, version, chain, pem, file('chain.example.crt'));
    const key = await server.ask('GET /api/download?type=key', bearer);
    assertWhole(key, version, leaf.keyPem, pem, file('chain.example.key'));
    for (const text of [crt.body, key.body]) assert.match(text, /[^\n\r]\n$/);
    assert.doesNotMatch(crt.body + key.body, /\r|\n\n/);
  });

  test('a self-signed leaf is its own chain', async () => {
    const leaf = world().ca.selfSigned({ domains: ['self.example'] });
    const { id, version } = await world().importPem(leaf.certificatePem, leaf.keyPem);
    const { bearer } = await world().deploy(id);
    const answer = await server.ask('GET /api/download', bearer);
    assertWhole(answer, version, leaf.certificatePem, pem, file('self.example.crt'));
  });

  test('keys of every kind come as PKCS#8, and as PKCS#1 or SEC1 when imported so', async () => {
    const ca = makeTrialCa({ now: worldStart - day });
    const kinds = [
      ['rsa-2048', 'pkcs1', 'RSA PRIVATE KEY'],
      ['ec-p256', 'sec1', 'EC PRIVATE KEY'],
      ['ec-p384', 'sec1', 'EC PRIVATE KEY'],
      ['ed25519', undefined, undefined],
    ] as const;
    for (const [keyType, oldForm, oldLabel] of kinds) {
      const key = makeTrialKey(keyType);
      const leaf = ca.issue({ domains: ['kinds.example'], key });
      const texts = [[leaf.keyPem, 'PRIVATE KEY']];
      if (oldForm !== undefined) texts.push([key.export({ type: oldForm, format: 'pem' }).toString(), oldLabel]);
      for (const [text = '', label = ''] of texts) {
        assert.ok(text.startsWith(`-----BEGIN ${label}-----\n`));
        const { id, version } = await world().importPem(leaf.chainPem, text);
        const { bearer } = await world().deploy(id);
        const answer = await server.ask('GET /api/download?type=key', bearer);
        assertWhole(answer, version, text, pem, file('kinds.example.key'));
        const info = await server.ask('GET /api/certificate', bearer);
        assertWhole(info, version, infoBody({ ...leaf, keyPem: text }, ['kinds.example'], '2026-05-29 12:00:00'), json);
      }
    }
  });

  test('the absolute form of the target, HTTP/1.0 and a body nobody asked for change nothing', async () => {
    const { leaf } = certificate;
    const absolute = await server.ask('GET http://waxwing.example/api/download?type=key', deployment.bearer);
    assert.equal(absolute.body, leaf.keyPem);
    const old = parseAnswer(await server.send(`GET /api/download HTTP/1.0\r\n${deployment.bearer}\r\n\r\n`));
    assert.equal(old.body, leaf.chainPem);
    const withBody = await server.ask('GET /api/download', deployment.bearer, 'Content-Length: 0');
    assert.equal(withBody.body, leaf.chainPem);
    assert.equal((await server.ask('GET /%61pi/download?type=%6bey', deployment.bearer)).body, leaf.keyPem);
  });
});
