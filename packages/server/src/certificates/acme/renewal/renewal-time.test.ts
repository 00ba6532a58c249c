import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renewalInfoTime, renewalTime, renewalTimeAfterChoice } from './renewal-time.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const issued = Date.UTC(2026, 0, 1);

test('without a window a certificate is renewed around a share of its lifetime, an eighth to either side', () => {
  for (const [days, earliest, middle, latest] of [
    [90, 48.75, 60, 71.25],
    [45, 24.375, 30, 35.625],
    [10, 5.41667, 6.66667, 7.91667],
    [6, 2.25, 3, 3.75],
    [1, 0.375, 0.5, 0.625],
  ] as const) {
    const certificate = { notBefore: issued, notAfter: issued + days * day };
    const times = [0, 0.5, 1].map((random) => (renewalTime(certificate, null, issued, random) - issued) / day);
    for (const [index, expected] of [earliest, middle, latest].entries())
      assert.ok(Math.abs((times[index] ?? 0) - expected) < 1e-4, `${days} days: ${times}`);
  }
});

test('within its window a certificate is renewed at a random time of what is left', () => {
  const certificate = { notBefore: issued, notAfter: issued + 90 * day };
  const window = { start: issued + 50 * day, end: issued + 52 * day };
  for (const [name, now, random, expected] of [
    ['before the window, its start', issued, 0, window.start],
    ['before the window, its middle', issued, 0.5, issued + 51 * day],
    ['before the window, late in it', issued, 0.75, issued + 51.5 * day],
    ['in the window, at once', issued + 51 * day, 0, issued + 51 * day],
    ['in the window, half of what is left', issued + 51 * day, 0.5, issued + 51.5 * day],
    ['at its end', window.end, 0.5, window.end],
    ['after it', issued + 60 * day, 0.5, issued + 60 * day],
  ] as const) {
    assert.equal(renewalTime(certificate, window, now, random), expected, name);
  }
});

test('a window that ends outside of the lifetime is passed over', () => {
  const certificate = { notBefore: issued, notAfter: issued + 90 * day };
  for (const [start, end] of [
    [89, 91],
    [-2, -1],
  ] as const) {
    const window = { start: issued + start * day, end: issued + end * day };
    assert.equal(renewalTime(certificate, window, issued, 0.5), issued + 60 * day);
  }
});

test('what should have been renewed in the past is renewed now', () => {
  const certificate = { notBefore: issued, notAfter: issued + 6 * day };
  assert.equal(renewalTime(certificate, null, issued + 5 * day, 0.5), issued + 5 * day);
});

test('the authority is asked for the window after its Retry-After, within a minute and six hours', () => {
  for (const [retryAfter, wait] of [
    [null, 6 * hour],
    [0, minute],
    [30_000, minute],
    [2 * hour, 2 * hour],
    [7 * day, 6 * hour],
  ] as const)
    assert.equal(renewalInfoTime(retryAfter, issued), issued + wait);
});

test('a version that a person chooses stays for a day, or until a quarter of its lifetime is left', () => {
  for (const [days, chosen, earliest] of [
    [90, 10, 11],
    [90, 61, 62],
    [90, 67, 67.5],
    [90, 80, 80],
    [90, 91, 91],
    [6, 3, 4],
    [6, 4.25, 4.5],
  ] as const) {
    const certificate = { notBefore: issued, notAfter: issued + days * day };
    assert.equal(renewalTimeAfterChoice(certificate, issued + chosen * day), issued + earliest * day);
  }
});
