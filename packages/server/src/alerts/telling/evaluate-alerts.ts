import type { AlertType } from '@waxwing/contract/management-api/alert-notices.ts';
import type { Ground } from '../../audit/ground.ts';
import type { Db } from '../../database/database.ts';
import { holdLease } from '../../database/lease-store.ts';
import type { AlertDeliveryRow, AlertRow } from '../../database/schema/alert-tables.ts';
import { newId } from '../../runtime/clock.ts';
import type { Lease } from '../../runtime/lease.ts';
import { destinationOf } from '../channels/alert-channel.ts';
import { type ListeningChannel, listListening } from '../channels/alert-channel-store.ts';
import { type AlertLimits, aboutOf, type Condition, judge } from '../rules/alert-rules.ts';
import type { Fact, FactSource } from '../rules/fact-source.ts';
import { type Decision, keyOf, type Told, whatToTell } from '../rules/what-to-tell.ts';
import { forgetKnown, insertAlerts, listKnown, listSuspended, putKnown, wakeChannels } from './alert-store.ts';
import { listenersOf } from './listeners.ts';

export interface EvaluationNeeds extends Pick<Ground, 'database' | 'feed' | 'clock'> {
  readonly limits: AlertLimits;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

/** An event that is older is news to nobody. */
export const eventsCountMs = 7 * 86_400_000;

/**
 * Reads facts, decides what to tell, and writes what is told together with what was told before: in one transaction, so
 * that nothing is told twice or lost. A source that fails leaves what it decides as it is.
 * @param lease what must be held until that is written; undefined for what a server decides about itself alone
 * @returns how much was told
 */
export async function evaluateAlerts(
  needs: EvaluationNeeds,
  sources: readonly FactSource[],
  lease?: Pick<Lease, 'name' | 'epoch'>,
): Promise<number> {
  const { database, feed, clock } = needs;
  const now = clock.now();
  const found = await readFacts(needs, sources, now);
  const first = await decide(needs, database.db, found, now);
  if (isNothing(first.decision)) return 0;
  return feed.write(async (trx, note) => {
    if (lease !== undefined && !(await holdLease(trx, lease.name, lease.epoch))) return 0;
    const { decision, channels } = await decide(needs, trx, found, now);
    for (const known of decision.keep) await putKnown(trx, known);
    for (const about of decision.forget) await forgetKnown(trx, about);
    const { alerts, deliveries } = toRows(decision.tell, channels, now);
    await insertAlerts(trx, alerts, deliveries);
    await wakeChannels(trx, [...new Set(deliveries.map(({ channel_id }) => channel_id))]);
    // One note for each organization: whoever hears it reads its list.
    const latest = new Map(alerts.map(({ organization_id, id }) => [organization_id, id]));
    for (const [organizationId, id] of latest) note('alert', id, organizationId === '' ? undefined : organizationId);
    return alerts.length;
  });
}

interface Found {
  readonly facts: readonly Fact[];
  /** What is not among the facts of these types is over; of the other ones it may be as it was. */
  readonly types: readonly AlertType[];
  readonly completeTypes: ReadonlySet<AlertType>;
  readonly ofServer: string | undefined;
}

async function readFacts(needs: EvaluationNeeds, sources: readonly FactSource[], now: number): Promise<Found> {
  const since = await eventsSince(needs, now);
  const facts: Fact[] = [];
  const types: AlertType[] = [];
  const completeTypes = new Set<AlertType>();
  for (const { decides, read } of sources) {
    try {
      const found = await read(now, since);
      facts.push(...found.facts);
      types.push(...decides);
      if (found.complete) for (const type of decides) completeTypes.add(type);
    } catch (error) {
      needs.log.warn({ err: error, decides }, 'alerts could not be decided; the next look tries again');
    }
  }
  return { facts, types, completeTypes, ofServer: sources.find(({ ofServer }) => ofServer !== undefined)?.ofServer };
}

/** Undefined when nobody hears of events. */
async function eventsSince({ database }: EvaluationNeeds, now: number): Promise<number | undefined> {
  const [oldest] = (await listListening(database.db)).map(({ created_at }) => created_at).sort((a, b) => a - b);
  return oldest === undefined ? undefined : Math.max(oldest, now - eventsCountMs);
}

async function decide(
  { limits }: EvaluationNeeds,
  db: Db,
  { facts, types, completeTypes, ofServer }: Found,
  now: number,
): Promise<{ readonly decision: Decision; readonly channels: readonly ListeningChannel[] }> {
  const channels = await listListening(db);
  const suspended = await listSuspended(db);
  const isCounted = ({ organizationId }: { readonly organizationId: string }) => !suspended.has(organizationId);
  const known = (await listKnown(db, types, ofServer)).filter(isCounted);
  const before = new Set(known.map(keyOf));
  const conditions: Condition[] = [];
  const unchanged = new Set(known.filter(({ type }) => !completeTypes.has(type)).map(keyOf));
  for (const fact of facts) {
    const about = aboutOf(fact);
    if (!isCounted(about)) continue;
    const key = keyOf(about);
    const verdict = judge(fact, now, limits, before.has(key));
    if (verdict === 'unchanged') unchanged.add(key);
    else if (verdict !== undefined) conditions.push(verdict);
    else unchanged.delete(key);
  }
  const isHeard = (organizationId: string, eventAt: number | undefined) =>
    listenersOf(channels, organizationId, eventAt).length > 0;
  return { decision: whatToTell({ now, conditions, unchanged, known, isHeard }), channels };
}

function isNothing({ tell, keep, forget }: Decision): boolean {
  return tell.length === 0 && keep.length === 0 && forget.length === 0;
}

/** What one look tells one channel is one digest; a webhook gets each alert by itself. */
function toRows(
  tell: readonly Told[],
  channels: readonly ListeningChannel[],
  at: number,
): { readonly alerts: readonly AlertRow[]; readonly deliveries: readonly AlertDeliveryRow[] } {
  const digests = new Map<string, string>();
  const alerts: AlertRow[] = [];
  const deliveries: AlertDeliveryRow[] = [];
  for (const { type, organizationId, aboutId, notice, parameters, eventAt } of tell) {
    const id = newId(at);
    const about = { organization_id: organizationId, type, about_id: aboutId };
    alerts.push({ id, ...about, notice, parameters: JSON.stringify(parameters), at });
    for (const channel of listenersOf(channels, organizationId, eventAt)) {
      const digest = channel.kind === 'webhook' ? id : (digests.get(channel.id) ?? newId(at));
      digests.set(channel.id, digest);
      deliveries.push({
        ...{ alert_id: id, channel_id: channel.id, organization_id: organizationId, digest_id: digest },
        ...{ kind: channel.kind, channel: channel.name, destination: destinationOf(channel) },
        ...{ state: 'waiting', attempts: 0, tried_at: 0, ended_at: null, last_error: null },
      });
    }
  }
  return { alerts, deliveries };
}
