import type { AlertNotice } from '@waxwing/contract/management-api/alert-notices.ts';
import type { Ground } from '../../audit/ground.ts';
import type { AlertChannelRow, AlertRow } from '../../database/schema/alert-tables.ts';
import { findOrganization } from '../../organizations/organization.ts';
import { firstIdAt } from '../../runtime/clock.ts';
import { SealError } from '../../secrets/envelope.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { targetOf } from '../channels/channel-target.ts';
import { sentencesOf } from '../rules/alert-sentences.ts';
import { type Notice, refused, type SendResult } from '../senders/notice.ts';
import type { SendNotices } from '../senders/send-notice.ts';
import { giveUpBefore, listDueChannels, readNextDigest, recordAttempt, recordChannelAttempt } from './alert-store.ts';

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
/** What was told so long ago is not tried again. */
export const giveUpAfterMs = 24 * hourMs;
const channelsAtOnce = 4;

/** How long a channel is left alone after so many attempts in a row that were not accepted. */
export function retryAfterMs(failures: number): number {
  return waitsMs[failures - 1] ?? hourMs;
}

/**
 * Sends what waits to every channel that may be tried now, one after the other, until the first that is not accepted.
 * An attempt that could not be recorded is made again.
 * @returns how many attempts were made
 */
export async function deliverAlerts(needs: DeliveryNeeds, signal: AbortSignal): Promise<number> {
  const due = await listDueChannels(needs.database.db, needs.clock.now());
  let attempts = 0;
  const next = due.values();
  const work = async () => {
    for (const channel of next) attempts += await deliverTo(needs, channel, signal);
  };
  await Promise.all(Array.from({ length: channelsAtOnce }, work));
  return attempts;
}

async function deliverTo(needs: DeliveryNeeds, channel: AlertChannelRow, signal: AbortSignal): Promise<number> {
  const { database, clock, log } = needs;
  let { failures } = channel;
  for (let attempts = 0; ; attempts += 1) {
    const alerts = signal.aborted ? [] : await readNextDigest(database.db, channel.id);
    const [first] = alerts;
    if (first === undefined) return attempts;
    const digestId = first.digest_id;
    const result = await send(needs, channel, digestId, await toNotices(needs, alerts), signal);
    // What was cut off on our side tells nothing of the receiver.
    if (signal.aborted) return attempts;
    const outcome = outcomeOf(result, first.at, clock.now());
    failures = result.kind === 'sent' ? 0 : failures + 1;
    await record(needs, { ...channel, failures }, digestId, outcome, result);
    needs.onResult?.(channel.kind, outcome, alerts.length);
    const fields = { channel: channel.id, kind: channel.kind, alerts: alerts.length, digest: digestId };
    log.info({ ...fields, result: outcome, ...(result.kind === 'refused' && { error: result.words }) }, 'alerts sent');
    if (result.kind === 'refused') return attempts + 1;
  }
}

async function send(
  { ring, send }: DeliveryNeeds,
  channel: AlertChannelRow,
  digestId: string,
  notices: readonly Notice[],
  signal: AbortSignal,
): Promise<SendResult> {
  try {
    return await send(targetOf(ring(), channel), notices, digestId, signal);
  } catch (error) {
    if (error instanceof SealError) return refused(`Its URL cannot be opened: ${error.message}`);
    throw error;
  }
}

type Outcome = 'sent' | 'refused' | 'failed';

function outcomeOf(result: SendResult, toldAt: number, now: number): Outcome {
  if (result.kind === 'sent') return 'sent';
  return result.retryable && now - toldAt < giveUpAfterMs ? 'refused' : 'failed';
}

async function record(
  { feed, clock }: DeliveryNeeds,
  { id, failures, organization_id }: AlertChannelRow,
  digestId: string,
  outcome: Outcome,
  result: SendResult,
): Promise<void> {
  const at = clock.now();
  const error = result.kind === 'refused' ? result.words : null;
  const state = outcome === 'refused' ? 'waiting' : outcome;
  await feed.write(async (trx, note) => {
    await recordAttempt(trx, { channelId: id, digestId, state, error, at });
    if (error !== null) await giveUpBefore(trx, id, firstIdAt(at - giveUpAfterMs), at);
    const channel =
      error === null
        ? { failures: 0, retry_at: 0, last_error: null, last_sent_at: at }
        : { failures, retry_at: at + retryAfterMs(failures), last_error: error };
    await recordChannelAttempt(trx, id, channel);
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
