import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AuditEvent,
  type AuditSegment,
  dayAfter,
  endOfDay,
  eventText,
  genesisMac,
  linkDay,
  linkMac,
  sameMac,
  segmentSeal,
  utcDay,
} from './audit-chain.ts';

const scale = { seed: 20_260_203, numRuns: process.env.WAXWING_TEST_SCALE === 'full' ? 5_000 : 300 };
const key = Buffer.alloc(32, 7);
const link = { link: 1, day: '2026-01-01', at: 1_767_225_600_000 };
const event: AuditEvent = {
  organizationId: 'o',
  actor: 'cli',
  action: 'certificate.import',
  subject: 'c',
  at: 1_767_225_600_000,
  detail: '{}',
};
const segment: AuditSegment = {
  day: '2026-01-01',
  firstLink: 1,
  lastLink: 3,
  entries: 4,
  formerMac: genesisMac,
  mac: 'ab',
  closedAt: 5,
  prunedAt: null,
};

test('the code of a link is the HMAC over one text, the same for ever', () => {
  const text = '["link","",1,"2026-01-01",1767225600000,1]["o","cli","certificate.import","c",1767225600000,"{}"]';
  assert.equal(
    linkMac(key, genesisMac, link, [eventText(event)]),
    createHmac('sha256', key).update(text).digest('hex'),
  );
});

test('two groups of events with the same code are the same group', () => {
  const text = fc.string({ maxLength: 6 });
  const events = fc.array(
    fc.record({ organizationId: text, actor: text, action: text, subject: text, at: fc.nat(3), detail: text }),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(events, events, (one, other) => {
      const same = JSON.stringify(one) === JSON.stringify(other);
      assert.equal(
        linkMac(key, genesisMac, link, one.map(eventText)) === linkMac(key, genesisMac, link, other.map(eventText)),
        same,
      );
    }),
    scale,
  );
});

test('key, former code and every field of the link change its code', () => {
  const codes = [
    linkMac(key, genesisMac, link, [eventText(event)]),
    linkMac(Buffer.alloc(32, 8), genesisMac, link, [eventText(event)]),
    linkMac(key, 'a', link, [eventText(event)]),
    linkMac(key, genesisMac, { ...link, link: 2 }, [eventText(event)]),
    linkMac(key, genesisMac, { ...link, day: '2026-01-02' }, [eventText(event)]),
    linkMac(key, genesisMac, { ...link, at: 1 }, [eventText(event)]),
    linkMac(key, genesisMac, link, []),
  ];
  assert.equal(new Set(codes).size, codes.length);
});

test('every field of a summary changes its seal, the time of its removal too', () => {
  const changes: Partial<AuditSegment>[] = [
    {},
    { day: '2026-01-02' },
    { firstLink: 2 },
    { lastLink: 4 },
    { entries: 5 },
    { formerMac: 'a' },
    { mac: 'b' },
    { closedAt: 6 },
    { prunedAt: 6 },
  ];
  const seals = changes.map((change) => segmentSeal(key, { ...segment, ...change }));
  assert.equal(new Set(seals).size, changes.length);
});

test('codes are compared whole', () => {
  assert.ok(sameMac('', ''));
  assert.ok(sameMac('abc', 'abc'));
  assert.ok(!sameMac('abc', 'abd'));
  assert.ok(!sameMac('abc', 'ab'));
  assert.ok(!sameMac('é', 'e'));
});

test('a day never runs backwards along the chain, and days are those of UTC', () => {
  const midnight = Date.UTC(2026, 1, 1);
  assert.equal(linkDay(midnight - 1, ''), '2026-01-31');
  assert.equal(linkDay(midnight, '2026-01-31'), '2026-02-01');
  assert.equal(linkDay(midnight - 1, '2026-02-01'), '2026-02-01');
  assert.equal(utcDay(midnight), '2026-02-01');
  assert.equal(dayAfter('2026-02-28'), '2026-03-01');
  assert.equal(dayAfter('2028-02-28'), '2028-02-29');
  assert.equal(endOfDay('2026-01-31'), midnight);
});
