import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseTargetUrl } from './target-url.ts';

const runs = { numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 20_000 : 1_000, seed: 20_260_203 };

test('a URL is taken apart', () => {
  assert.deepEqual(target('https://example.com/a/b?token=x%2fy+z#part'), {
    origin: 'https://example.com:443',
    secure: true,
    host: 'example.com',
    address: undefined,
    port: 443,
    path: '/a/b',
    ownQuery: 'token=x%2fy+z',
  });
  const literal = target('http://[2606:4700::1]:8080');
  assert.equal(literal?.origin, 'http://[2606:4700::1]:8080');
  assert.equal(literal?.host, '2606:4700::1');
  assert.equal(literal?.address?.text, '2606:4700::1');
  assert.equal(literal?.path, '/');
  assert.equal(literal?.ownQuery, '');
});

test('spellings of one host are one host', () => {
  for (const text of [
    'HTTP://EXAMPLE.com',
    'http://example.com.',
    'http://ｅｘａｍｐｌｅ。com',
    ' http://ex%61mple.com:80/ ',
  ]) {
    assert.equal(target(text)?.origin, 'http://example.com:80', text);
  }
  assert.equal(target('https://bücher.example')?.host, 'xn--bcher-kva.example');
  assert.equal(target('https://例え.テスト/状态?名=值')?.path, '/%E7%8A%B6%E6%80%81');
  assert.equal(target('https://例え.テスト/状态?名=值')?.ownQuery, '%E5%90%8D=%E5%80%BC');
  assert.equal(target('http://0x8.8.2056')?.host, '8.8.8.8');
});

test('what is no URL of a target is refused for its reason', () => {
  const faults: Readonly<Record<string, readonly string[]>> = {
    malformed: [
      ...['', 'example.com', '/status', 'http://', 'http://a b/', 'http://[::1', 'http://1.2.3.256/', 'http://%00/'],
      ...['http://example.com:65536', 'http://example.com:-1', 'http://ex%40mple/', 'http://[fe80::1%25eth0]'],
      ...['\0http://example.com', 'http://example.com\0', 'http://exam\nple.com', 'http://example.com/\t'],
      `http://example.com/${'a'.repeat(2048)}`,
    ],
    scheme: ['ftp://example.com', 'javascript:alert(1)', 'file:///etc/passwd', 'ws://example.com', 'unix:/run/x.sock'],
    'user-info': [
      ...['http://user@example.com', 'http://user:word@example.com', 'http://:word@example.com', 'http://@example.com'],
      ...['http://example.com@127.0.0.1/', 'https://example.com:443@10.0.0.1', 'http:\\\\user@example.com'],
    ],
    port: ['http://example.com:0/', 'https://example.com:00000'],
    host: [
      'http://a..b/',
      'http://example.com../',
      'http://-a.example',
      `http://${'a'.repeat(64)}.example`,
      'http://a*b/',
    ],
  };
  for (const [code, texts] of Object.entries(faults)) {
    for (const text of texts) assert.equal(faultOf(text), code, text);
  }
});

test('user info is looked for in front of the path only', () => {
  assert.equal(faultOf('http://example.com/@user?mail=a@b'), undefined);
  assert.equal(faultOf('http://example.com?a@b'), undefined);
});

test('a URL that already has one of our parameters is refused', () => {
  const status = ['batch_id', 'mobile', 'status', 'memo'];
  const uplink = ['mobile', 'message'];
  for (const name of status) {
    assert.equal(faultOf(`http://example.com/?a=1&${name}=2`, status), 'parameter', name);
    assert.equal(faultOf(`http://example.com/?${name}`, status), 'parameter', name);
    assert.equal(faultOf(`http://example.com/?${name}`), undefined, name);
  }
  assert.equal(faultOf('http://example.com/?mo%62ile=1', status), 'parameter');
  assert.equal(faultOf('http://example.com/?mobile=1', uplink), 'parameter');
  assert.equal(faultOf('http://example.com/?message=1', uplink), 'parameter');
  assert.equal(faultOf('http://example.com/?message=1&status_x=2&x=mobile', status), undefined);
  assert.equal(faultOf('http://example.com/?status=1&memo=2&batch_id=3', uplink), undefined);
});

test('a fault never repeats the query', () => {
  const parsed = parseTargetUrl('ftp://example.com/?key=hunter2');
  assert.ok(!parsed.ok && !JSON.stringify(parsed).includes('hunter2'));
});

test('what is accepted is visible ASCII, and reads the same again', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), fc.string({ unit: 'binary', maxLength: 20 }), (url, tail) => {
      const first = target(url.includes('?') ? url + tail.replaceAll('#', '') : `${url}/${tail.replaceAll('#', '')}`);
      if (first === undefined) return;
      assert.match(`${first.origin}${first.path}?${first.ownQuery}`, /^[\x21-\x7e]*$/);
      assert.deepEqual(target(`${first.origin}${first.path}?${first.ownQuery}`), first);
    }),
    runs,
  );
});

function target(text: string) {
  const parsed = parseTargetUrl(text);
  return parsed.ok ? parsed.target : undefined;
}

function faultOf(text: string, ourParameters: readonly string[] = []) {
  const parsed = parseTargetUrl(text, ourParameters);
  return parsed.ok ? undefined : parsed.fault.code;
}
