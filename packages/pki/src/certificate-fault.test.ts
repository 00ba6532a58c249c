import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateFault } from './certificate-fault.ts';

test('a certificate without a subject goes by its serial number', () => {
  const found = { serial: '01AB', date: '2026-01-01T00:00:00Z' };
  const { message } = certificateFault('certificate', 'expired', { ...found, certificate: '' });
  assert.match(message, /^The certificate with serial 01AB expired on 2026-01-01/);
  const named = certificateFault('certificate', 'expired', { ...found, certificate: 'CN=a.example' });
  assert.match(named.message, /^The certificate CN=a\.example expired/);
});
