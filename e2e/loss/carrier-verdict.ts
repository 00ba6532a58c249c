/**
 * The no-loss oracle of a link to a carrier: compares what a proxy saw between server and carrier with the database when
 * nothing is open. Throws an AssertionError with the first lost, forged or unexplained item.
 */
import assert from 'node:assert/strict';
import type {
  CarrierMessageRow,
  MessageRow,
  OrphanReceiptRow,
  ReplyRow,
} from '../../packages/server/src/database/schema/message-tables.ts';
import type { CarrierRecord, SeenDelivery, SeenSubmit } from './carrier-proxy.ts';

/** What the database holds of a carrier at the end. */
export interface CarrierTraces {
  readonly messages: readonly MessageRow[];
  readonly replies: readonly ReplyRow[];
  /** Which part the carrier means by an id. */
  readonly carrierMessages: readonly CarrierMessageRow[];
  /** Receipts for ids that are not known. */
  readonly orphans: readonly OrphanReceiptRow[];
}

/** What the story did, epoch milliseconds. */
export interface CarrierStory {
  readonly serverKilledAt: readonly number[];
  /** A reset drops what the server has not read yet. */
  readonly cutAt: readonly number[];
  /** After so long the server takes an answer for missing, ms. */
  readonly responseTimeoutMs: number;
  /** When the ends of all open messages were moved to. Receipts after that come too late. */
  readonly graceEndedAt: number;
  /** How often a part may reach the carrier while its submits are not answered. */
  readonly mostUnanswered: number;
}

export interface CarrierCounts {
  readonly delivered: number;
  readonly failed: number;
  /** UNDELIV because the end of the grace came first. */
  readonly withoutReceipt: number;
  readonly receipts: number;
  /** Receipts that were acknowledged more than once. */
  readonly repeatedReceipts: number;
  readonly orphans: number;
  /** Submits of a part that came before: why the former one was not enough. */
  readonly again: { readonly refused: number; readonly unanswered: number; readonly unrecorded: number };
}

const finalStates: Readonly<Record<number, string>> = { 2: 'D', 3: 'U', 4: 'U', 5: 'U', 7: 'U', 8: 'R', 9: 'U' };
/** A result is committed within this, or it was lost with its process. */
const commitMs = 5_000;
/** The proxy sees what a killed server had sent, and the end of its connections, this long after the kill at the latest. */
const onItsWayMs = 1_000;

export function checkCarrier(record: CarrierRecord, traces: CarrierTraces, story: CarrierStory): CarrierCounts {
  const receipts = record.deliveries.filter(({ receipt }) => receipt !== undefined);
  const acknowledged = receipts.filter(({ acknowledgedAt }) => acknowledgedAt !== undefined);
  const inTime = acknowledged.filter(({ acknowledgedAt }) => (acknowledgedAt ?? 0) < story.graceEndedAt);
  const counts = {
    ...{ delivered: 0, failed: 0, withoutReceipt: 0 },
    receipts: acknowledged.length,
    repeatedReceipts: acknowledged.length - new Set(acknowledged.map(idOf)).size,
    orphans: traces.orphans.length,
    again: countAgain(record.submits, story),
  };
  const numbers = new Map(traces.messages.map(({ batch_id, position, number }) => [`${batch_id} ${position}`, number]));
  /** The parts that receipts mean, as far as the server was told their ids. */
  const meant = new Map(
    traces.carrierMessages.map(({ carrier_message_id: id, batch_id, position, part }) => [
      id,
      `${numbers.get(`${batch_id} ${position}`)?.slice(1)} ${part}`,
    ]),
  );
  const orphans = new Set(traces.orphans.map(({ carrier_message_id: id }) => id));
  for (const receipt of acknowledged) {
    const part = meant.get(idOf(receipt));
    const isKept = part !== undefined || orphans.has(idOf(receipt));
    assert.ok(isKept, `the receipt for ${idOf(receipt)} was acknowledged and is gone`);
    if (part !== undefined) assert.ok(part.startsWith(`${receipt.from} `), `${idOf(receipt)} is on ${part}`);
  }
  const told = Map.groupBy(receipts, (receipt) => meant.get(idOf(receipt)));
  const toldInTime = Map.groupBy(inTime, (receipt) => meant.get(idOf(receipt)));
  const refused = new Set(record.submits.filter(({ answer }) => (answer?.status ?? 0) !== 0).map(partOf));
  for (const message of traces.messages) {
    const { number, parts, status } = message;
    assert.ok(status !== null, `${number} has no final status`);
    counts[status === 'DELIVRD' ? 'delivered' : 'failed'] += 1;
    checkAggregate(message);
    [...parts].forEach((state, index) => {
      const part = `${number.slice(1)} ${index}`;
      const words = (toldInTime.get(part) ?? []).map(stateOf);
      assert.ok(words.length === 0 || words.includes(state), `${part} is ${state}, though ${words} was acknowledged`);
      if (words.length === 0 && state === 'U') counts.withoutReceipt += 1;
      const isTold = (told.get(part) ?? []).some((receipt) => stateOf(receipt) === state);
      if (state === 'D') assert.ok(isTold, `${part} is DELIVRD, and no receipt says so`);
      if (state === 'R') assert.ok(isTold || refused.has(part), `${part} is REJECTED, and nobody says so`);
    });
  }
  checkReplies(record.deliveries, traces.replies);
  return counts;
}

const idOf = ({ receipt }: SeenDelivery): string => receipt?.messageId ?? '';
const stateOf = ({ receipt }: SeenDelivery): string | undefined => finalStates[receipt?.state ?? -1];

/** DELIVRD when all parts are, else REJECTED before UNDELIV. */
function checkAggregate({ number, parts, status }: MessageRow): void {
  const expected = parts.includes('R') ? 'REJECTED' : /^D+$/.test(parts) ? 'DELIVRD' : 'UNDELIV';
  assert.equal(status, parts.includes('q') && status === 'REJECTED' ? status : expected, `${number}: ${parts}`);
}

/** Why a part came to the carrier again. */
function countAgain(submits: readonly SeenSubmit[], story: CarrierStory) {
  const again = { refused: 0, unanswered: 0, unrecorded: 0 };
  for (const [part, all] of Map.groupBy(submits, partOf)) {
    const causes = all.slice(0, -1).map((submit, index) => causeOf(part, submit, all[index + 1]?.at ?? 0, story));
    for (const cause of causes) again[cause] += 1;
    const unanswered = causes.filter((cause) => cause === 'unanswered').length;
    assert.ok(unanswered < story.mostUnanswered, `part ${part} came ${unanswered + 1} times without an answer`);
  }
  return again;
}

function causeOf(part: string, { at, answer, connection }: SeenSubmit, next: number, story: CarrierStory) {
  const { serverKilledAt, cutAt, responseTimeoutMs } = story;
  const heardAt = answer?.at ?? at;
  const isInTime = (moment: number) => moment <= next && moment <= heardAt + commitMs;
  const happened = (moments: readonly number[]) => moments.some((moment) => moment >= at && isInTime(moment));
  const endedAt = connection.endedAt ?? Number.POSITIVE_INFINITY;
  const wasOnItsWay = serverKilledAt.some((moment) => isInTime(moment) && endedAt <= moment + onItsWayMs);
  if (answer !== undefined && answer.status !== 0) return 'refused';
  if (happened(serverKilledAt) || wasOnItsWay) return 'unrecorded';
  const isLate = heardAt - at >= responseTimeoutMs / 2;
  const isExplained = answer === undefined || isLate || happened(cutAt);
  assert.ok(
    isExplained,
    `part ${part} came again at ${next}, though it was accepted at ${heardAt}: ${JSON.stringify(story)}`,
  );
  return 'unanswered';
}

const partOf = ({ destination, part }: SeenSubmit): string => `${destination} ${part}`;

/** An acknowledged reply exists. One that the carrier sent again, because it heard no answer, may exist as often. */
function checkReplies(deliveries: readonly SeenDelivery[], replies: readonly ReplyRow[]): void {
  const sent = Map.groupBy(
    deliveries.filter(({ receipt }) => receipt === undefined),
    ({ from }) => from,
  );
  const kept = Map.groupBy(replies, ({ sender }) => sender.slice(1));
  for (const [from, all] of sent) {
    const times = kept.get(from)?.length ?? 0;
    const isAcknowledged = all.some(({ acknowledgedAt }) => acknowledgedAt !== undefined);
    assert.ok(times >= (isAcknowledged ? 1 : 0), `the reply of ${from} was acknowledged and is gone`);
    assert.ok(times <= all.length, `the reply of ${from} is kept ${times} times, and came ${all.length} times`);
  }
  for (const [from] of kept) assert.ok(sent.has(from), `${from} has sent no reply`);
}
