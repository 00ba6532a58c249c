import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import {
  accountKeyKinds,
  dnsProofValue,
  exportAccountKey,
  generateAccountKey,
  importAccountKey,
  keyAuthorization,
  publicJwk,
} from './account-key.ts';

test('a key comes back from its sealed form', async () => {
  for (const kind of accountKeyKinds) {
    const key = await generateAccountKey(kind);
    assert.ok(importAccountKey(new Uint8Array(exportAccountKey(key))).equals(key), kind);
  }
});

test('requests carry the public half alone', async () => {
  assert.deepEqual(Object.keys(publicJwk(await generateAccountKey('ec256'))).sort(), ['crv', 'kty', 'x', 'y']);
  assert.deepEqual(Object.keys(publicJwk(await generateAccountKey('rsa2048'))).sort(), ['e', 'kty', 'n']);
});

// Thumbprint and values were computed by another program (Python) from the definitions of RFC 7638 and RFC 8555.
test('the proof of a name is made from the token and the thumbprint of the key', async () => {
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE',
      x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
      y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
    },
  });
  const authorization = await keyAuthorization(key, 'token-of-the-authority');
  assert.equal(authorization, 'token-of-the-authority.cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s');
  assert.equal(dnsProofValue(authorization), 'jMy52j1zpNXAab3hSZbiwnJL3yx4lglXyPLFiikM-D0');
});
