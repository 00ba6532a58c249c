import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../runtime/problem.ts';
import { createReadiness, registerProbes } from './probes.ts';
import { selfSigned, withoutOpenssl } from './self-signed.testing.ts';
import { createHttpServer, replaceTls } from './server.ts';

const now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const clock = { now: () => now, monotonic: () => 0 };
const limits = { headerBytes: 16_384, connections: 100 };
const refusal = (message: string) => `{"status":"error","message":"${message}","timestamp":1767323045}`;

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

describe('the HTTP server', () => {
  const logged: { fields: Record<string, unknown>; message: string }[] = [];
  const note = (fields: object, message: string) => void logged.push({ fields: { ...fields }, message });
  let app: FastifyInstance;
  let ready: boolean | Error = true;
  let isExact = true;
  let release = () => {};
  let slowBegun = () => {};

  before(async () => {
    app = createHttpServer({
      log: { error: note, warn: note },
      clock,
      limits: { ...limits, headerBytes: 2_048, bodyBytes: 100 },
    });
    const lookAtDatabase = () => {
      if (ready instanceof Error) throw ready;
      return ready;
    };
    registerProbes(app, createReadiness({ needed: { database: lookAtDatabase }, wished: { clock: () => isExact } }));
    app.get('/api/certificate', (request, reply) => reply.send({ url: request.raw.url, raw: request.raw.rawHeaders }));
    app.get('/api/text', (_request, reply) => reply.header('etag', '"1"').type('text/plain').send('höhe'));
    app.get('/api/unchanged', (_request, reply) => reply.header('etag', '"1"').code(304).send());
    app.get('/api/fault', () => Promise.reject(new Error('secret detail')));
    app.get('/api/v1/fault', () => Promise.reject(new Error('secret detail')));
    app.get('/api/busy', () => Promise.reject(new Problem('service_unavailable', { retryAfterSeconds: 3 })));
    app.get('/api/field', () => Promise.reject(new Problem('invalid_parameter', { field: 'mobiles[3]\r\nX: 1' })));
    app.get('/api/401', () => Promise.reject(new Problem('missing_token')));
    app.get('/api/401/wrong', () => Promise.reject(new Problem('invalid_token')));
    app.get('/api/slow', (_request, reply) => {
      release = () => void reply.send({ slow: true });
      slowBegun();
      return reply;
    });
    app.post('/api/v1/things', (request, reply) => reply.send(request.body));
    app.get('/api/v1/things/:id', (request, reply) => reply.send(request.params));
    app.get('/console/*', (_request, reply) => reply.type('text/html').send('<html>'));
    await app.listen({ host: '127.0.0.1', port: 0 });
  });
  after(() => app.close());

  const send = (bytes: string) => exchange(app, bytes);
  const request = async (line: string, headers = '') =>
    only(await send(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`));

  test('an undecodable URL is a 400 in the envelope below /api, whether path or query, known path or not', async () => {
    for (const target of ['/api/certificate?key=%zz', '/api/%zz', '/api/nothing?a=%', '/api/certificate?%ff=1']) {
      for (const method of ['GET', 'DELETE', 'HEAD']) {
        const { status, headers, body } = await request(`${method} ${target}`);
        assert.equal(status, 400, `${method} ${target}`);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(headers.get('error-code'), 'invalid_request');
        assert.equal(headers.get('cache-control'), 'private, no-store');
        assert.equal(body, method === 'HEAD' ? '' : refusal('无效的请求'));
      }
    }
  });

  for (const line of ['GET /api/certificate', 'GET /api/certificate HTTP/0.9', 'GET /api/certificate HTTP/2.0']) {
    test(`${line}: a version that is not spoken here is a 400`, async () => {
      const { status, body } = only(await send(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`));
      assert.deepEqual([status, body], [400, refusal('无效的请求')]);
    });
  }

  test('names of headers are written as the interface spells them', async () => {
    for (const [target, names] of [
      ['GET /api/text', ['ETag', 'Content-Type', 'Content-Length']],
      ['GET /api/401', ['WWW-Authenticate', 'Error-Code', 'X-Content-Type-Options']],
      ['GET /api/busy', ['Retry-After', 'Cache-Control']],
      ['POST /api/certificate', ['Allow', 'Content-Type']],
      ['GET /api/%zz', ['Error-Code', 'Content-Length']],
      ['nonsense', ['Error-Code', 'Content-Type', 'Date', 'Connection']],
    ] as const) {
      const lines = (await exchangeRaw(app, `${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).split(
        '\r\n',
      );
      for (const name of names) {
        assert.equal(lines.filter((line) => line.startsWith(`${name}: `)).length, 1, `${target}: ${name}`);
      }
    }
  });

  test('an undecodable URL elsewhere is a 400 as problem+json', async () => {
    for (const target of ['/%zz', '/api/v1/%zz', '/console/x?y=%c3']) {
      const { status, headers, body } = await request(`GET ${target}`);
      assert.equal(status, 400);
      assert.equal(headers.get('content-type'), 'application/problem+json');
      assert.deepEqual(JSON.parse(body), {
        title: 'Bad Request',
        status: 400,
        detail: 'The request is not well-formed HTTP.',
        code: 'invalid_request',
      });
    }
  });

  test('a fragment, another form of target, no Host and two Hosts are 400', async () => {
    assert.equal((await request('GET /api/certificate#x')).status, 400);
    assert.equal((await request('OPTIONS *')).status, 400);
    const hostless = only(await send('GET /api/certificate HTTP/1.1\r\nConnection: close\r\n\r\n'));
    assert.deepEqual([hostless.status, hostless.body], [400, refusal('无效的请求')]);
    assert.equal((await request('GET /api/certificate', 'host: other\r\n')).status, 400);
    assert.equal(only(await send('GET /api/certificate HTTP/1.0\r\n\r\n')).status, 200);
  });

  test('a Host that no host can be called is a 400, and the connection lives on', async () => {
    const wrong = 'GET /api/certificate HTTP/1.1\r\nHost: a b/c\r\n\r\n';
    const answers = await send(`${wrong}GET /healthz HTTP/1.1\r\nHost: \t[::1]:80 \r\nConnection: close\r\n\r\n`);
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body]),
      [
        [400, refusal('无效的请求')],
        [200, '{"status":"ok"}'],
      ],
    );
  });

  const codings: Readonly<Record<string, string>> = {
    'a coding beside the chunks': 'HTTP/1.1\r\nTransfer-Encoding: gzip, chunked',
    'a coding on a line of its own': 'HTTP/1.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked',
    'chunks of HTTP/1.0': 'HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked',
  };
  for (const [what, head] of Object.entries(codings)) {
    test(`${what}: a 400 where it was sent, and the connection closed`, async () => {
      const body = 'Content-Type: application/json\r\n\r\nB\r\n{"count":1}\r\n0\r\n\r\n';
      const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
      const envelope = only(await send(`POST /api/nothing ${head}\r\nHost: x\r\n${body}${next}`));
      assert.deepEqual([envelope.status, envelope.body], [400, refusal('无效的请求')]);
      assert.deepEqual(
        [envelope.headers.get('connection'), envelope.headers.get('error-code')],
        ['close', 'invalid_request'],
      );
      const document = only(await send(`POST /api/v1/things ${head}\r\nHost: x\r\n${body}`));
      assert.deepEqual([document.status, JSON.parse(document.body).code], [400, 'invalid_request']);
    });
  }

  test('chunks of HTTP/1.1 are taken', async () => {
    const head = 'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n';
    const { body } = only(await send(`${head}Transfer-Encoding: Chunked\r\n\r\nB\r\n{"count":1}\r\n0\r\n\r\n`));
    assert.equal(body, '{"count":1}');
  });

  test('the absolute form of a target is read as its path and query', async () => {
    const { status, body } = await request('GET http://waxwing.example/api/certificate?a=1');
    assert.deepEqual([status, JSON.parse(body).url], [200, '/api/certificate?a=1']);
    assert.equal((await request('GET https://waxwing.example?a=1')).status, 404);
    const undecodable = await request('GET http://waxwing.example/api/%zz');
    assert.equal(undecodable.body, refusal('无效的请求'));
  });

  const unframed: Readonly<Record<string, string>> = {
    'no HTTP at all': 'hello\r\n\r\n',
    'an unknown method': 'FETCH /api/certificate HTTP/1.1\r\nHost: x\r\n\r\n',
    'a header without a colon': 'GET /api/certificate HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n',
    'two lengths': 'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    'a length beside chunks':
      'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'a space in the target': 'GET /api/certificate ?key=1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'headers too large': `GET /api/certificate HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(5_000)}\r\n\r\n`,
    'much data after too large headers': `GET /api/certificate HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(1_000_000)}\r\n\r\n`,
    'a TLS greeting on a plain port': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'a tunnel': 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
  };
  for (const [what, bytes] of Object.entries(unframed)) {
    test(`${what} is answered with one complete 400 envelope, and the connection closed`, async () => {
      const { status, headers, body } = only(await send(bytes));
      assert.equal(status, 400);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(headers.get('error-code'), 'invalid_request');
      assert.equal(headers.get('connection'), 'close');
      assert.equal(headers.get('date'), 'Fri, 02 Jan 2026 03:04:05 GMT');
      assert.equal(body, refusal('无效的请求'));
    });
  }

  test('a client that resets its tunnel or its garbage does no harm', async () => {
    for (const bytes of ['CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 'garbage\r\n\r\n']) {
      const closed = new Promise((resolve) => {
        app.server.once('connection', (accepted: Socket) => accepted.once('close', resolve));
      });
      const socket = connect({ host: '127.0.0.1', port: portOf(app), allowHalfOpen: true });
      socket.write(bytes);
      await once(socket, 'data');
      socket.resetAndDestroy();
      await closed;
      assert.equal((await request('GET /healthz')).status, 200);
    }
  });

  test('an offer of another protocol is not taken: the request is answered as any other, and so is the next', async () => {
    const offer = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n';
    const body = 'Content-Type: application/json\r\nContent-Length: 11\r\n\r\n{"count":1}';
    const socket = connect({ host: '127.0.0.1', port: portOf(app) });
    for (const [bytes, answer] of [
      [`GET /healthz HTTP/1.1\r\n${offer}\r\n`, '{"status":"ok"}'],
      [`POST /api/v1/things HTTP/1.1\r\n${offer}${body}`, '{"count":1}'],
      ['GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', '{"status":"ok"}'],
    ]) {
      socket.write(bytes ?? '');
      const [answered] = (await once(socket, 'data')) as [Buffer];
      assert.deepEqual(
        parseAnswers(answered).map(({ status, body: received }) => [status, received]),
        [[200, answer]],
      );
    }
    socket.destroy();
  });

  test('a protocol that is named but not offered for this connection changes nothing', async () => {
    const answers = await send(
      'GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\n\r\n' +
        'GET /api/text HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    assert.deepEqual(
      answers.map(({ body }) => body),
      ['{"status":"ok"}', 'höhe'],
    );
  });

  test('an expectation that is not 100-continue is a 400', async () => {
    const { status, body } = await request('GET /api/certificate', 'Expect: miracles\r\n');
    assert.deepEqual([status, body], [400, refusal('无效的请求')]);
  });

  test('garbage behind a request that is being answered is refused, and the connection ends', async () => {
    logged.length = 0;
    const begun = new Promise<void>((resolve) => {
      slowBegun = resolve;
    });
    const exchanged = send('GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\ngarbage\r\n\r\n');
    await begun;
    const { status, body } = only(await exchanged);
    release();
    assert.deepEqual([status, body], [400, refusal('无效的请求')]);
    assert.equal((await request('GET /healthz')).status, 200);
    assert.deepEqual(logged, []);
  });

  const brokenOff: Readonly<Record<string, string>> = {
    'a body that breaks off': 'Content-Length: 100\r\n\r\n{"count":',
    'a chunk that is none': 'Transfer-Encoding: chunked\r\n\r\nZZ\r\n',
    'a chunk that breaks off': 'Transfer-Encoding: chunked\r\n\r\nA\r\n{',
  };
  for (const [what, rest] of Object.entries(brokenOff)) {
    test(`${what} is answered 400, the connection closed, and nothing logged`, async () => {
      logged.length = 0;
      const head = 'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
      const socket = connect({ host: '127.0.0.1', port: portOf(app), allowHalfOpen: true });
      const { status, body } = only(await read(socket, head + rest, (sent) => sent.end()));
      assert.deepEqual([status, body], [400, refusal('无效的请求')]);
      assert.equal((await request('GET /healthz')).status, 200);
      assert.deepEqual(logged, []);
    });
  }

  test('a client that closes its side behind a request gets its answer', async () => {
    const begun = new Promise<void>((resolve) => {
      slowBegun = resolve;
    });
    const socket = connect({ host: '127.0.0.1', port: portOf(app), allowHalfOpen: true });
    const accepted = new Promise<Socket>((resolve) => app.server.once('connection', resolve));
    const answers = read(socket, 'GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n', (sent) => sent.end());
    await begun;
    const served = await accepted;
    if (!served.readableEnded) await once(served, 'end');
    release();
    assert.equal(only(await answers).body, '{"slow":true}');
  });

  test('an unknown path is a 404, in the envelope below /api and as problem+json elsewhere', async () => {
    for (const target of ['/api/nothing', '/api', '/api/', '/api/certificate/', '/api/Certificate', '/api/v10']) {
      const { status, headers, body } = await request(`GET ${target}`);
      assert.deepEqual([target, status, body], [target, 404, refusal('接口不存在')]);
      assert.equal(headers.get('error-code'), 'route_not_found');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    for (const target of ['/', '//api/certificate', '/API/certificate', '/apis', '/api/v1', '/api/v1/nothing']) {
      const { status, headers, body } = await request(`GET ${target}`);
      assert.deepEqual([target, status], [target, 404]);
      assert.equal(headers.get('content-type'), 'application/problem+json');
      assert.equal(JSON.parse(body).code, 'route_not_found');
    }
  });

  test('an unknown path is a 404 whatever body comes with it', async () => {
    const body = 'Content-Type: application/xml\r\nContent-Length: 3\r\n\r\n<a>';
    for (const method of ['POST', 'PUT', 'QUERY']) {
      const answers = await send(`${method} /api/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${body}`);
      assert.equal(only(answers).status, 404);
    }
  });

  test('a known path with another method is a 405 that names the methods it has', async () => {
    const cases = [
      ['POST /api/certificate', 'GET, HEAD'],
      ['OPTIONS /api/certificate?key=x', 'GET, HEAD'],
      ['DELETE /%61pi/certificate', 'GET, HEAD'],
      ['PROPFIND /healthz', 'GET, HEAD'],
      ['GET /api/v1/things', 'POST'],
      ['PUT /api/v1/things/7', 'GET, HEAD'],
      ['POST /console/deep/page', 'GET, HEAD'],
    ] as const;
    for (const [line, allow] of cases) {
      const { status, headers } = await request(line);
      assert.deepEqual([line, status, headers.get('allow')], [line, 405, allow]);
      assert.equal(headers.get('error-code'), 'method_not_allowed');
    }
    assert.equal((await request('POST /api/certificate')).body, refusal('不支持的请求方法'));
    assert.equal((await request('PUT /api/v1/things/')).status, 404, 'an empty segment is no id');
  });

  test('a 405 does not wait for, nor complain about, the body', async () => {
    const bytes = 'POST /api/certificate HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: a/b\r\n';
    assert.equal(only(await send(`${bytes}Content-Length: 2\r\n\r\n{}`)).status, 405);
    assert.equal(only(await send(`${bytes}Content-Length: 100000\r\n\r\n`)).status, 405);
  });

  test('HEAD answers with the headers of GET, its length included, and no body', async () => {
    for (const target of ['/api/text', '/api/fault', '/api/nothing', '/healthz']) {
      const got = await request(`GET ${target}`);
      const head = await request(`HEAD ${target}`);
      assert.equal(head.status, got.status);
      assert.equal(head.body, '');
      assert.equal(got.headers.get('content-length'), `${Buffer.byteLength(got.body)}`);
      assert.deepEqual(withoutDate(head), withoutDate(got), target);
    }
  });

  test('a 304 states no length, for GET nor HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await request(`${method} /api/unchanged`);
      assert.deepEqual([status, headers.get('content-length'), headers.get('etag')], [304, undefined, '"1"']);
    }
  });

  test('repeated headers reach the handler, all of them, however many', async () => {
    const filler = 'a:\r\n'.repeat(300);
    const { body } = await request('GET /api/certificate', `Authorization: 1\r\n${filler}authorization: 2\r\n`);
    const raw: string[] = JSON.parse(body).raw;
    assert.deepEqual(
      raw.filter((_, index) => raw[index - 1]?.toLowerCase() === 'authorization'),
      ['1', '2'],
    );
    const many = createHttpServer({ log: { error: note, warn: note }, clock, limits });
    many.get('/count', (inner, reply) => reply.send(`${inner.raw.rawHeaders.length / 2}`));
    await many.listen({ host: '127.0.0.1', port: 0 });
    try {
      const bytes = `GET /count HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(3_000)}Connection: close\r\n\r\n`;
      assert.equal(only(await exchange(many, bytes)).body, '3002');
    } finally {
      await many.close();
    }
  });

  test('an unexpected fault is a 500 without detail, and its cause is logged without the query', async () => {
    logged.length = 0;
    const envelope = await request('GET /api/fault?key=wxd_secret');
    assert.deepEqual([envelope.status, envelope.body], [500, refusal('服务器内部错误')]);
    const document = await request('GET /api/v1/fault');
    assert.equal(JSON.parse(document.body).detail, 'An unexpected fault. Its cause is in the log.');
    assert.doesNotMatch(document.body, /secret detail/);
    assert.equal(logged.length, 2);
    assert.equal(logged[0]?.fields.path, '/api/fault');
    assert.match(String(logged[0]?.fields.err), /secret detail/);
    assert.doesNotMatch(JSON.stringify(logged), /wxd_secret/);
  });

  test('errors carry the headers that belong to them', async () => {
    assert.equal((await request('GET /api/busy')).headers.get('retry-after'), '3');
    assert.equal((await request('GET /api/401')).headers.get('www-authenticate'), 'Bearer');
    const wrong = await request('GET /api/401/wrong');
    assert.equal(wrong.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    assert.equal(wrong.body, refusal('无效的API密钥'));
    const field = await request('GET /api/field');
    assert.equal(field.headers.get('error-field'), 'mobiles[3]??X:?1');
  });

  test('a body that is no JSON or too large is refused', async () => {
    const post = async (body: string) => {
      const head = 'POST /api/v1/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n';
      return only(await send(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`));
    };
    assert.equal((await post('{"count":1}')).status, 200);
    const cases = [
      ['{"count":', 'invalid_request'],
      [`{"count":1${' '.repeat(200)}}`, 'body_too_large'],
    ] as const;
    for (const [body, code] of cases) {
      const { status, headers } = await post(body);
      assert.deepEqual([body, status, headers.get('error-code')], [body, code === 'body_too_large' ? 413 : 400, code]);
    }
  });

  test('the probes tell life from readiness', async () => {
    const health = await request('GET /healthz');
    assert.deepEqual(
      [health.status, health.body, health.headers.get('cache-control')],
      [200, '{"status":"ok"}', 'no-store'],
    );
    const answered = async () => {
      const { status, body } = await request('GET /readyz');
      return [status, body];
    };
    assert.deepEqual(await answered(), [200, '{"status":"ready"}']);
    isExact = false;
    assert.deepEqual(await answered(), [200, '{"status":"ready","warnings":["clock"]}'], 'it serves all the same');
    isExact = true;
    for (const down of [false, new Error('database is gone')]) {
      ready = down;
      assert.deepEqual(await answered(), [503, '{"status":"unavailable","reasons":["database"]}']);
    }
    ready = true;
  });
});

test('a request whose headers do not arrive in time is answered 400 and closed', async () => {
  const impatient = { ...limits, headersMs: 50, requestMs: 50, checkMs: 20 };
  const app = createHttpServer({ log: { error: () => {}, warn: () => {} }, clock, limits: impatient });
  await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const { status, body } = only(await exchange(app, 'GET /api/certificate HTTP/1.1\r\nHost: x\r\n'));
    assert.deepEqual([status, body], [400, refusal('无效的请求')]);
  } finally {
    await app.close();
  }
});

for (const [what, tls] of Object.entries({ 'over TCP': undefined, 'over TLS': 'idle' })) {
  const skip = tls === undefined ? false : withoutOpenssl;
  test(`a connection on which nothing has come is closed without an answer when its time is up, ${what}`, {
    skip,
  }, async () => {
    const impatient = { ...limits, headersMs: 50, requestMs: 50, checkMs: 20 };
    const log = { error: () => {}, warn: () => {} };
    const app = createHttpServer({
      ...{ log, clock, limits: impatient },
      ...(tls !== undefined && { tls: selfSigned(tls) }),
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const at = { host: '127.0.0.1', port: portOf(app) };
      const silent = tls === undefined ? connect(at) : connectTls({ ...at, rejectUnauthorized: false });
      assert.equal(await received(silent), '');
      const begun = tls === undefined ? connect(at) : connectTls({ ...at, rejectUnauthorized: false });
      assert.deepEqual(
        (await read(begun, 'G')).map(({ status }) => status),
        [400],
      );
    } finally {
      await app.close();
    }
  });
}

test('a connection is closed without a word between two requests, and answered where the second one has begun', async () => {
  const impatient = { ...limits, headersMs: 50, requestMs: 50, idleMs: 200, checkMs: 20 };
  const app = createHttpServer({ log: { error: () => {}, warn: () => {} }, clock, limits: impatient });
  registerProbes(app, createReadiness({ needed: {} }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const whole = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    assert.deepEqual(
      (await exchange(app, whole)).map(({ status }) => status),
      [200],
    );
    assert.deepEqual(
      (await exchange(app, `${whole}GET`)).map(({ status }) => status),
      [200, 400],
    );
  } finally {
    await app.close();
  }
});

test('a body that does not arrive in time is answered 400 and closed, however it trickles', async () => {
  const impatient = { ...limits, headersMs: 50, requestMs: 50, checkMs: 20 };
  const app = createHttpServer({ log: { error: () => {}, warn: () => {} }, clock, limits: impatient });
  app.post('/api/messages', (request) => request.body);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const socket = connect({ host: '127.0.0.1', port: portOf(app) });
  const trickle = setInterval(() => socket.write(' '), 5);
  try {
    const head =
      'POST /api/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
    const { status, body } = only(await read(socket, head));
    assert.deepEqual([status, body], [400, refusal('无效的请求')]);
  } finally {
    clearInterval(trickle);
    await app.close();
  }
});

test('over TLS the certificate can be replaced while serving', { skip: withoutOpenssl }, async () => {
  const log = { error: () => {}, warn: () => {} };
  const app = createHttpServer({ log, clock, limits, tls: selfSigned('first') });
  try {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const servedName = async () => {
      const socket = connectTls({ port: portOf(app), host: '127.0.0.1', rejectUnauthorized: false });
      await new Promise((resolve) => socket.once('secureConnect', resolve));
      const name = socket.getPeerCertificate().subject.CN;
      socket.destroy();
      return name;
    };
    assert.equal(await servedName(), 'first');
    replaceTls(app, selfSigned('second'));
    assert.equal(await servedName(), 'second');
    assert.throws(() => replaceTls(app, { cert: 'no', key: 'no' }));
  } finally {
    await app.close();
  }
  const plain = createHttpServer({ log, clock, limits });
  assert.throws(() => replaceTls(plain, { cert: '', key: '' }), TypeError);
  await plain.close();
});

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

/** Sends bytes as they are and reads until the server closes. */
function exchange(app: FastifyInstance, bytes: string): Promise<Answer[]> {
  return read(connect({ host: '127.0.0.1', port: portOf(app) }), bytes);
}

async function exchangeRaw(app: FastifyInstance, bytes: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: portOf(app) });
  socket.write(bytes);
  return received(socket);
}

async function read(socket: Socket, bytes: string, sent = (_socket: Socket) => {}): Promise<Answer[]> {
  const answers = received(socket);
  socket.write(Buffer.from(bytes, 'latin1'));
  sent(socket);
  return parseAnswers(Buffer.from(await answers, 'latin1'));
}

/** All that comes until the server closes. */
async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve, reject) => {
    socket.once('end', resolve);
    socket.once('error', reject);
  });
  socket.destroy();
  return Buffer.concat(chunks).toString('latin1');
}

function parseAnswers(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    assert.notEqual(end, -1, `no complete answer: ${rest.toString()}`);
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.split(': ')[1] ?? '']),
    );
    const content = rest.subarray(end + 4);
    const length = Math.min(Number(headers.get('content-length') ?? 0), content.length);
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body: content.subarray(0, length).toString() });
    rest = content.subarray(length);
  }
  return answers;
}

function only(answers: readonly Answer[]): Answer {
  assert.equal(answers.length, 1);
  return answers[0] as Answer;
}

function withoutDate(answer: Answer): [string, string][] {
  return [...answer.headers].filter(([name]) => name !== 'date');
}
