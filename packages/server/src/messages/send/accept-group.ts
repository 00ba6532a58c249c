import { refusalMemos } from '@waxwing/contract/memos.ts';
import { type ContentWays, textCutFor } from '@waxwing/smpp/content-pieces.ts';
import { type SegmentedText, segmentsOf, type TextCut } from '@waxwing/smpp/text.ts';
import type { CompiledQuery } from 'kysely';
import { requiringUnchanged } from '../../database/change-log.ts';
import type { Database, Db } from '../../database/database.ts';
import type { DailyUsageRow } from '../../database/schema/message-tables.ts';
import type { EnqueuedEvents, Outbox } from '../../push/outbox/outbox.ts';
import type { QueuedPart } from '../delivery/part-queue.ts';
import { type NumberLists, readNumberLists } from '../senders/content-lists.ts';
import { refusalOf } from '../senders/content-policy.ts';
import { appendingEvents } from '../state/event-log.ts';
import { newDelivery, rejected, type Verdict } from '../state/message-state.ts';
import { type PartRef, partId } from '../state/part-event.ts';
import { statusParameters } from '../state/pushed-parameters.ts';
import { toColumns } from '../state/stored-delivery.ts';
import { type AcceptedMessage, type AcceptedRows, addingUsage, insertingAccepted } from './accept-store.ts';
import { dayOf, takeFromDay } from './quota.ts';
import type { Recipient, SendRequest } from './send-request.ts';

/** The carrier that is to take a message. */
export interface CarrierChoice {
  readonly id: string;
  /** Whether nothing leaves the house. */
  readonly simulated: boolean;
  /** Why it was chosen, in words; undefined: there was no choice. */
  readonly reason?: string | undefined;
  /** How it wants texts; undefined: as all carriers take them. */
  readonly contentWays?: ContentWays | undefined;
}

/** That a request's sender was let in. */
export interface Admission {
  /** Up to which changes this was decided on. */
  readonly revision: number;
  /** Decides again. @throws Problem when the sender is no longer admitted */
  again(): Promise<{ readonly revision: number }>;
}

/** A request that is checked and within its rate. */
export interface Acceptance {
  /** Undefined: nobody had to be let in. */
  readonly admission: Admission | undefined;
  readonly organizationId: string;
  /** The messaging key; empty when somebody sends without one. */
  readonly keyId: string;
  readonly batchId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly request: SendRequest;
  /** The first blocked word that the content holds. */
  readonly blockedWord: string | undefined;
  /** Who is to take each message of the request, in its order; undefined: nobody does. */
  readonly carriers: readonly (CarrierChoice | undefined)[];
  /** Messages a day; undefined: without limit. */
  readonly perDay: number | undefined;
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | undefined;
}

export interface AcceptNeeds {
  readonly database: Database;
  readonly outbox: Pick<Outbox, 'enqueue'>;
  /** How long carriers try, and how long receipts are waited for after that, milliseconds. */
  readonly validityMs: number;
  readonly graceMs: number;
}

/** What is known once a group is durable. */
export interface AcceptedGroup {
  /** What the carriers are to take, due at once. */
  readonly parts: readonly QueuedPart[];
  /** Messages that we refused. */
  readonly refused: number;
}

/**
 * Accepts requests in one transaction: batches, messages, their parts in the submit queue, the idempotency keys; for
 * messages that we refuse ourselves the final status, its event and its push.
 * @throws QueryFailed with a unique violation when another node has just answered a request with the same idempotency key; one
 *   that `isChangedMeanwhile` knows when a sender may not be let in any more: nothing is accepted then
 */
export async function acceptGroup(needs: AcceptNeeds, group: readonly Acceptance[]): Promise<AcceptedGroup> {
  const { database } = needs;
  const lists = await readNumberLists(
    database,
    group.flatMap(({ organizationId, request }) =>
      request.recipients.map(({ number }) => ({ organizationId, number })),
    ),
  );
  const drafts = group.map((acceptance) => draftOf(acceptance, lists));
  return {
    parts: drafts.every(isPlain) ? await acceptPlain(needs, drafts) : await acceptWithRefusals(needs, drafts),
    refused: drafts.reduce((sum, { messages }) => sum + messages.filter(isRefused).length, 0),
  };
}

interface Draft {
  readonly acceptance: Acceptance;
  readonly messages: readonly DraftMessage[];
}

interface DraftMessage {
  readonly recipient: Recipient;
  readonly position: number;
  readonly carrier: CarrierChoice | undefined;
  /** The content as its carrier is to get it. */
  readonly cut: TextCut;
  readonly text: SegmentedText;
  refusal: Verdict | undefined;
  pushId: string | null;
}

const isRefused = ({ refusal }: DraftMessage): boolean => refusal !== undefined;

/** Whether all of it goes, whatever else is sent on that day. */
function isPlain({ acceptance, messages }: Draft): boolean {
  return acceptance.perDay === undefined && !messages.some(isRefused);
}

function draftOf(acceptance: Acceptance, lists: NumberLists): Draft {
  const { organizationId, request, blockedWord, carriers } = acceptance;
  // A content is cut once for all messages that are cut alike.
  const texts = new Map([['standard' as TextCut, request.text]]);
  const messages = request.recipients.map((recipient, position) => {
    const carrier = carriers[position];
    const use = { organizationId, number: recipient.number };
    const refusal = refusalOf({
      numberBlocked: lists.isBlocked(use),
      optedOut: lists.hasOptedOut(use),
      blockedWord,
      hasCarrier: carrier !== undefined,
    });
    const ways = carrier?.contentWays;
    const cut = ways === undefined ? 'standard' : textCutFor(request.content, ways);
    const text = texts.get(cut) ?? segmentsOf(request.content, cut);
    texts.set(cut, text);
    return { recipient, position, carrier, cut, text, refusal, pushId: null };
  });
  return { acceptance, messages };
}

/** Nothing is decided on the way, so it takes one message to the writer instead of one for each statement. */
async function acceptPlain(needs: AcceptNeeds, drafts: readonly Draft[]): Promise<readonly QueuedPart[]> {
  const { database } = needs;
  const parts = drafts.flatMap((draft) => partsOf(draft, needs));
  const asked = usageOf(drafts);
  const usage = asked.length === 0 ? [] : [addingUsage(database, asked)];
  const inserts = insertingAccepted(database, toRows(drafts, needs));
  const queries = [...usage, ...inserts, ...requiringAdmitted(database, drafts)];
  await database.runBatch(queries, undefined, { isUrgent: true });
  return parts;
}

async function acceptWithRefusals(needs: AcceptNeeds, drafts: readonly Draft[]): Promise<readonly QueuedPart[]> {
  const { database, outbox } = needs;
  const { parts, committed } = await database.transaction(async (trx) => {
    await applyDailyQuotas(database, trx, drafts);
    const committed = await settleRefused(database, outbox, trx, drafts);
    const parts = drafts.flatMap((draft) => partsOf(draft, needs));
    const inserts = insertingAccepted(database, toRows(drafts, needs));
    for (const query of [...inserts, ...requiringAdmitted(database, drafts)]) await trx.executeQuery(query);
    return { parts, committed };
  });
  committed();
  return parts;
}

/** A commit may wait for seconds, in which a key is disabled, its allow-list shortened or its organization suspended. */
function requiringAdmitted(database: Database, drafts: readonly Draft[]): CompiledQuery[] {
  const revisions = drafts.flatMap(({ acceptance }) => acceptance.admission?.revision ?? []);
  return revisions.length === 0
    ? []
    : [requiringUnchanged(database, Math.min(...revisions), ['messaging-key', 'organization'])];
}

const candidatesOf = ({ messages }: Draft): DraftMessage[] => messages.filter((message) => !isRefused(message));
const dayKey = (organizationId: string, day: string): string => `${organizationId} ${day}`;

/** What would go, for each organization and day. */
function usageOf(drafts: readonly Draft[]): DailyUsageRow[] {
  const usage = new Map<string, DailyUsageRow>();
  for (const draft of drafts) {
    const { organizationId, at } = draft.acceptance;
    const day = dayOf(at);
    const key = dayKey(organizationId, day);
    const used = (usage.get(key)?.used ?? 0) + candidatesOf(draft).length;
    if (used > 0) usage.set(key, { organization_id: organizationId, day, used });
  }
  return [...usage.values()];
}

/** Counts the messages, and refuses those over the day's quota: the last ones of a batch, and of the group. */
async function applyDailyQuotas(database: Database, trx: Db, drafts: readonly Draft[]): Promise<void> {
  const asked = usageOf(drafts);
  if (asked.length === 0) return;
  const added = new Map(asked.map((row) => [dayKey(row.organization_id, row.day), row.used]));
  const excess: DailyUsageRow[] = [];
  const { rows } = await trx.executeQuery(addingUsage(database, asked));
  for (const { organization_id, day, used } of rows) {
    let usage = { day, used: used - (added.get(dayKey(organization_id, day)) ?? 0) };
    for (const draft of drafts) {
      const { organizationId, at, perDay } = draft.acceptance;
      if (organizationId !== organization_id || dayOf(at) !== day) continue;
      const asking = candidatesOf(draft);
      const grant = takeFromDay(usage, perDay, asking.length, at);
      usage = grant.usage;
      for (const message of asking.slice(grant.granted)) message.refusal = rejected(refusalMemos.dailyQuota);
    }
    if (usage.used < used) excess.push({ organization_id, day, used: usage.used - used });
  }
  if (excess.length > 0) await trx.executeQuery(addingUsage(database, excess));
}

/** Refused messages have their final status at once: an event and a push like any other. */
async function settleRefused(
  database: Database,
  outbox: Pick<Outbox, 'enqueue'>,
  trx: Db,
  drafts: readonly Draft[],
): Promise<EnqueuedEvents['committed']> {
  const refused = drafts.flatMap(({ acceptance, messages }) =>
    messages.flatMap((message) =>
      message.refusal === undefined ? [] : [{ acceptance, message, verdict: message.refusal }],
    ),
  );
  const at = Math.max(...drafts.map(({ acceptance }) => acceptance.at));
  const events = refused.map(({ acceptance, message }) => ({
    organizationId: acceptance.organizationId,
    kind: 'status' as const,
    subjectId: acceptance.batchId,
    position: message.position,
  }));
  for (const query of appendingEvents(database, events, at)) await trx.executeQuery(query);
  const { results, committed } = await outbox.enqueue(
    trx,
    refused.map(({ acceptance, message, verdict }) => ({
      organizationId: acceptance.organizationId,
      kind: 'status' as const,
      query: statusParameters(acceptance.batchId, message.recipient.mobile, verdict),
    })),
  );
  for (const [index, { message }] of refused.entries()) {
    const result = results[index];
    message.pushId = result?.state === 'queued' ? result.pushId : null;
  }
  return committed;
}

function toRows(drafts: readonly Draft[], { validityMs, graceMs }: AcceptNeeds): AcceptedRows {
  return {
    batches: drafts.map(({ acceptance, messages }) => ({
      organization_id: acceptance.organizationId,
      id: acceptance.batchId,
      key_id: acceptance.keyId,
      content: acceptance.request.content,
      sender: acceptance.request.sender ?? null,
      messages: messages.length,
      accepted_at: acceptance.at,
    })),
    messages: drafts.flatMap((draft) => draft.messages.map((message) => toMessageRow(draft, message))),
    keys: drafts.flatMap(({ acceptance: { organizationId, keyId, batchId, at, idempotency } }) =>
      idempotency === undefined
        ? []
        : [
            {
              organization_id: organizationId,
              key_id: keyId,
              idempotency_key: idempotency.key,
              fingerprint: idempotency.fingerprint,
              batch_id: batchId,
              answered_at: at,
            },
          ],
    ),
    validityMs,
    graceMs,
  };
}

function toMessageRow({ acceptance }: Draft, message: DraftMessage): AcceptedMessage {
  const { request, at } = acceptance;
  const { carrier, cut, text } = message;
  const { parts, status, memo } = toColumns({ ...newDelivery(text.segments.length), verdict: message.refusal });
  return {
    organization_id: acceptance.organizationId,
    batch_id: acceptance.batchId,
    position: message.position,
    mobile: message.recipient.mobile,
    number: message.recipient.number,
    segments: request.text.segments.length,
    parts,
    status,
    memo,
    carrier_id: carrier?.id ?? null,
    carrier_reason: message.refusal === undefined ? (carrier?.reason ?? null) : null,
    simulated: carrier?.simulated && message.refusal === undefined ? 1 : 0,
    accepted_at: at,
    push_id: message.pushId,
    text_cut: cut === 'standard' ? null : cut,
  };
}

/** None for refused messages. */
function partsOf({ acceptance, messages }: Draft, { validityMs }: AcceptNeeds): QueuedPart[] {
  const { organizationId, batchId, request, at } = acceptance;
  const toPart = (message: DraftMessage, carrierId: string, part: number): QueuedPart => {
    const { encoding, segments } = message.text;
    const ref: PartRef = { organizationId, batchId, position: message.position, part };
    return {
      ref,
      id: partId(ref),
      carrierId,
      number: message.recipient.number,
      sender: request.sender,
      encoding,
      text: segments[part] ?? '',
      total: segments.length,
      attempts: 0,
      unanswered: 0,
      refusedBy: [],
      validUntil: at + validityMs,
    };
  };
  return messages.flatMap((message) => {
    const { carrier, text } = message;
    if (carrier === undefined || isRefused(message)) return [];
    return text.segments.map((_, part) => toPart(message, carrier.id, part));
  });
}
