/** Which facts people hear of. Pure. */
import type { AlertNotice, AlertParameters, AlertType } from '@waxwing/contract/management-api/alert-notices.ts';
import { toRfc3339 } from '../../runtime/clock.ts';
import type {
  BackupFact,
  CarrierFact,
  CertificateFact,
  ClockFact,
  DiskFact,
  Fact,
  IssuingFact,
  OutdatedFact,
  PushFact,
  RolloutFact,
} from './fact-source.ts';

export interface AlertLimits {
  /** How long pushes of a setting fail. */
  readonly pushFailingMs: number;
  /** How long a carrier has no link. */
  readonly carrierDownMs: number;
  /** How long a deployment is outdated. */
  readonly notFetchedMs: number;
  /** How old the last backup may be; undefined: nothing is planned. */
  readonly backupAgeMs: number | undefined;
}

/** Names what a condition is about. An empty organization is the instance. */
export interface About {
  readonly type: AlertType;
  readonly organizationId: string;
  readonly aboutId: string;
}

export interface Condition extends About {
  readonly notice: AlertNotice;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** A higher one is worse. */
  readonly stage: number;
  /** Whether it is told again while it lasts; else it is told when its stage rises. */
  readonly repeats: boolean;
  /** Set for an event, which is told once: which event it is, and when it was. */
  readonly event?: { readonly mark: string; readonly at: number };
}

/** `unchanged`: the facts do not tell whether it is over, so it lasts. `elsewhere`: another server decides. */
export type Verdict = Condition | 'unchanged' | 'elsewhere' | undefined;

/** The alert that was told of the same condition before. */
export interface Before {
  readonly firstAt: number;
  readonly parameters: Condition['parameters'];
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
const mebibyte = 1_048_576;

/** At so many days left a certificate is worse than before; the last stage is its end. */
export const expiryDays = [30, 14, 7, 3, 1, 0] as const;
/** A certificate that an authority renews has this part of its lifetime for that before anybody hears that it expires. */
const renewedLifetimePart = 0.25;
/** A first order that failed is told after all authorities have had their turn, a renewal after they have had several. */
const failedRounds = { first: 1, renewal: 3 };
/** Something near the limit does not come and go: it ends well beyond it. */
const disk = { startsBelow: 0.1, endsFrom: 0.12 };
const clock = { startsBeyondMs: 10_000, endsWithinMs: 5_000 };

export function aboutOf(fact: Fact): About {
  switch (fact.kind) {
    case 'certificate':
      return { type: 'certificate.expiring', organizationId: fact.organizationId, aboutId: fact.id };
    case 'issuing': {
      const type = fact.notAfter === null ? 'certificate.issuance-failed' : 'certificate.renewal-failed';
      return { type, organizationId: fact.organizationId, aboutId: fact.id };
    }
    case 'outdated':
      return { type: 'deployment.outdated', organizationId: fact.organizationId, aboutId: fact.id };
    case 'rollout':
      return { type: 'certificate.rollout-complete', organizationId: fact.organizationId, aboutId: fact.id };
    case 'push':
      return { type: 'push.failing', organizationId: fact.organizationId, aboutId: fact.id };
    case 'carrier':
      return { type: 'carrier.down', organizationId: '', aboutId: fact.id };
    case 'disk':
      return { type: 'instance.disk', organizationId: '', aboutId: fact.server };
    case 'backup':
      return { type: 'instance.backup', organizationId: '', aboutId: '' };
    case 'clock':
      return { type: 'instance.clock', organizationId: '', aboutId: fact.server };
    case 'server':
      return { type: fact.decides, organizationId: '', aboutId: fact.server };
  }
}

/** @param before undefined where it was not so before */
export function judge(fact: Fact, now: number, limits: AlertLimits, before: Before | undefined): Verdict {
  const lasts = before !== undefined;
  switch (fact.kind) {
    case 'certificate':
      return judgeCertificate(fact, now);
    case 'issuing':
      return judgeIssuing(fact);
    case 'outdated':
      return judgeOutdated(fact, now, limits, lasts);
    case 'rollout':
      return judgeRollout(fact);
    case 'push':
      return judgePush(fact, now, limits, before);
    case 'carrier':
      return judgeCarrier(fact, now, limits, lasts);
    case 'disk':
      return judgeDisk(fact, lasts);
    case 'backup':
      return judgeBackup(fact, now, limits);
    case 'clock':
      return judgeClock(fact, lasts);
    case 'server':
      return 'elsewhere';
  }
}

function judgeCertificate(fact: CertificateFact, now: number): Verdict {
  const left = fact.notAfter - now;
  const renewedMs = fact.renewedLifetimeMs ?? Number.POSITIVE_INFINITY;
  const counts = (days: number) => left <= days * dayMs && days * dayMs <= renewedMs * renewedLifetimePart;
  const stage = expiryDays.filter(counts).length;
  if (stage === 0) return undefined;
  const shared = { certificate: fact.name, until: toRfc3339(fact.notAfter), deployments: fact.deployments };
  return left <= 0
    ? lasting(fact, 'certificate_expired', shared, stage)
    : { ...lasting(fact, 'certificate_expiring', { ...shared, days: Math.ceil(left / dayMs) }, stage), repeats: false };
}

function judgeIssuing(fact: IssuingFact): Verdict {
  const { name: certificate, notAfter, attempts, authorities, words } = fact;
  const rounds = Math.floor(attempts / authorities);
  if (notAfter === null) {
    if (rounds < failedRounds.first) return undefined;
    return lasting(fact, 'issuance_failed', { certificate, attempts, words });
  }
  if (rounds < failedRounds.renewal) return undefined;
  return lasting(fact, 'renewal_failed', { certificate, attempts, words, until: toRfc3339(notAfter) });
}

/** Once told it lasts while the deployment is outdated at all: the next renewal does not mean that it has fetched. */
function judgeOutdated(fact: OutdatedFact, now: number, { notFetchedMs }: AlertLimits, lasts: boolean): Verdict {
  if (!lasts && now - fact.since < notFetchedMs) return undefined;
  const { name: deployment, certificate } = fact;
  return lasting(fact, 'deployment_outdated', { deployment, certificate, since: toRfc3339(fact.since) });
}

function judgeRollout(fact: RolloutFact): Verdict {
  const parameters = { certificate: fact.name, version: fact.number, deployments: fact.deployments };
  const event = { mark: fact.version, at: fact.completedAt };
  return { ...lasting(fact, 'rollout_complete', parameters), repeats: false, event };
}

/**
 * Failing since the first attempt after the last delivery, if that is long ago, an attempt was made lately, and attempts
 * went on for so long or something waits. Once told it lasts until a delivery.
 */
function judgePush(fact: PushFact, now: number, { pushFailingMs }: AlertLimits, before: Before | undefined): Verdict {
  const { deliveredAt, failedFrom, failedUntil } = fact;
  const told = before?.parameters.since;
  const goesOn = before !== undefined && (deliveredAt === null || deliveredAt < Date.parse(String(told)));
  // Figures are kept for a day. Without any nobody knows, but after a change the former receiver is no matter.
  if (failedFrom === null || failedUntil === null) {
    return goesOn && fact.changedAt <= before.firstAt ? 'unchanged' : undefined;
  }
  const isLong = now - failedFrom >= pushFailingMs && (fact.isWaiting || failedUntil - failedFrom >= pushFailingMs);
  // Of the last attempt only the minute is known.
  const isRecent = now - failedUntil < pushFailingMs + minuteMs;
  if (!goesOn && !(isLong && isRecent)) return undefined;
  const notice = fact.pushes === 'status' ? 'push_failing_status' : 'push_failing_uplink';
  const since = (goesOn ? told : undefined) ?? toRfc3339(failedFrom);
  return lasting(fact, notice, { host: fact.host, since });
}

/** Once told it lasts until there is a link: another server that takes over, or a new try, does not end it. */
function judgeCarrier(fact: CarrierFact, now: number, { carrierDownMs }: AlertLimits, lasts: boolean): Verdict {
  if (!lasts && now - fact.since < carrierDownMs) return undefined;
  const { name: carrier, words, isRefused } = fact;
  const since = toRfc3339(fact.since);
  if (words === undefined) return lasting(fact, 'carrier_down_silent', { carrier, since });
  return lasting(fact, isRefused ? 'carrier_refused' : 'carrier_down', { carrier, since, words });
}

function judgeDisk(fact: DiskFact, lasts: boolean): Verdict {
  const part = fact.freeBytes / fact.bytes;
  if (!(part < (lasts ? disk.endsFrom : disk.startsBelow))) return undefined;
  const { host: server } = fact;
  const mebibytes = Math.floor(fact.freeBytes / mebibyte);
  return lasting(fact, 'instance_disk', { server, percent: Math.floor(part * 100), mebibytes });
}

function judgeBackup({ kind, lastAt, beganAt }: BackupFact, now: number, { backupAgeMs }: AlertLimits): Verdict {
  if (backupAgeMs === undefined || now - (lastAt ?? beganAt) <= backupAgeMs) return undefined;
  const fact = { kind, lastAt, beganAt };
  const planned = spanText(backupAgeMs);
  return lastAt === null
    ? lasting(fact, 'instance_backup_none', { planned })
    : lasting(fact, 'instance_backup_old', { at: toRfc3339(lastAt), planned });
}

function judgeClock(fact: ClockFact, lasts: boolean): Verdict {
  const apartMs = Math.abs(fact.aheadMs);
  if (apartMs <= (lasts ? clock.endsWithinMs : clock.startsBeyondMs)) return undefined;
  return lasting(fact, 'instance_clock', { server: fact.host, seconds: Math.round(apartMs / 1000) });
}

function lasting<Notice extends AlertNotice>(
  fact: Fact,
  notice: Notice,
  parameters: AlertParameters<Notice>,
  stage = 0,
): Condition {
  return { ...aboutOf(fact), notice, parameters, stage, repeats: true };
}

/** `36 h` */
function spanText(ms: number): string {
  if (ms < hourMs) return `${Math.round(ms / minuteMs)} min`;
  return ms % dayMs === 0 ? `${ms / dayMs} d` : `${Math.round((ms / hourMs) * 10) / 10} h`;
}
