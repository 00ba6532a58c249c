import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../runtime/clock.ts';
import { noncePlace, readConsoleFiles } from './console-files.ts';
import { registerConsole } from './console-routes.ts';
import { createHttpServer } from './server.ts';

const script = 'console.log(1);'.repeat(20);

function serve(context: TestContext, baseUrl = 'https://waxwing.example') {
  const folder = mkdtempSync(join(tmpdir(), 'waxwing-console-'));
  context.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), `<meta nonce="${noncePlace}"><style nonce="${noncePlace}"></style>`);
  writeFileSync(join(folder, 'mark.svg'), '<svg/>');
  for (const [ending, text] of [
    ['', script],
    ['.br', 'as brotli'],
    ['.gz', 'as gzip'],
  ] as const) {
    writeFileSync(join(folder, `assets/main-0aB_-xyz.js${ending}`), text);
  }
  const files = readConsoleFiles(folder);
  assert.ok(files);
  const log = { error() {}, warn() {} };
  const app = createHttpServer({ log, clock: systemClock, limits: { headerBytes: 16_384, connections: 10 } });
  context.after(() => app.close());
  registerConsole(app, files, baseUrl);
  return app;
}

test('a folder without a built console has no files', () => {
  assert.equal(readConsoleFiles('/nowhere/at/all'), undefined);
});

test('the root and the bare name lead to the console', async (context) => {
  const app = serve(context);
  for (const url of ['/', '/console']) {
    const { statusCode, headers } = await app.inject(url);
    assert.equal(statusCode, 302);
    assert.equal(headers.location, '/console/');
  }
});

test('every path of the console gets the page, with a nonce of its own that its policy names', async (context) => {
  const app = serve(context);
  const nonces = new Set<string>();
  for (const url of ['/console/', '/console/o/1/certificates?search=a.example', '/console/%E4%B8%AD']) {
    const { statusCode, headers, body } = await app.inject(url);
    assert.equal(statusCode, 200);
    assert.equal(headers['cache-control'], 'no-store');
    const [, nonce = ''] = /style-src 'self' 'nonce-([^']+)'/.exec(String(headers['content-security-policy'])) ?? [];
    assert.equal(body, `<meta nonce="${nonce}"><style nonce="${nonce}"></style>`);
    nonces.add(nonce);
  }
  assert.equal(nonces.size, 3);
});

test('the policy admits no inline script, no foreign host and no frame', async (context) => {
  const policy = String((await serve(context).inject('/console/')).headers['content-security-policy']);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.match(policy, /frame-ancestors 'none'/);
});

test('a file with a hash in its name is kept for ever, another one is asked for again', async (context) => {
  const app = serve(context);
  const hashed = await app.inject('/console/assets/main-0aB_-xyz.js');
  assert.equal(hashed.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(hashed.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal(hashed.body, script);
  const mark = await app.inject('/console/mark.svg');
  assert.equal(mark.headers['cache-control'], 'no-cache');
  assert.equal(mark.headers['content-type'], 'image/svg+xml');
});

const codings: readonly [accepted: string, coding: string | undefined, body: string][] = [
  ['gzip, deflate, br', 'br', 'as brotli'],
  ['gzip', 'gzip', 'as gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip', 'as gzip'],
  ['br;q=0.000, gzip; q=0', undefined, script],
  ['identity', undefined, script],
];

for (const [accepted, coding, body] of codings) {
  test(`who accepts ${accepted} gets ${coding ?? 'it as it is'}, under a tag of its own`, async (context) => {
    const app = serve(context);
    const url = '/console/assets/main-0aB_-xyz.js';
    const answer = await app.inject({ url, headers: { 'accept-encoding': accepted } });
    assert.equal(answer.headers['content-encoding'], coding);
    assert.equal(answer.headers.vary, 'accept-encoding');
    assert.equal(answer.body, body);
    const tag = String(answer.headers.etag);
    const again = await app.inject({ url, headers: { 'accept-encoding': accepted, 'if-none-match': `"x", W/${tag}` } });
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, '');
    const other = await app.inject({ url, headers: { 'accept-encoding': accepted, 'if-none-match': '"x"' } });
    assert.equal(other.statusCode, 200);
  });
}

for (const url of ['/console/assets/gone-12345678.js', '/console/gone.png', '/console/assets/', '/console/../x.js']) {
  test(`${url} is not found`, async (context) => {
    const { statusCode, headers } = await serve(context).inject(url);
    assert.equal(statusCode, 404);
    assert.equal(headers['content-type'], 'application/problem+json');
  });
}

test('only reading is allowed', async (context) => {
  const { statusCode, headers } = await serve(context).inject({ method: 'POST', url: '/console/' });
  assert.equal(statusCode, 405);
  assert.equal(headers.allow, 'GET, HEAD');
});
