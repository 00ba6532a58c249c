import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { readCredential } from './credential.ts';

/** `bearer a`, `api-key a`, `query a`, `ambiguous` or `none`. */
function read(headers: readonly string[], ...keys: string[]): string {
  const raw = headers.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]);
  const credential = readCredential(raw, keys);
  return credential.kind === 'token' ? `${credential.source} ${credential.token.reveal()}` : credential.kind;
}

describe('the credential of a request', () => {
  test('is taken in each of the three ways', () => {
    assert.equal(read(['Authorization: Bearer a']), 'bearer a');
    assert.equal(read(['X-API-Key: a']), 'api-key a');
    assert.equal(read([], 'a'), 'query a');
    assert.equal(read(['Host: x', 'Accept: */*']), 'none');
  });

  test('is the first one present and not empty', () => {
    assert.equal(read(['X-API-Key: b', 'Authorization: Bearer a'], 'c'), 'bearer a');
    assert.equal(read(['X-API-Key: b'], 'c'), 'api-key b');
    for (const empty of ['Authorization:', 'Authorization: ', 'Authorization: Bearer', 'authorization: bearer  \t']) {
      assert.equal(read([empty, 'X-API-Key: b'], 'c'), 'api-key b', empty);
      assert.equal(read([empty, 'X-API-Key:'], 'c'), 'query c', empty);
      assert.equal(read([empty, 'X-API-Key: \t'], ''), 'none', empty);
    }
  });

  test('is decided alone by the first one, even when a later one is ambiguous', () => {
    assert.equal(read(['Authorization: Bearer a', 'X-API-Key: b', 'X-API-Key: c'], 'd', 'e'), 'bearer a');
    assert.equal(read(['X-API-Key: b'], 'd', 'e'), 'api-key b');
  });

  test('names the scheme in any case, with any blanks', () => {
    for (const line of ['bearer a', 'BEARER a', 'bEaReR   a', 'Bearer\ta', '\t Bearer a \t']) {
      assert.equal(read([`authorization: ${line}`]), 'bearer a', line);
    }
    assert.equal(read(['AUTHORIZATION: Bearer a b']), 'bearer a b', 'a blank inside belongs to the (wrong) token');
    assert.equal(read(['Authorization: Bearer a, Bearer b']), 'bearer a, Bearer b');
  });

  test('passes over other schemes', () => {
    for (const line of ['Basic dXNlcjpwYXNz', 'Bearera', 'Bearer:a', 'a', 'Digest username="Bearer a"']) {
      assert.equal(read([`Authorization: ${line}`]), 'none', line);
      assert.equal(read([`Authorization: ${line}`, 'X-API-Key: b']), 'api-key b', line);
    }
    assert.equal(read(['Authorization: Basic a', 'Authorization: Digest b'], 'c'), 'query c');
  });

  test('is ambiguous when a header comes twice with different values', () => {
    assert.equal(read(['Authorization: Bearer a', 'authorization: Bearer b']), 'ambiguous');
    assert.equal(read(['Authorization: Bearer a', 'Authorization: Bearer A']), 'ambiguous');
    assert.equal(read(['Authorization: Basic x', 'Authorization: Bearer a']), 'ambiguous');
    assert.equal(read(['Authorization: Bearer a', 'Authorization: Bearer b', 'X-API-Key: c'], 'd'), 'ambiguous');
    assert.equal(read(['X-API-Key: a', 'x-api-key: b'], 'c'), 'ambiguous');
  });

  test('is one credential when a header comes twice with the same one, or once empty', () => {
    assert.equal(read(['Authorization: Bearer a', 'Authorization: bearer  a']), 'bearer a');
    assert.equal(read(['X-API-Key: a', 'X-API-Key: a']), 'api-key a');
    assert.equal(read(['X-API-Key:', 'X-API-Key: a', 'X-API-Key: ']), 'api-key a');
    assert.equal(read(['Authorization:', 'Authorization: Bearer', 'Authorization: Bearer a']), 'bearer a');
  });

  test('is ambiguous when the parameter comes twice, even with the same value, unless all are empty', () => {
    assert.equal(read([], 'a', 'b'), 'ambiguous');
    assert.equal(read([], 'a', 'a'), 'ambiguous');
    assert.equal(read([], '', 'a'), 'ambiguous');
    assert.equal(read([], '', ''), 'none');
  });

  test('is taken from the query exactly as decoded', () => {
    assert.equal(read([], ' a '), 'query  a ');
    assert.equal(read([], ' '), 'query  ');
  });

  test('shows stars wherever it is printed', () => {
    const credential = readCredential(['X-API-Key', 'wxd_secret'], []);
    for (const shown of [inspect(credential, { depth: 9, showHidden: true }), JSON.stringify(credential)]) {
      assert.match(shown, /\*\*\*/);
      assert.doesNotMatch(shown, /wxd_secret/);
    }
  });
});
