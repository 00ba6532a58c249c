/** When people hear of what lasts: at once, again with growing waits, and when it is over. Pure. */
import { type AlertNotice, alertNotices } from '@waxwing/contract/management-api/alert-notices.ts';
import type { About, Condition } from './alert-rules.ts';

/** The stored state of a condition: whether and when it was told. */
export interface Known extends About {
  /** The event that was told. Empty for a condition that lasts. */
  readonly mark: string;
  readonly notice: AlertNotice;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly stage: number;
  /** How often it was told in this stage. */
  readonly times: number;
  readonly firstAt: number;
  /** When it was last told; null: nobody has heard of it. */
  readonly toldAt: number | null;
  /** When it is told again; null: not by time. */
  readonly nextAt: number | null;
}

/** Something to tell. */
export interface Told {
  /** With `.resolved` when it is over. */
  readonly type: string;
  readonly organizationId: string;
  readonly aboutId: string;
  readonly notice: AlertNotice;
  readonly parameters: Readonly<Record<string, string | number>>;
  /** When the event was: only channels that existed then hear of it. */
  readonly eventAt?: number;
  /** Where this tells the end of something: that hears who heard of it. */
  readonly endOf?: Known;
}

export interface Decision {
  readonly tell: readonly Told[];
  /** To remember instead of what was known. */
  readonly keep: readonly Known[];
  /** To forget. */
  readonly forget: readonly About[];
}

const dayMs = 86_400_000;
const repeatAfterDays = [1, 2, 4] as const;
const lastRepeatDays = 7;

/** How long after it was told so many times it is told again. */
export function repeatAfterMs(times: number): number {
  return (repeatAfterDays[times - 1] ?? lastRepeatDays) * dayMs;
}

export interface Situation {
  readonly now: number;
  /** The conditions that are the case. */
  readonly conditions: readonly Condition[];
  /** The conditions that go on unchanged, by `keyOf`. */
  readonly unchanged: ReadonlySet<string>;
  /** All known conditions that could be decided. One that is neither the case nor unchanged is over. */
  readonly known: readonly Known[];
  /** Whether somebody would hear of it. @param eventAt of an event, when it was */
  readonly isHeard: (organizationId: string, eventAt: number | undefined) => boolean;
}

export function keyOf({ type, organizationId, aboutId }: About): string {
  return JSON.stringify([type, organizationId, aboutId]);
}

export function whatToTell({ now, conditions, unchanged, known, isHeard }: Situation): Decision {
  const tell: Told[] = [];
  const keep: Known[] = [];
  const forget: About[] = [];
  const before = new Map(known.map((each) => [keyOf(each), each]));

  for (const condition of conditions) {
    const former = before.get(keyOf(condition));
    const isHeardOf = isHeard(condition.organizationId, condition.event?.at);
    if (isDue(condition, former, now) && isHeardOf) {
      tell.push(toTold(condition));
      keep.push(afterTelling(condition, former, now));
    } else if (condition.event !== undefined) {
      // News that nobody was there to hear is told to nobody later.
    } else if (isNew(condition, former)) {
      // Listed, and told to the first who listens.
      tell.push(toTold(condition));
      keep.push(unheard(condition, former, now));
    } else if (former !== undefined && condition.stage < former.stage) {
      keep.push({ ...former, stage: condition.stage, nextAt: null });
    }
  }

  const lasting = new Set(conditions.map(keyOf));
  for (const former of known) {
    const key = keyOf(former);
    if (lasting.has(key)) continue;
    if (unchanged.has(key)) {
      if (!(former.times === 0 || isRepeated(former, now)) || !isHeard(former.organizationId, undefined)) continue;
      tell.push(toTold(former));
      keep.push(afterTelling({ ...former, repeats: true }, former, now));
    } else if (former.mark === '') {
      tell.push(toResolved(former));
      forget.push(former);
    }
  }
  return { tell, keep, forget };
}

function isDue(condition: Condition, former: Known | undefined, now: number): boolean {
  if (condition.event !== undefined) return former?.mark !== condition.event.mark;
  return isNew(condition, former) || former?.times === 0 || (former !== undefined && isRepeated(former, now));
}

function isNew({ stage }: Condition, former: Known | undefined): boolean {
  return former === undefined || stage > former.stage;
}

function isRepeated({ nextAt }: Known, now: number): boolean {
  return nextAt !== null && nextAt <= now;
}

function toTold({
  type,
  organizationId,
  aboutId,
  notice,
  parameters,
  event,
}: (Known & { event?: never }) | Condition): Told {
  const told = { type, organizationId, aboutId, notice, parameters };
  return event === undefined ? told : { ...told, eventAt: event.at };
}

function afterTelling(
  condition: About & Pick<Condition, 'notice' | 'parameters' | 'stage' | 'repeats' | 'event'>,
  former: Known | undefined,
  now: number,
): Known {
  const { type, organizationId, aboutId, notice, parameters, stage, repeats, event } = condition;
  const times = former !== undefined && former.stage === stage && event === undefined ? former.times + 1 : 1;
  return {
    ...{ type, organizationId, aboutId, notice, parameters, stage, times },
    mark: event?.mark ?? '',
    firstAt: former?.firstAt ?? now,
    toldAt: now,
    nextAt: repeats ? now + repeatAfterMs(times) : null,
  };
}

function unheard(condition: Condition, former: Known | undefined, now: number): Known {
  const { type, organizationId, aboutId, notice, parameters, stage } = condition;
  const when = { firstAt: former?.firstAt ?? now, toldAt: former?.toldAt ?? null, nextAt: null };
  return { type, organizationId, aboutId, notice, parameters, stage, mark: '', times: 0, ...when };
}

function toResolved(known: Known): Told {
  const { type, organizationId, aboutId, notice, parameters } = known;
  const over = resolvedBy[notice] ?? notice;
  const kept = alertNotices[over].map((name) => [name, parameters[name] ?? ''] as const);
  const shown = { notice: over, parameters: Object.fromEntries(kept) };
  return { type: `${type}.resolved`, organizationId, aboutId, ...shown, endOf: known };
}

const resolvedBy: Readonly<Partial<Record<AlertNotice, AlertNotice>>> = {
  certificate_expiring: 'certificate_expiring_resolved',
  certificate_expired: 'certificate_expiring_resolved',
  issuance_failed: 'issuance_failed_resolved',
  renewal_failed: 'renewal_failed_resolved',
  deployment_outdated: 'deployment_outdated_resolved',
  push_failing_status: 'push_failing_status_resolved',
  push_failing_uplink: 'push_failing_uplink_resolved',
  carrier_down: 'carrier_down_resolved',
  carrier_down_silent: 'carrier_down_resolved',
  carrier_refused: 'carrier_down_resolved',
  instance_disk: 'instance_disk_resolved',
  instance_backup_old: 'instance_backup_resolved',
  instance_backup_none: 'instance_backup_resolved',
  instance_clock: 'instance_clock_resolved',
};
