import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAllowedMethods } from './allowed-methods.ts';

test('the methods of a path are those of every pattern it matches', () => {
  const allowed = createAllowedMethods();
  allowed.add('/things', ['POST', 'GET']);
  allowed.add('/things', ['HEAD']);
  allowed.add('/things/:id', ['GET']);
  allowed.add('/things/export', ['POST']);
  allowed.add('/files/*', ['PUT']);
  assert.deepEqual(allowed.at('/things'), ['GET', 'HEAD', 'POST']);
  assert.deepEqual(allowed.at('/things/1'), ['GET']);
  assert.deepEqual(allowed.at('/things/export'), ['GET', 'POST']);
  assert.deepEqual(allowed.at('/files/a/b'), ['PUT']);
  for (const path of ['/', '', '/thing', '/things/', '/things/1/2', '/files', '//things', 'things']) {
    assert.deepEqual(allowed.at(path), [], path);
  }
});
