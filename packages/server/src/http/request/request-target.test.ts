import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, requestTarget } from './request-target.ts';

const target = (url: string, rawHeaders = ['Host', 'x'], httpVersion = '1.1') =>
  requestTarget({ url, rawHeaders, httpVersion });

test('origin-form stays, absolute-form loses its origin', () => {
  assert.equal(target('/a?b=http://c'), '/a?b=http://c');
  assert.equal(target('//a/b'), '//a/b');
  assert.equal(target('HTTP://host:80/a?b'), '/a?b');
  assert.equal(target('https://user@host?b'), '/?b');
  assert.equal(target('http://host'), '/');
});

test('what cannot be understood has no target', () => {
  for (const url of ['', '*', 'host:443', 'ftp://host/', 'http:///a', 'a', '/a#b', '/a?b#c', '/%', '/?%f0%9f']) {
    assert.equal(target(url), undefined, url);
  }
});

test('exactly one Host is wanted, except by HTTP/1.0', () => {
  assert.equal(target('/', ['Accept', 'host']), undefined);
  assert.equal(target('/', ['HOST', 'a', 'host', 'a']), undefined);
  assert.equal(target('/', [], '1.0'), '/');
  assert.equal(target('/', ['Host', 'a', 'Host', 'b'], '1.0'), undefined);
});

test('another version than 1.0 and 1.1 is none', () => {
  for (const version of ['0.9', '1.2', '2.0']) assert.equal(target('/', ['Host', 'x'], version), undefined, version);
});

test('a Host that no host can be called is none', () => {
  const hosts = [
    '',
    'x',
    'x:',
    'x:8080',
    ':80',
    'a_b.example',
    '%61.example',
    "!$&'()*+,;=~-._",
    '127.0.0.1:1',
    '[::1]',
  ];
  for (const host of [...hosts, '[2001:db8::1]:443', '[fe80::1%25eth0]', '[v1.x]']) {
    assert.equal(target('/', ['Host', host]), '/', host);
  }
  const wrong = [
    'a b/c',
    'a/b',
    'a?b',
    'a#b',
    'u@a',
    'a:b',
    'a:1:2',
    '::1',
    '[::1',
    '[]',
    '[::1]x',
    'a,b c',
    '%6',
    'h\u00f6st',
  ];
  for (const host of [...wrong, '"a"', '<a>', 'a\\b', 'a|b', '{a}']) {
    assert.equal(target('/', ['Host', host]), undefined, host);
    assert.equal(target('/', ['Host', host], '1.0'), undefined, host);
  }
});

test('a long Host takes no longer than it is long', () => {
  for (const text of ['a', '%41', '1:', '[:', 'a.']) {
    const [short, long] = [100_000, 1_000_000].map((times) =>
      leastMs(() => target('/', ['Host', `${text.repeat(times)} `])),
    );
    // Ten times as long takes ten times the work. Work in the square of the length would be a hundred times as much.
    assert.ok((long ?? 0) < 30 * Math.max(short ?? 0, 1), `${text}: ${short} ms, and ${long} ms for ten times as much`);
  }
});

/** The least of several runs, in milliseconds: other work on the machine adds to some of them. */
function leastMs(work: () => unknown): number {
  const runs = Array.from({ length: 5 }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return Math.min(...runs);
}

test('chunks are taken as they are and by HTTP/1.1 alone', () => {
  const chunked = (coding: string, version = '1.1') =>
    target('/', ['Transfer-Encoding', coding, 'Host', 'x'], version) === '/';
  assert.ok(chunked('chunked'));
  assert.ok(chunked('Chunked'));
  for (const coding of ['gzip, chunked', 'chunked, gzip', 'gzip', 'identity', ', chunked', 'xchunked', '']) {
    assert.equal(chunked(coding), false, coding);
  }
  assert.equal(chunked('chunked', '1.0'), false);
  assert.equal(target('/', ['Host', 'x', 'transfer-encoding', 'gzip', 'TRANSFER-ENCODING', 'chunked']), undefined);
  assert.equal(target('/', ['Host', 'x', 'x-forwarded-proto', 'https', 'if-modified-since', 'x']), '/');
});

test('a path is decoded where it can be, and never shows the query', () => {
  assert.equal(pathOf('/%61pi/x?key=secret'), '/api/x');
  assert.equal(pathOf('/api/%zz?key=secret'), '/api/%zz');
  assert.equal(pathOf('http://host/api%2Fx?key=secret'), '/api%2Fx');
});
