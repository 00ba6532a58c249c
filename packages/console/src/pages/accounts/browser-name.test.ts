import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from './browser-name.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const cases: readonly [userAgent: string, name: string | undefined][] = [
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/156.0.0.0 Safari/537.36`, 'Chrome 156 · Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/156.0.0.0 Safari/537.36`, 'Chrome 156 · Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`,
    'Edge 156 · Windows',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140 · macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari 18 · iPhone',
  ],
  [
    `Mozilla/5.0 (Linux; Android 15; K) ${webKit} Chrome/130.0.0.0 Mobile Safari/537.36 MicroMessenger/8.0.50`,
    'WeChat 8 · Android',
  ],
  ['curl/8.14.1', undefined],
  ['', undefined],
];

for (const [userAgent, name] of cases) {
  test(`${userAgent.slice(-40) || 'nothing'} is ${name ?? 'no browser'}`, () => {
    assert.equal(browserName(userAgent), name);
  });
}
