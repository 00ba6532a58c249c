import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../database/database.ts';
import type { Credential } from '../../http/request/credential.ts';
import { parseAddress } from '../../http/request/ip-address.ts';
import { compileAllowList } from '../../http/request/ip-allow-list.ts';
import { createWindowLimit } from '../../http/request/window-limit.ts';
import { Problem } from '../../runtime/problem.ts';
import { SecretText } from '../../runtime/secret-text.ts';
import { issueToken } from '../../secrets/token.ts';
import { manualTime } from '../manual-time.testing.ts';
import { createAuthenticateSender } from './authenticate-sender.ts';
import type { MessagingTokenFacts } from './messaging-access.ts';

const here = parseAddress('203.0.113.7');
const elsewhere = parseAddress('203.0.113.8');
const admitted: MessagingTokenFacts = {
  organizationId: 'o',
  disabled: false,
  expiresAt: null,
  organizationSuspended: false,
  key: {
    id: 'k',
    enabled: true,
    permitted: true,
    queryToken: true,
    expiresAt: null,
    allowList: compileAllowList(['203.0.113.0/24']),
  },
};

/** Over facts that are asked for and told here. */
function authentication(options: { readonly limit?: number } = {}) {
  const known = new Map<string, MessagingTokenFacts>();
  const loads: boolean[] = [];
  const state = { proofs: 0, isDown: false };
  const authenticate = createAuthenticateSender({
    facts: {
      tokens: {
        find: () => undefined,
        async load(hash, suspect = false) {
          loads.push(suspect);
          return known.get(hash);
        },
        async prove() {
          state.proofs += 1;
          if (state.isDown) throw new DatabaseUnavailable('gone');
        },
      },
    },
    feed: { revision: () => 7 },
    wrongTokens: createWindowLimit({ limit: options.limit ?? 2 }),
    clock: manualTime().clock,
  });
  return {
    authenticate,
    loads,
    state,
    newToken(): Credential {
      const { clear, hash } = issueToken('messaging');
      known.set(hash.toString('hex'), admitted);
      return { kind: 'token', token: clear, source: 'bearer' };
    },
  };
}

const wrong = (text = issueToken('messaging').clear): Credential => ({ kind: 'token', token: text, source: 'bearer' });
const failsWith = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

test('who presented too many wrong tokens waits with the like; a right one is served all the same', async () => {
  const { authenticate, loads, newToken } = authentication();
  await assert.rejects(authenticate(wrong(), here), failsWith('invalid_token'));
  await assert.rejects(authenticate(wrong(), here), failsWith('invalid_token'));
  await assert.rejects(authenticate(wrong(), here), failsWith('too_many_requests'));
  assert.deepEqual(await authenticate(newToken(), here), { organizationId: 'o', keyId: 'k', revision: 7 });
  await authenticate(newToken(), elsewhere);
  assert.deepEqual(loads, [false, false, true, true, false]);
});

test('a typing error asks nobody', async () => {
  const { authenticate, loads } = authentication();
  await assert.rejects(authenticate(wrong(new SecretText('wxm_typo')), here), failsWith('invalid_token'));
  assert.deepEqual(loads, []);
});

test('memory decides only when it is proven true; without a database nobody is let in', async () => {
  const { authenticate, state, newToken } = authentication();
  await authenticate(newToken(), here);
  assert.equal(state.proofs, 1);
  state.isDown = true;
  await assert.rejects(authenticate(newToken(), here), failsWith('service_unavailable'));
});
