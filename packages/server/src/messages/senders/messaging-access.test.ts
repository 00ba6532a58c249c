import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Credential } from '../../http/request/credential.ts';
import { parseAddress } from '../../http/request/ip-address.ts';
import { compileAllowList } from '../../http/request/ip-allow-list.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { type MessagingKeyFacts, type MessagingTokenFacts, messagingAccess } from './messaging-access.ts';

const now = 1_000;
const here = parseAddress('203.0.113.7');
const elsewhere = parseAddress('198.51.100.1');
const token = (source: 'bearer' | 'api-key' | 'query' = 'bearer'): Credential => ({
  kind: 'token',
  token: new SecretText('wxm_x'),
  source,
});

const key: MessagingKeyFacts = {
  id: 'k',
  enabled: true,
  permitted: true,
  queryToken: true,
  expiresAt: null,
  allowList: compileAllowList(['203.0.113.0/24']),
};
const facts = (changes: Partial<MessagingTokenFacts> = {}, ofKey: Partial<MessagingKeyFacts> = {}) => ({
  organizationId: 'o',
  disabled: false,
  expiresAt: null,
  organizationSuspended: false,
  key: { ...key, ...ofKey },
  ...changes,
});

test('a good token of a messaging key is admitted from a listed address, whatever way it came', () => {
  for (const source of ['bearer', 'api-key', 'query'] as const) {
    assert.deepEqual(messagingAccess(facts(), token(source), here, now), {
      kind: 'admitted',
      sender: { organizationId: 'o', keyId: 'k' },
    });
  }
  assert.equal(messagingAccess(facts({ expiresAt: now + 1 }), token(), here, now).kind, 'admitted');
});

test('the first check that fails answers', () => {
  const noList = { allowList: compileAllowList([]) };
  const rows: readonly (readonly [
    why: string,
    code: string,
    facts: MessagingTokenFacts | undefined,
    credential?: Credential,
    address?: typeof here,
  ])[] = [
    ['nothing was given', 'missing_token', undefined, { kind: 'none' }, elsewhere],
    ['given twice', 'invalid_token', facts(), { kind: 'ambiguous' }],
    ['unknown', 'invalid_token', undefined],
    ['unknown, in the query', 'invalid_token', undefined, token('query')],
    ['in the query of a key that takes none there', 'missing_token', facts({}, { queryToken: false }), token('query')],
    ['its key is gone', 'invalid_token', facts({ disabled: true, key: undefined })],
    ['its key is switched off', 'invalid_token', facts({}, { enabled: false, permitted: false }), token(), elsewhere],
    ['its key has expired', 'invalid_token', facts({}, { expiresAt: now })],
    ['it has expired', 'invalid_token', facts({ expiresAt: now })],
    ['its organization is suspended', 'invalid_token', facts({ organizationSuspended: true }, { permitted: false })],
    ['of another kind', 'token_not_permitted', facts({ key: undefined }), token('query')],
    ['of another kind, expired', 'invalid_token', facts({ key: undefined, expiresAt: now })],
    ['its key may not send', 'token_not_permitted', facts({}, { permitted: false }), token(), elsewhere],
    ['from an address that is not listed', 'address_not_allowed', facts(), token(), elsewhere],
    ['an empty list admits nobody', 'address_not_allowed', facts({}, noList)],
  ];
  for (const [why, code, known, credential = token(), address = here] of rows) {
    assert.deepEqual(messagingAccess(known, credential, address, now), { kind: 'refused', code }, why);
  }
  assert.deepEqual(messagingAccess(facts(), token(), undefined, now), { kind: 'refused', code: 'address_not_allowed' });
});
