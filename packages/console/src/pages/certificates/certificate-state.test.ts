import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownState } from './certificate-state.ts';

test('a certificate whose current version is revoked is not shown as issued', () => {
  assert.equal(shownState({ state: 'issued', version_state: 'issued' }), 'issued');
  assert.equal(shownState({ state: 'issued', version_state: 'revoked' }), 'versionRevoked');
  assert.equal(shownState({ state: 'revoked', version_state: 'revoked' }), 'revoked');
  assert.equal(shownState({ state: 'pending', version_state: null }), 'pending');
});
