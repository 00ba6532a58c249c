import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { backOff } from './back-off.ts';
import { type RenewalWindow, renewalInfoTime, renewalTime } from './renewal-time.ts';
import { seededRandom } from './seeded-random.testing.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

interface Setting {
  readonly count: number;
  readonly lifeMs: number;
  readonly untilMs: number;
  /** New orders that the authority takes within three hours. */
  readonly limit: number;
  readonly failureShare: number;
  /** How long after the start the certificates are all there, spread evenly over that time. */
  readonly issuedOverMs: number;
  /** Whether the certificates are yet to be issued. */
  readonly isFirst?: boolean;
  readonly isAway?: (now: number) => boolean;
  /** What the authority answers to a question for the window of a certificate. */
  readonly windowAt?: (now: number, notBefore: number) => RenewalWindow | null;
}

interface Certificate {
  notBefore: number;
  notAfter: number;
  readonly failures: { certificate: number };
  dueAt: number;
  pollAt: number;
  window: RenewalWindow | null;
}

interface Result {
  /** When an order was placed. */
  readonly placed: readonly number[];
  readonly renewed: readonly number[];
  readonly refused: number;
  readonly expired: number;
  readonly mostWithinThreeHours: number;
}

/** One hub and one authority. The clock is a number that goes on by minutes. */
function simulate(setting: Setting): Result {
  const random = seededRandom(20260115);
  const { lifeMs, limit, untilMs, windowAt } = setting;
  const calendar = new Map<number, Certificate[]>();
  const plan = (certificate: Certificate) => {
    const at = windowAt === undefined ? certificate.dueAt : Math.min(certificate.dueAt, certificate.pollAt);
    const tick = Math.ceil(at / minute);
    const others = calendar.get(tick);
    if (others === undefined) calendar.set(tick, [certificate]);
    else others.push(certificate);
  };
  const issue = (certificate: Certificate, now: number) => {
    certificate.notBefore = now;
    certificate.notAfter = now + lifeMs;
    certificate.failures.certificate = 0;
    certificate.window = null;
    certificate.pollAt = renewalInfoTime(null, now);
    certificate.dueAt = renewalTime(certificate, null, now, random());
  };
  const certificates = Array.from({ length: setting.count }, (_, index): Certificate => {
    const at = (setting.issuedOverMs * index) / setting.count;
    const certificate = {
      ...{ notBefore: at, notAfter: Number.POSITIVE_INFINITY, dueAt: at, pollAt: at, window: null },
      failures: { certificate: 0 },
    };
    if (!setting.isFirst) issue(certificate, at);
    plan(certificate);
    return certificate;
  });

  const placed: number[] = [];
  const renewed: number[] = [];
  let [refused, expired, oldest, mostWithinThreeHours] = [0, 0, 0, 0];
  let authority = { failures: 0, pausedUntil: 0 };
  const ask = (now: number) => {
    if (setting.isAway?.(now)) return { type: 'notSent', temporary: true, retryAfterMs: null };
    while ((placed[oldest] ?? now) <= now - 3 * hour) oldest++;
    if (placed.length - oldest >= limit) {
      refused++;
      return { type: 'rateLimited', temporary: true, retryAfterMs: (placed[oldest] ?? now) + 3 * hour - now };
    }
    placed.push(now);
    mostWithinThreeHours = Math.max(mostWithinThreeHours, placed.length - oldest);
    if (random() < setting.failureShare) return { type: 'connection', temporary: true, retryAfterMs: null };
    return undefined;
  };
  const attempt = (certificate: Certificate, now: number) => {
    const failure = ask(now);
    if (failure === undefined) {
      if (now >= certificate.notAfter) expired++;
      issue(certificate, now);
      renewed.push(now);
      authority = { failures: 0, pausedUntil: 0 };
    } else {
      certificate.failures.certificate++;
      const failures = { ...certificate.failures, authority: authority.failures + 1 };
      const next = backOff(failure, failures, now, random);
      certificate.dueAt = next.certificateAt;
      if (next.authorityAt !== null) authority = { failures: failures.authority, pausedUntil: next.authorityAt };
    }
    plan(certificate);
  };

  let waiting: Certificate[] = [];
  for (let now = 0; now < untilMs; now += minute) {
    for (const certificate of calendar.get(now / minute) ?? []) {
      if (windowAt !== undefined && certificate.pollAt <= now) {
        const window = windowAt(now, certificate.notBefore);
        certificate.pollAt = renewalInfoTime(6 * hour, now);
        if (window?.start !== certificate.window?.start) {
          certificate.window = window;
          certificate.dueAt = renewalTime(certificate, window, now, random());
        }
      }
      if (certificate.dueAt <= now) waiting.push(certificate);
      else plan(certificate);
    }
    calendar.delete(now / minute);
    let taken = 0;
    for (const certificate of waiting) {
      if (now < authority.pausedUntil) break;
      taken++;
      attempt(certificate, now);
    }
    waiting = waiting.slice(taken);
  }
  expired += certificates.filter(({ notAfter }) => notAfter <= untilMs).length;
  return { placed, renewed, refused, expired, mostWithinThreeHours };
}

function busiestHour(times: readonly number[]): number {
  return Math.max(...[...Map.groupBy(times, (time) => Math.floor(time / hour)).values()].map(({ length }) => length));
}

test('of 10,000 certificates of six days none expires in 90 days, and no hour is three times as busy as most', (t) => {
  const setting = { count: 10_000, lifeMs: 6 * day, untilMs: 90 * day, limit: 1200, failureShare: 0.02 };
  const result = simulate({ ...setting, issuedOverMs: hour });
  const mean = result.placed.length / (90 * 24);
  tell(t, result, mean);
  assert.ok(result.renewed.length > 28 * setting.count);
  assert.deepEqual([result.expired, result.refused], [0, 0]);
  assert.ok(result.mostWithinThreeHours <= setting.limit);
  assert.ok(busiestHour(result.placed) <= 3 * mean);
});

test('500 certificates whose window moves to now are renewed within it, spread over it', (t) => {
  const moved = { start: 20 * day, end: 21 * day };
  const setting = { count: 500, lifeMs: 90 * day, untilMs: 22 * day, limit: 300, failureShare: 0 };
  const windowAt = (now: number, notBefore: number) => (notBefore < moved.start && moved.start <= now ? moved : null);
  const result = simulate({ ...setting, issuedOverMs: 3 * day, windowAt });
  const mean = result.placed.length / 24;
  tell(t, result, mean);
  assert.equal(result.renewed.length, 500);
  assert.ok(result.renewed.every((time) => moved.start <= time && time < moved.end + minute));
  assert.equal(result.refused, 0);
  assert.ok(busiestHour(result.placed) <= 2 * mean);
});

test('2,000 certificates that are asked for at once are issued as fast as the limit lets them', (t) => {
  const setting = { count: 2000, lifeMs: 90 * day, untilMs: 2 * day, limit: 300, failureShare: 0.02 };
  const result = simulate({ ...setting, issuedOverMs: 0, isFirst: true });
  tell(t, result, result.placed.length / 48);
  assert.equal(result.renewed.length, 2000);
  assert.ok(result.renewed.every((time) => time < 26 * hour));
  assert.ok(result.refused < 200);
});

test('an authority that is away for a day is left alone, and none of its certificates expires', (t) => {
  const isAway = (now: number) => 10 * day <= now && now < 11 * day;
  const setting = { count: 2000, lifeMs: 6 * day, untilMs: 20 * day, limit: 300, failureShare: 0.02 };
  const result = simulate({ ...setting, issuedOverMs: 3 * day, isAway });
  tell(t, result, result.placed.length / (20 * 24));
  assert.equal(result.expired, 0);
  assert.ok(result.mostWithinThreeHours <= setting.limit);
});

function tell(t: TestContext, result: Result, mean: number): void {
  const { placed, renewed, refused, expired, mostWithinThreeHours } = result;
  t.diagnostic(
    `${placed.length} orders, ${renewed.length} renewed, ${refused} refused, ${expired} expired; ` +
      `${busiestHour(placed)} in the busiest hour (mean ${mean.toFixed(1)}), ${mostWithinThreeHours} within three hours`,
  );
}
