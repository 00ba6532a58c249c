import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatInstant, formatLocal, zoneOf } from './format-instant.ts';

function inZone(zone: string, work: () => void): void {
  const former = process.env.TZ;
  process.env.TZ = zone;
  try {
    work();
  } finally {
    if (former === undefined) delete process.env.TZ;
    else process.env.TZ = former;
  }
}

const at = '2026-01-31T16:05:09Z';
const zones: readonly [zone: string, offset: string][] = [
  ['Asia/Shanghai', '+08'],
  ['UTC', '+00'],
  ['America/St_Johns', '-03:30'],
  ['Asia/Kolkata', '+05:30'],
];

for (const [zone, offset] of zones) {
  test(`a time in ${zone} says that it is ${offset}`, () => inZone(zone, () => assert.equal(zoneOf(at), offset)));
}

test('both languages have the same order, and a date alone has no zone', () => {
  const local = formatLocal(at, 'en');
  assert.match(local, /^2026-0[12]-\d\d \d\d:05:09$/);
  for (const language of ['en', 'zh-CN']) {
    assert.equal(formatInstant(at, language), `${local} ${zoneOf(at)}`);
    assert.equal(formatLocal(at, language, true), local.slice(0, 10));
  }
});
