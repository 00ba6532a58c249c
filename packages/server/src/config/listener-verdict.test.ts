import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenerVerdict } from './listener-verdict.ts';
import type { Environment } from './load-settings.ts';
import { loadSettings } from './load-settings.ts';

function verdict(environment: Environment): string {
  const loaded = loadSettings(environment);
  assert.ok(loaded.ok);
  const decided = listenerVerdict(loaded.settings);
  return decided.allowed ? decided.because : 'refused';
}

const cases: readonly [listen: string, more: Environment, expected: string][] = [
  ['127.0.0.1:8080', {}, 'loopback'],
  ['127.9.9.9:8080', {}, 'loopback'],
  ['[::1]:8080', {}, 'loopback'],
  ['[::ffff:127.0.0.1]:8080', {}, 'loopback'],
  ['localhost:8080', {}, 'loopback'],
  ['0.0.0.0:8080', {}, 'refused'],
  ['[::]:8080', {}, 'refused'],
  ['192.168.1.5:8080', {}, 'refused'],
  ['hub.example.com:8080', {}, 'refused'],
  ['localhost.example.com:8080', {}, 'refused'],
  ['0.0.0.0:8080', { WAXWING_TLS_CERTIFICATE: 'c', WAXWING_TLS_KEY: 'k' }, 'tls'],
  ['0.0.0.0:8080', { WAXWING_TRUSTED_PROXIES: '10.0.0.1' }, 'trusted proxies'],
  ['0.0.0.0:8080', { WAXWING_PLAIN_HTTP: 'allow' }, 'plain http allowed'],
];

for (const [listen, more, expected] of cases) {
  test(`a listener on ${listen} with ${JSON.stringify(more)}: ${expected}`, () => {
    assert.equal(verdict({ WAXWING_LISTEN: listen, ...more }), expected);
  });
}
