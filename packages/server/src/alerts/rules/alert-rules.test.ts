import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlertLimits, judge, type Verdict } from './alert-rules.ts';
import type { Fact } from './fact-source.ts';

const now = Date.UTC(2026, 5, 15, 12);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const limits: AlertLimits = {
  pushFailingMs: 10 * minute,
  carrierDownMs: 300_000,
  notFetchedMs: 24 * hour,
  backupAgeMs: 36 * hour,
};

const certificate = (left: number, lifetimeDays?: number): Fact => ({
  ...{ kind: 'certificate', organizationId: 'o', id: 'c', name: 'shop', notAfter: now + left, deployments: 2 },
  renewedLifetimeMs: lifetimeDays === undefined ? null : lifetimeDays * day,
});
const issuing = (attempts: number, authorities: number, notAfter: number | null): Fact => ({
  ...{ kind: 'issuing', organizationId: 'o', id: 'c', name: 'shop', notAfter, attempts, authorities },
  words: 'no such host',
});
const outdated = (forMs: number): Fact => ({
  ...{ kind: 'outdated', organizationId: 'o', id: 'd', name: 'web', certificate: 'shop', since: now - forMs },
});
const push = (
  [deliveredAt, failedFrom, failedUntil]: readonly (number | null)[],
  isWaiting = false,
  pushes: 'status' | 'uplink' = 'status',
): Fact => ({
  ...{ kind: 'push', organizationId: 'o', id: 'p', pushes, host: 'example.com', isWaiting, changedAt: 0 },
  deliveredAt: ago(deliveredAt),
  failedFrom: ago(failedFrom),
  failedUntil: ago(failedUntil),
});
const carrier = (minutes: number, words?: string, isRefused = false): Fact => ({
  ...{ kind: 'carrier', id: 'c', name: 'Operator', since: now - minutes * minute, isRefused, words },
});
const ago = (minutes: number | null | undefined) => (minutes == null ? null : now - minutes * minute);
const disk = (free: number): Fact => ({
  kind: 'disk',
  server: 's-1',
  host: 's',
  freeBytes: free * 1_048_576,
  bytes: 1_000 * 1_048_576,
});
const backup = (hours: number | null, began = 1_000): Fact => ({
  ...{ kind: 'backup', lastAt: hours === null ? null : now - hours * hour, beganAt: now - began * hour },
});
const clock = (seconds: number): Fact => ({ kind: 'clock', server: 's-1', host: 's', aheadMs: seconds * 1000 });

const told = { firstAt: now - day, parameters: {} };

/** A verdict in short: its notice and stage, or that there is none. */
const shown = (verdict: Verdict) => (typeof verdict !== 'object' ? verdict : `${verdict.notice} ${verdict.stage}`);

const cases: readonly [what: string, fact: Fact, lasts: boolean, expected: string | undefined][] = [
  ['a certificate with more than 30 days left', certificate(30 * day + 1), false, undefined],
  ['a certificate with 30 days left', certificate(30 * day), false, 'certificate_expiring 1'],
  ['a certificate with 14 days left', certificate(14 * day), false, 'certificate_expiring 2'],
  ['a certificate with 7 days and a bit left', certificate(7 * day + 1), false, 'certificate_expiring 2'],
  ['a certificate with 7 days left', certificate(7 * day), false, 'certificate_expiring 3'],
  ['a certificate with 3 days left', certificate(3 * day), false, 'certificate_expiring 4'],
  ['a certificate with a day left', certificate(day), false, 'certificate_expiring 5'],
  ['a certificate with a second left', certificate(1_000), false, 'certificate_expiring 5'],
  ['a certificate that ends now', certificate(0), false, 'certificate_expired 6'],
  ['a certificate that ended long ago', certificate(-90 * day), false, 'certificate_expired 6'],
  ['one of 90 days that renews itself, with 30 days left', certificate(30 * day, 90), false, undefined],
  ['one of 90 days that renews itself, with 15 days left', certificate(15 * day, 90), false, undefined],
  ['one of 90 days that renews itself, with 14 days left', certificate(14 * day, 90), false, 'certificate_expiring 1'],
  ['one of 90 days that renews itself, at its end', certificate(0, 90), false, 'certificate_expired 5'],
  ['one of six days that renews itself, with three days left', certificate(3 * day, 6), false, undefined],
  ['one of six days that renews itself, with a day left', certificate(day, 6), false, 'certificate_expiring 1'],
  ['one of six days that renews itself, at its end', certificate(0, 6), false, 'certificate_expired 2'],
  ['a first order that failed', issuing(1, 1, null), false, 'issuance_failed 0'],
  ['a first order that failed at the first of two authorities', issuing(1, 2, null), false, undefined],
  ['a renewal that failed twice', issuing(2, 1, now + day), false, undefined],
  ['a renewal that failed three times', issuing(3, 1, now + day), false, 'renewal_failed 0'],
  ['a renewal that failed five times at two authorities', issuing(5, 2, now + day), false, undefined],
  ['a carrier without a link for less than five minutes', carrier(4, 'ECONNREFUSED'), false, undefined],
  ['a carrier without a link for five minutes', carrier(5, 'ECONNREFUSED'), false, 'carrier_down 0'],
  ['a carrier that refuses the bind', carrier(5, 'ESME_RINVPASWD', true), false, 'carrier_refused 0'],
  ['a carrier that no server runs', carrier(5), false, 'carrier_down_silent 0'],
  ['a carrier that another server has just taken over', carrier(0), true, 'carrier_down_silent 0'],
  ['a deployment behind for less than a day', outdated(day - 1), false, undefined],
  ['a deployment behind for a day', outdated(day), false, 'deployment_outdated 0'],
  ['a deployment behind for days, when its certificate is renewed', outdated(hour), true, 'deployment_outdated 0'],
  ['pushes that were all delivered', push([1, null, null]), false, undefined],
  ['pushes that fail for nine minutes', push([20, 9, 0], true), false, undefined],
  ['pushes that fail for ten minutes and wait', push([20, 10, 9], true), false, 'push_failing_status 0'],
  ['pushes that never were delivered', push([null, 600, 0], true), false, 'push_failing_status 0'],
  ['replies that fail', push([null, 10, 0], true, 'uplink'), false, 'push_failing_uplink 0'],
  ['one push that failed once long ago, and nothing waits', push([700, 600, 600]), false, undefined],
  ['pushes that were tried for ten minutes and given up', push([700, 20, 8]), false, 'push_failing_status 0'],
  [
    'one push that failed long ago, and one that waits for its first answer',
    push([700, 600, 588], true),
    false,
    undefined,
  ],
  ['pushes that failed, while nothing is tried any more', push([null, 1_400, 1_400]), true, 'push_failing_status 0'],
  ['pushes that failed, when no figures are left', push([null, null, null]), true, 'unchanged'],
  ['pushes without figures that did not fail', push([null, null, null]), false, undefined],
  ['pushes that failed, of which one was delivered', push([0, null, null]), true, undefined],
  ['pushes that failed, then went, and fail again just now', push([5, 4, 0], true), true, undefined],
  ['a disk with a tenth free', disk(100), false, undefined],
  ['a disk with less than a tenth free', disk(99.9), false, 'instance_disk 0'],
  ['a disk that was full and has 11 % free', disk(110), true, 'instance_disk 0'],
  ['a disk that was full and has 12 % free', disk(120), true, undefined],
  ['a recent backup', backup(36), false, undefined],
  ['a backup that is too old', backup(37), false, 'instance_backup_old 0'],
  ['no backup of a new instance', backup(null, 36), false, undefined],
  ['no backup', backup(null), false, 'instance_backup_none 0'],
  ['a clock that is ten seconds ahead', clock(10), false, undefined],
  ['a clock that is eleven seconds behind', clock(-11), false, 'instance_clock 0'],
  ['a clock that was off and is off by six seconds', clock(6), true, 'instance_clock 0'],
  ['a clock that was off and is off by five seconds', clock(-5), true, undefined],
];
for (const [what, fact, lasts, expected] of cases) {
  test(`${what}${lasts ? ' (told before)' : ''}: ${expected ?? 'nothing'}`, () => {
    assert.equal(shown(judge(fact, now, limits, lasts ? told : undefined)), expected);
  });
}

test('without a plan nothing is said of backups', () => {
  assert.equal(judge(backup(null), now, { ...limits, backupAgeMs: undefined }, undefined), undefined);
});

test('a certificate is told again by its stages alone, and once it has ended by time', () => {
  const repeats = (fact: Fact) => (judge(fact, now, limits, undefined) as { repeats: boolean }).repeats;
  assert.deepEqual([repeats(certificate(day)), repeats(certificate(0)), repeats(outdated(day))], [false, true, true]);
});

test('a rollout is an event of its version', () => {
  const verdict = judge(
    {
      ...{ kind: 'rollout', organizationId: 'o', id: 'c', name: 'shop', version: 'v2', number: 2, deployments: 3 },
      completedAt: now - 5,
    },
    now,
    limits,
    undefined,
  );
  assert.deepEqual(verdict, {
    ...{
      type: 'certificate.rollout-complete',
      organizationId: 'o',
      aboutId: 'c',
      notice: 'rollout_complete',
      stage: 0,
    },
    ...{ parameters: { certificate: 'shop', version: 2, deployments: 3 }, repeats: false },
    event: { mark: 'v2', at: now - 5 },
  });
});

test('what is told names days that are left, rounded up', () => {
  const parameters = (left: number) =>
    (judge(certificate(left), now, limits, undefined) as { parameters: object }).parameters;
  assert.deepEqual(parameters(13.2 * day), {
    ...{ certificate: 'shop', until: '2026-06-28T16:48:00.000Z', deployments: 2, days: 14 },
  });
});

test('pushes that go on failing keep the time since when, and end with another URL or a delivery', () => {
  const before = { firstAt: now - day, parameters: { since: new Date(now - 2 * day).toISOString() } };
  const since = (fact: Fact) =>
    (judge(fact, now, limits, before) as { parameters?: { since: string } })?.parameters?.since;
  assert.equal(since(push([null, 1_400, 0], true)), before.parameters.since);
  assert.equal(since(push([null, 1, 0], true)), before.parameters.since);
  assert.equal(since(push([30, 20, 0], true)), new Date(now - 20 * minute).toISOString());
  assert.equal(judge(push([5, 4, 0], true), now, limits, before), undefined);
  const silent = push([null, null, null]);
  assert.equal(judge(silent, now, limits, before), 'unchanged');
  assert.equal(judge({ ...silent, changedAt: now - hour } as Fact, now, limits, before), undefined);
});
