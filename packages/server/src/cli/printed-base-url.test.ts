import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from '../config/load-settings.ts';
import { printedBaseUrl } from './printed-base-url.ts';

const told = (environment: Record<string, string>, listening: string): string => {
  const loaded = loadSettings(environment, '/');
  assert.ok(loaded.ok);
  return printedBaseUrl(loaded.settings, listening);
};

test('a base URL that was configured is told as it is, wherever the server listens', () => {
  const configured = { WAXWING_BASE_URL: 'https://waxwing.example.com', WAXWING_LISTEN: '[::1]:0' };
  assert.equal(told(configured, 'http://[::1]:4711'), 'https://waxwing.example.com');
});

const defaults: readonly [listen: string, listening: string, told: string][] = [
  ['127.0.0.1:8080', 'http://127.0.0.1:8080', 'http://localhost:8080'],
  ['127.0.0.1:0', 'http://127.0.0.1:4711', 'http://localhost:4711'],
  ['127.0.0.1:80', 'http://127.0.0.1:80', 'http://localhost'],
  ['0.0.0.0:8080', 'http://0.0.0.0:8080', 'http://localhost:8080'],
  ['[::]:8080', 'http://[::]:8080', 'http://localhost:8080'],
  ['[::1]:8080', 'http://[::1]:8080', 'http://[::1]:8080'],
  ['127.0.0.2:8080', 'http://127.0.0.2:8080', 'http://127.0.0.2:8080'],
  ['waxwing.internal:0', 'http://192.0.2.7:4711', 'http://192.0.2.7:4711'],
];
for (const [listen, listening, url] of defaults) {
  test(`by default a server set to ${listen} that listens on ${listening} is told as ${url}`, () => {
    assert.equal(told({ WAXWING_LISTEN: listen }, listening), url);
  });
}

test('with own TLS the default is told as https', () => {
  const tls = { WAXWING_LISTEN: '127.0.0.1:0', WAXWING_TLS_CERTIFICATE: 'a', WAXWING_TLS_KEY: 'b' };
  assert.equal(told(tls, 'https://127.0.0.1:4711'), 'https://localhost:4711');
});
