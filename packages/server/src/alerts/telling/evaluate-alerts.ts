import type { AlertType } from '@waxwing/contract/management-api/alert-notices.ts';
import type { Ground } from '../../audit/ground.ts';
import type { Db } from '../../database/database.ts';
import { holdLease } from '../../database/lease-store.ts';
import type { AlertDeliveryRow, AlertRow } from '../../database/schema/alert-tables.ts';
import { newId } from '../../runtime/clock.ts';
import type { Lease } from '../../runtime/lease.ts';
import { never, unlessAborted } from '../../runtime/wait.ts';
import { destinationOf } from '../channels/alert-channel.ts';
import { type ListeningChannel, listListening } from '../channels/alert-channel-store.ts';
import { type About, type AlertLimits, aboutOf, type Condition, judge } from '../rules/alert-rules.ts';
import type { Fact, FactSource } from '../rules/fact-source.ts';
import { type Decision, type Known, keyOf, type Told, whatToTell } from '../rules/what-to-tell.ts';
import { inParts, insertAlerts, listHearers, listSuspended, wakeChannels } from './alert-store.ts';
import { findKnown, forgetKnown, type KnownFilter, listKnown, putKnown } from './condition-store.ts';
import { type FindListeners, listenersAmong } from './listeners.ts';

export interface EvaluationNeeds extends Pick<Ground, 'database' | 'feed' | 'clock'> {
  readonly limits: AlertLimits;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

/** Few enough that nobody waits for the transaction that writes them. */
const atOnce = 100;

/**
 * Reads facts, decides what to tell, and writes what is told together with what was told before: in portions, each by one
 * transaction that decides again, so that nothing is told twice or lost. A source that fails leaves what it decides as
 * it is.
 * @param lease what must be held until that is written; undefined for what a server decides about itself alone
 * @param signal aborted when the server stops: no further portion is begun
 * @returns how much was told
 * @throws the reason of the signal
 */
export async function evaluateAlerts(
  needs: EvaluationNeeds,
  sources: readonly FactSource[],
  lease?: Pick<Lease, 'name' | 'epoch'>,
  signal: AbortSignal = never,
): Promise<number> {
  const { database, clock } = needs;
  const now = clock.now();
  const found = await readFacts(needs, sources, now, signal);
  const { decision } = await decide(needs, database.db, found, now, await listKnown(database.db, found));
  const changing = new Map([...decision.keep, ...decision.forget].map((about) => [keyOf(about), about]));
  let told = 0;
  for (const part of inParts([...changing.values()], atOnce)) {
    signal.throwIfAborted();
    const count = await tellPart(needs, partOf(found, part), part, now, lease);
    // Another server has the lease.
    if (count === undefined) break;
    told += count;
  }
  return told;
}

/** @returns how much was told; undefined without the lease */
async function tellPart(
  needs: EvaluationNeeds,
  found: Found,
  part: readonly About[],
  now: number,
  lease: Pick<Lease, 'name' | 'epoch'> | undefined,
): Promise<number | undefined> {
  return needs.feed.write(async (trx, note) => {
    if (lease !== undefined && !(await holdLease(trx, lease.name, lease.epoch))) return undefined;
    const { decision, channels } = await decide(needs, trx, found, now, await findKnown(trx, part));
    await putKnown(trx, decision.keep);
    await forgetKnown(trx, decision.forget);
    const ended = decision.tell.flatMap(({ endOf }) => endOf ?? []);
    const { alerts, deliveries } = toRows(decision.tell, channels, await listHearers(trx, ended), now);
    await insertAlerts(trx, alerts, deliveries);
    await wakeChannels(trx, [...new Set(deliveries.map(({ channel_id }) => channel_id))]);
    // One note for each organization: whoever hears it reads its list.
    const latest = new Map(alerts.map(({ organization_id, id }) => [organization_id, id]));
    for (const [organizationId, id] of latest) note('alert', id, organizationId === '' ? undefined : organizationId);
    return alerts.length;
  });
}

interface Found extends KnownFilter {
  /** By `keyOf` of what they are about. */
  readonly facts: ReadonlyMap<string, Fact>;
}

function partOf(found: Found, part: readonly About[]): Found {
  const facts = part.map(keyOf).flatMap((key) => {
    const fact = found.facts.get(key);
    return fact === undefined ? [] : [[key, fact] as const];
  });
  return { ...found, facts: new Map(facts) };
}

async function readFacts(
  needs: EvaluationNeeds,
  sources: readonly FactSource[],
  now: number,
  signal: AbortSignal,
): Promise<Found> {
  const since = await eventsSince(needs);
  const facts = new Map<string, Fact>();
  const types: AlertType[] = [];
  for (const { decides, read } of sources) {
    try {
      const found = await unlessAborted(read(now, since), signal);
      if (found === undefined) continue;
      for (const fact of found) facts.set(keyOf(aboutOf(fact)), fact);
      types.push(...decides);
    } catch (error) {
      signal.throwIfAborted();
      needs.log.warn({ err: error, decides }, 'alerts could not be decided; the next look tries again');
    }
  }
  return { facts, types, ofServer: sources.find(({ ofServer }) => ofServer !== undefined)?.ofServer };
}

/** Since when anybody hears of events; undefined when nobody does. */
async function eventsSince({ database }: EvaluationNeeds): Promise<number | undefined> {
  const [oldest] = (await listListening(database.db)).map(({ created_at }) => created_at).sort((a, b) => a - b);
  return oldest;
}

/** @param all what is known of what the facts decide */
async function decide(
  { limits }: EvaluationNeeds,
  db: Db,
  { facts }: Found,
  now: number,
  all: readonly Known[],
): Promise<{ readonly decision: Decision; readonly channels: readonly ListeningChannel[] }> {
  const channels = await listListening(db);
  const suspended = await listSuspended(db);
  const isCounted = ({ organizationId }: { readonly organizationId: string }) => !suspended.has(organizationId);
  const known = new Map(all.filter(isCounted).map((each) => [keyOf(each), each]));
  const conditions: Condition[] = [];
  const unchanged = new Set<string>();
  for (const [key, fact] of facts) {
    if (!isCounted(aboutOf(fact))) continue;
    const verdict = judge(fact, now, limits, known.get(key));
    if (verdict === 'unchanged') unchanged.add(key);
    else if (verdict === 'elsewhere') known.delete(key);
    else if (verdict !== undefined) conditions.push(verdict);
  }
  const listenersOf = listenersAmong(channels);
  const isHeard = (organizationId: string, eventAt: number | undefined) =>
    listenersOf(organizationId, eventAt).length > 0;
  return { decision: whatToTell({ now, conditions, unchanged, known: [...known.values()], isHeard }), channels };
}

/** The alerts of one portion to one channel are one digest; a webhook gets each alert by itself. */
function toRows(
  tell: readonly Told[],
  channels: readonly ListeningChannel[],
  hearers: ReadonlyMap<string, ReadonlySet<string>>,
  at: number,
): { readonly alerts: readonly AlertRow[]; readonly deliveries: readonly AlertDeliveryRow[] } {
  const digests = new Map<string, string>();
  const alerts: AlertRow[] = [];
  const deliveries: AlertDeliveryRow[] = [];
  const listenersOf = listenersAmong(channels);
  for (const { type, organizationId, aboutId, notice, parameters, eventAt, endOf } of tell) {
    const id = newId(at);
    const about = { organization_id: organizationId, type, about_id: aboutId };
    alerts.push({ id, ...about, notice, parameters: JSON.stringify(parameters), at });
    const listening =
      endOf === undefined
        ? listenersOf(organizationId, eventAt)
        : hearersOf(endOf, channels, hearers.get(keyOf(endOf)), listenersOf);
    for (const channel of listening) {
      const digest = channel.kind === 'webhook' ? id : (digests.get(channel.id) ?? newId(at));
      digests.set(channel.id, digest);
      deliveries.push({
        ...{ alert_id: id, channel_id: channel.id, organization_id: organizationId, digest_id: digest },
        ...{ channel_organization_id: channel.organization_id },
        ...{ kind: channel.kind, channel: channel.name, destination: destinationOf(channel) },
        ...{ state: 'waiting', attempts: 0, tried_at: 0, ended_at: null, last_error: null },
      });
    }
  }
  return { alerts, deliveries };
}

/** The end of something goes where its beginning went, or to those who listen where that is no longer kept. */
function hearersOf(
  { toldAt, organizationId }: Known,
  channels: readonly ListeningChannel[],
  heard: ReadonlySet<string> | undefined,
  listenersOf: FindListeners<ListeningChannel>,
): readonly ListeningChannel[] {
  if (toldAt === null) return [];
  return heard === undefined ? listenersOf(organizationId) : channels.filter(({ id }) => heard.has(id));
}
