import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeployable, isHandedOut, type ShownCertificate, shownState } from './certificate-state.ts';

const now = Date.UTC(2026, 0, 31);
const far = '2027-01-31T00:00:00Z';
const cases: readonly [certificate: ShownCertificate, shown: string, isHandedOut: boolean][] = [
  [{ state: 'issued', version_state: 'issued', expires_at: far }, 'issued', true],
  [{ state: 'issued', version_state: 'issued', expires_at: '2026-03-01T00:00:00Z' }, 'expiring', true],
  [{ state: 'issued', version_state: 'issued', expires_at: '2026-02-01T00:00:00Z' }, 'expiring', true],
  [{ state: 'issued', version_state: 'issued', expires_at: '2026-01-30T23:59:59Z' }, 'expired', true],
  [{ state: 'issued', version_state: 'revoked', expires_at: '2026-01-30T23:59:59Z' }, 'versionRevoked', false],
  [{ state: 'revoked', version_state: 'revoked', expires_at: '2026-01-30T23:59:59Z' }, 'revoked', false],
  [{ state: 'pending', version_state: null, expires_at: null }, 'pending', false],
  [{ state: 'failed', version_state: null, expires_at: null }, 'failed', false],
];

for (const [certificate, shown, handedOut] of cases) {
  test(`${JSON.stringify(certificate)} is shown as ${shown}`, () => {
    assert.equal(shownState(certificate, now), shown);
    assert.equal(isHandedOut(certificate), handedOut);
  });
}

test('a certificate can be deployed before it is issued, and never once it is revoked', () => {
  const deployable = cases.filter(([certificate]) => isDeployable(certificate)).map(([, shown]) => shown);
  assert.deepEqual(deployable, ['issued', 'expiring', 'expiring', 'expired', 'pending', 'failed']);
});
