import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOf } from './node-identity.ts';

test('a server keeps its name when the machine starts anew, and shows that of the machine', () => {
  const own = { server: 'hub-1.example-0a1b2c3d', host: 'hub-1.example' };
  assert.deepEqual(serverOf('hub-1.example-0a1b2c3d.99999999'), own);
  assert.deepEqual(serverOf('hub-1.example-0a1b2c3d.aaaaaaaa'), own);
  assert.deepEqual(serverOf('hub-1.example-0a1b2c3d'), own);
});
