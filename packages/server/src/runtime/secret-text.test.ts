import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { SecretText } from './secret-text.ts';

const clear = 'the-clear-value';

test('a secret text prints stars in every common way and reveals itself only on request', () => {
  const secret = new SecretText(clear);
  const shown = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret, { showHidden: true, depth: 9 }),
    inspect({ deep: { secret } }, { depth: 9 }),
    Object.entries(secret).join(),
  ];
  for (const text of shown) assert.ok(!text.includes(clear), text);
  assert.equal(JSON.stringify({ secret }), '{"secret":"***"}');
  assert.equal(secret.reveal(), clear);
});
