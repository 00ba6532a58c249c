import type { AlertNotice } from '@waxwing/contract/management-api/alert-notices.ts';
import type { Ground } from '../../audit/ground.ts';
import type { AlertChannelRow, AlertRow } from '../../database/schema/alert-tables.ts';
import { findOrganization } from '../../organizations/organization.ts';
import { firstIdAt } from '../../runtime/clock.ts';
import { wait } from '../../runtime/wait.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { sendToChannel } from '../channels/send-to-channel.ts';
import { sentencesOf } from '../rules/alert-sentences.ts';
import type { Notice, SendResult } from '../senders/notice.ts';
import type { SendNotices } from '../senders/send-notice.ts';
import {
  findDueChannel,
  giveUpBefore,
  listDueChannels,
  readNextDigest,
  recordAttempt,
  recordChannelAttempt,
} from './alert-store.ts';

export interface DeliveryNeeds extends Pick<Ground, 'database' | 'feed' | 'clock'> {
  readonly ring: () => KeyRing;
  readonly send: SendNotices;
  readonly log: { info(fields: Record<string, unknown>, message: string): void };
  /** @param result `sent`, `refused` (to be tried again) or `failed` (given up) */
  readonly onResult?: (kind: AlertChannelRow['kind'], result: 'sent' | 'refused' | 'failed', alerts: number) => void;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const waitsMs = [minuteMs / 2, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs] as const;
/** A delivery this old is not tried again. */
export const giveUpAfterMs = 24 * hourMs;
/** Attempts at once: of all, and of the channels of one owner, whose receivers may all be slow. */
const attemptsAtOnce = { all: 16, owner: 4 };
const lookAgainMs = 1_000;

/** How long a channel is left alone after so many attempts in a row that were not accepted. */
export function retryAfterMs(failures: number): number {
  return waitsMs[failures - 1] ?? hourMs;
}

/**
 * Sends what waits to every channel that may be tried now: to each one digest a turn, so that no channel and no owner
 * holds up the others. Ends when nothing is left to do. An attempt that could not be recorded is made again.
 * @returns how many attempts were made
 */
export async function deliverAlerts(needs: DeliveryNeeds, signal: AbortSignal): Promise<number> {
  const { database, clock } = needs;
  /** Channels whose turn comes, with their owners, and those that are being tried. */
  const turns = new Map<string, string>();
  const busy = new Map<string, { readonly owner: string; readonly end: Promise<void> }>();
  let attempts = 0;

  async function listTurns(): Promise<void> {
    for (const { id, organization_id } of await listDueChannels(database.db, clock.now())) {
      if (!busy.has(id)) turns.set(id, organization_id);
    }
  }

  function start(id: string, owner: string): void {
    turns.delete(id);
    const end = deliverNext(needs, id, signal)
      .then((made) => {
        attempts += made;
      })
      .finally(() => busy.delete(id));
    busy.set(id, { owner, end });
  }

  function startTurns(): void {
    const byOwner = Map.groupBy(busy.values(), ({ owner }) => owner);
    const counts = new Map([...byOwner].map(([owner, { length }]) => [owner, length]));
    for (const [id, owner] of turns) {
      if (busy.size >= attemptsAtOnce.all) return;
      const count = counts.get(owner) ?? 0;
      if (count >= attemptsAtOnce.owner) continue;
      counts.set(owner, count + 1);
      start(id, owner);
    }
  }

  const ends = () => [...busy.values()].map(({ end }) => end);
  try {
    for (let listedAt = Number.NEGATIVE_INFINITY; !signal.aborted; ) {
      const age = clock.monotonic() - listedAt;
      if (turns.size === 0 || age >= lookAgainMs) {
        await listTurns();
        listedAt = clock.monotonic();
      }
      startTurns();
      if (busy.size === 0) break;
      const settled = new AbortController();
      await Promise.race([...ends(), wait(lookAgainMs, AbortSignal.any([signal, settled.signal]))]);
      settled.abort();
    }
  } finally {
    await Promise.allSettled(ends());
  }
  return attempts;
}

/** The channel is read anew for each attempt: its URL may have changed. @returns how many attempts were made */
async function deliverNext(needs: DeliveryNeeds, id: string, signal: AbortSignal): Promise<0 | 1> {
  const { database, clock, log } = needs;
  const channel = await findDueChannel(database.db, id, clock.now());
  if (channel === undefined) return 0;
  await giveUpOld(needs, channel);
  const alerts = await readNextDigest(database.db, id);
  const [first] = alerts;
  if (first === undefined || signal.aborted) return 0;
  // The rest of a digest that did not fit into its first message is another message.
  const deliveryId = `${first.digest_id}.${first.id}`;
  const result = await sendToChannel(needs, channel, await toNotices(needs, alerts), deliveryId, signal);
  // What was cut off on our side tells nothing of the receiver.
  if (signal.aborted) return 0;
  const tried = result.kind === 'sent' ? alerts.slice(0, result.count) : alerts;
  const outcome = outcomeOf(result, first.at, clock.now());
  await record(needs, channel, tried, outcome, result);
  needs.onResult?.(channel.kind, outcome, tried.length);
  const fields = { channel: id, kind: channel.kind, alerts: tried.length, digest: first.digest_id, result: outcome };
  if (result.kind === 'sent') log.info(fields, 'alerts sent');
  else log.info({ ...fields, error: result.words }, 'alerts not accepted');
  return 1;
}

/** After an outage or a restore much may be old. */
async function giveUpOld({ database, clock, onResult }: DeliveryNeeds, channel: AlertChannelRow): Promise<void> {
  const now = clock.now();
  const count = await giveUpBefore(database.db, channel.id, firstIdAt(now - giveUpAfterMs), now);
  if (count > 0) onResult?.(channel.kind, 'failed', count);
}

type Outcome = 'sent' | 'refused' | 'failed';

function outcomeOf(result: SendResult, toldAt: number, now: number): Outcome {
  if (result.kind === 'sent') return 'sent';
  return result.retryable && now - toldAt < giveUpAfterMs ? 'refused' : 'failed';
}

/** Unless the channel was changed meanwhile: then the attempt is made again, by what it is now. */
async function record(
  { feed, clock }: DeliveryNeeds,
  channel: AlertChannelRow,
  alerts: readonly Pick<AlertRow, 'id'>[],
  outcome: Outcome,
  result: SendResult,
): Promise<void> {
  const at = clock.now();
  const { id, organization_id } = channel;
  const error = result.kind === 'refused' ? result.words : null;
  const failures = channel.failures + 1;
  const state = outcome === 'refused' ? 'waiting' : outcome;
  await feed.write(async (trx, note) => {
    const change =
      error === null
        ? { failures: 0, retry_at: 0, last_error: null, last_sent_at: at }
        : { failures, retry_at: at + retryAfterMs(failures), last_error: error };
    if (!(await recordChannelAttempt(trx, channel, change))) return;
    const alertIds = alerts.map((alert) => alert.id);
    await recordAttempt(trx, { channelId: id, alertIds, state, error, at });
    note('alert-channel', id, organization_id === '' ? undefined : organization_id);
  });
}

async function toNotices({ database }: DeliveryNeeds, alerts: readonly AlertRow[]): Promise<readonly Notice[]> {
  const names = new Map<string, string>();
  for (const id of new Set(alerts.map(({ organization_id }) => organization_id))) {
    if (id !== '') names.set(id, (await findOrganization(database.db, id))?.name ?? id);
  }
  return alerts.map(({ id, type, at, organization_id, notice, parameters }) => ({
    ...{ id, type, at },
    organization: organization_id === '' ? null : { id: organization_id, name: names.get(organization_id) ?? '' },
    ...sentencesOf(notice as AlertNotice, JSON.parse(parameters) as Record<string, string | number>),
  }));
}
