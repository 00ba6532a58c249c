import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonName } from './common-name.ts';

const names: readonly [name: string, shown: string][] = [
  ["CN=R11,O=Let's Encrypt,C=US", 'R11'],
  ['O=Acme,CN=Acme\\, Inc.,C=DE', 'Acme, Inc.'],
  ['O=No Common Name', 'O=No Common Name'],
  ['CN=中文 CA,C=CN', '中文 CA'],
  ['', ''],
];

for (const [name, shown] of names) {
  test(`${name || 'nothing'} is shown as ${shown || 'nothing'}`, () => {
    assert.equal(commonName(name), shown);
  });
}
