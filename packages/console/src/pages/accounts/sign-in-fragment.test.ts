import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignInFragment } from './sign-in-fragment.ts';

const cases: readonly [hash: string, expected: ReturnType<typeof readSignInFragment>][] = [
  ['', undefined],
  ['#', undefined],
  ['#token=abc', undefined],
  ['#factors=', undefined],
  ['#factors=retina_scan', undefined],
  [
    '#factors=totp,recovery_code',
    { kind: 'step', step: { state: 'second_factor', factors: ['totp', 'recovery_code'] } },
  ],
  ['#factors=totp,constructor', { kind: 'step', step: { state: 'second_factor', factors: ['totp'] } }],
  ['#error=sso_refused', { kind: 'refused', reason: undefined }],
  ['#error=sso_refused&reason=no_role', { kind: 'refused', reason: 'no_role' }],
  ['#error=Your%20account%20is%20locked.%20Call%20us.', { kind: 'refused', reason: undefined }],
];

for (const [hash, expected] of cases) {
  test(`the fragment ${hash === '' ? 'that is not there' : hash}`, () => {
    assert.deepEqual(readSignInFragment(hash), expected);
  });
}
