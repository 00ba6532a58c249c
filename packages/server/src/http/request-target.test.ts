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

test('a path is decoded where it can be, and never shows the query', () => {
  assert.equal(pathOf('/%61pi/x?key=secret'), '/api/x');
  assert.equal(pathOf('/api/%zz?key=secret'), '/api/%zz');
  assert.equal(pathOf('http://host/api%2Fx?key=secret'), '/api%2Fx');
});
