import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyCommands } from './key-commands.ts';

const origin = 'https://waxwing.example.com';

test('a key of an organization is tried on its certificates', () => {
  const { curl, waxwing } = keyCommands('wxa_1', origin, 'o1');
  assert.equal(
    curl,
    'curl -sS --fail -H @management.header https://waxwing.example.com/api/v1/organizations/o1/certificates',
  );
  assert.equal(waxwing, `npx --no waxwing certificate list --server ${origin} --token-file ~/.waxwing-key`);
});

test('a key of the instance is tried on the instance', () => {
  const { curl, waxwing } = keyCommands('wxa_1', origin);
  assert.equal(curl, 'curl -sS --fail -H @management.header https://waxwing.example.com/api/v1/instance');
  assert.equal(waxwing, `npx --no waxwing organization list --server ${origin} --token-file ~/.waxwing-key`);
});

test('the token stands only where it is kept, in files that nobody else can read', () => {
  const { keepHeader, curl, keepKey, waxwing } = keyCommands('wxa_1', origin, 'o1');
  for (const command of [keepHeader, keepKey]) assert.match(command, /^umask 077\nprintf .*'wxa_1' > /);
  for (const command of [curl, waxwing]) assert.doesNotMatch(command, /wxa_1/);
});
