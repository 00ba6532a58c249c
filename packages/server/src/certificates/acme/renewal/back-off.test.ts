import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff } from './back-off.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const now = Date.UTC(2026, 0, 1);
/** Draws the middle. */
const middle = () => 0.5;

const away = { type: null, temporary: true, retryAfterMs: null };
const limited = { type: 'rateLimited', temporary: true, retryAfterMs: 30 * hour };
const refused = { type: 'unauthorized', temporary: false, retryAfterMs: null };
const unreached = { type: 'connection', temporary: true, retryAfterMs: null };

test('who waits after a failure, and for how long', () => {
  for (const [name, failure, certificate, authority, certificateWait, authorityWait] of [
    ['a first failure of the certificate', unreached, 1, 1, 5 * minute, null],
    ['a second one', refused, 2, 1, 10 * minute, null],
    ['a sixth one', refused, 6, 1, 160 * minute, null],
    ['a seventh one', refused, 7, 1, 4 * hour, null],
    ['a thousandth one', refused, 1000, 1, 4 * hour, null],
    ['the authority is away', away, 1, 1, 30 * second, 30 * second],
    ['the authority is away for long', away, 1, 50, 30 * minute, 30 * minute],
    ['nothing was sent', { ...away, type: 'notSent' }, 1, 2, minute, minute],
    ['a fault of the authority', { ...away, type: 'serverInternal' }, 5, 1, 30 * second, 30 * second],
    ['the authority says when', { ...away, retryAfterMs: 2 * hour }, 1, 1, 2 * hour, 2 * hour],
    ['it says sooner than we come', { ...away, retryAfterMs: 1 }, 1, 1, 30 * second, 30 * second],
    ['too many orders', { ...limited, retryAfterMs: hour }, 1, 1, hour, 30 * second],
    ['too many orders, of others too', { ...limited, retryAfterMs: hour }, 1, 4, hour, 4 * minute],
    ['no pause is longer than a day', limited, 1, 1, 24 * hour, 30 * second],
  ] as const) {
    const expected = {
      certificateAt: now + certificateWait,
      authorityAt: authorityWait === null ? null : now + authorityWait,
    };
    assert.deepEqual(backOff(failure, { certificate, authority }, now, middle), expected, name);
  }
});

test('each wait is drawn from 80 to 120 percent', () => {
  const waits = [() => 0, () => 1].map((random) => {
    return backOff(refused, { certificate: 1, authority: 1 }, now, random).certificateAt - now;
  });
  assert.deepEqual(waits, [4 * minute, 6 * minute]);
});

test('a certificate of six days has many tries left, even if it is renewed as late as can be', () => {
  const expiry = now + 2.25 * 24 * hour;
  let tries = 0;
  for (let at = now; at < expiry; tries++)
    at = backOff(refused, { certificate: tries + 1, authority: 0 }, at, middle).certificateAt;
  assert.ok(tries >= 19, `${tries}`);
});
