/** A carrier that operators set up, over its connections. */
import type { SessionPdu } from '@waxwing/carrier-session/session-protocol.ts';
import type { FormTally } from '@waxwing/smpp/message-id-form.ts';
import { unlessUnavailable } from '../../database/database.ts';
import { mostUnanswered } from '../../messages/delivery/part-queue.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Carrier, PartToSubmit, SubmitResult, TakeInbound } from '../carrier.ts';
import type { CarrierDialect, InboundReply } from './carrier-dialect.ts';
import { type LinkCounts, noCounts } from './link-counts.ts';
import { type ConnectionState, createLinkGroup } from './link-group.ts';
import type { LinkPlan } from './link-plan.ts';
import { createReceiptIds } from './receipt-ids.ts';
import { createTakeRequests, type SubmittedId } from './take-requests.ts';

export interface LinkCarrierNeeds<P extends SessionPdu> {
  readonly plan: LinkPlan;
  readonly dialect: CarrierDialect<P>;
  readonly take: TakeInbound;
  readonly takeSegment: (carrierId: string, reply: InboundReply) => Promise<void>;
  readonly records: LinkRecords;
  readonly clock: Clock;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

/** What is kept of a link on disk, for restarts and for other servers. */
export interface LinkRecords {
  /** Undefined: it was never written. @throws DatabaseUnavailable */
  read(carrierId: string): Promise<Pick<LinkSnapshot, 'counts' | 'tally' | 'taughtBy'> | undefined>;
  /** Which of these ids name submits that the carrier accepted. @throws DatabaseUnavailable */
  submitted(carrierId: string, ids: readonly string[]): Promise<readonly SubmittedId[]>;
  /** Does nothing while the database is away. */
  write(carrierId: string, snapshot: LinkSnapshot): Promise<void>;
}

/** A link at one moment. Times are epoch milliseconds. */
export interface LinkSnapshot {
  readonly connections: readonly ConnectionState[];
  /** Since when it takes no submits. */
  readonly downSince: number | undefined;
  readonly counts: Readonly<LinkCounts>;
  readonly lastKeepAliveAt: number | undefined;
  readonly tally: FormTally;
  /** The carrier that taught it: another address or account may write ids in another way. */
  readonly taughtBy: string;
}

const recordEveryMs = 1_000;
const recordAgainMs = 5_000;
/** How long a receipt waits for the answer that it may belong to. Receipts that wait hold up the reading of answers. */
const answersLimitMs = 500;

export function createLinkCarrier<P extends SessionPdu>(needs: LinkCarrierNeeds<P>): Carrier {
  const { plan, dialect, records, clock, wait, log } = needs;
  const { id, name, rate, unanswered, address, account } = plan.settings;
  /** Once one of several messages was accepted, none is sent again. */
  const isOnce = unanswered === 'give-up';
  const taughtBy = `${account}@${address}`;
  const ids = createReceiptIds(dialect.messageIds);
  const counts: LinkCounts = { ...noCounts };
  const underWay = new Set<Promise<unknown>>();
  let lastKeepAliveAt: number | undefined;

  const newGroup = () =>
    createLinkGroup({
      ...needs,
      events: {
        onRequest: createTakeRequests({ ...needs, carrierId: id, ids, counts, answersAwaited }),
        onKeepAliveAnswered() {
          lastKeepAliveAt = clock.now();
        },
        onMalformed: (reason) => log.warn({ carrier: id, reason }, 'a carrier sent what cannot be read'),
      },
    });

  let group = newGroup();

  async function answersAwaited(): Promise<void> {
    const enough = new AbortController();
    await Promise.race([Promise.all(underWay), wait(answersLimitMs, enough.signal)]);
    enough.abort();
  }

  async function submitAll(part: PartToSubmit): Promise<SubmitResult> {
    let result: SubmitResult = { kind: 'failed', reason: 'no connection is bound' };
    const pieceIds: string[] = [];
    let requests: readonly ((sequence: number) => P)[];
    try {
      requests = dialect.submitRequests(part);
    } catch (error) {
      return unfit(error);
    }
    for (const [index, request] of requests.entries()) {
      result = await submitOne(request, part);
      // A part of several messages is taken when its last one is, whatever an earlier one says too late.
      if (result.kind === 'unanswered' && index < requests.length - 1) return { kind: 'unanswered' };
      if (result.kind !== 'accepted') return isOnce && index > 0 ? { kind: 'unanswered' } : result;
      if (index < requests.length - 1) pieceIds.push(result.carrierMessageId);
    }
    // Several messages carry the part: it has the id of the last one, which is sent when the others are accepted.
    return result.kind === 'accepted'
      ? { ...result, carrierMessageId: ids.accepted(result.carrierMessageId, part.destination, pieceIds) }
      : result;
  }

  /** Never resolves when the late answer is a refusal: the part is submitted again as after any other time-out. */
  function lateId(response: P, destination: string): Promise<string> {
    const { result } = dialect.readSubmitAnswer(response);
    if (result.kind !== 'accepted') return new Promise(() => {});
    counts.accepted += 1;
    log.warn({ carrier: id }, 'a carrier accepted a submit after the response time-out');
    return Promise.resolve(ids.accepted(result.carrierMessageId, destination));
  }

  async function submitOne(
    request: (sequence: number) => P,
    { destination }: Pick<PartToSubmit, 'destination'>,
  ): Promise<SubmitResult> {
    const began = clock.monotonic();
    const outcome = await group.roomiest()?.submit(request);
    if (outcome === undefined) return { kind: 'failed', reason: 'no connection is bound' };
    if (outcome.kind === 'not-sent') {
      return outcome.why === 'cannot-encode'
        ? unfit(outcome.error)
        : { kind: 'failed', reason: 'the connection ended' };
    }
    counts.submitted += 1;
    if (outcome.kind === 'unanswered') {
      if (outcome.why !== 'time-out') return { kind: 'unanswered', wasAnswered: outcome.why === 'malformed-response' };
      return { kind: 'unanswered', late: outcome.late.then((response) => lateId(response, destination)) };
    }
    counts.answered += 1;
    counts.answer_ms += Math.round(clock.monotonic() - began);
    const { result, congestion } = dialect.readSubmitAnswer(outcome.response);
    if (result.kind === 'accepted') {
      counts.accepted += 1;
      return { ...result, congestion };
    }
    counts[result.kind === 'throttled' ? 'throttled' : 'refused'] += 1;
    return result;
  }

  const snapshot = (): LinkSnapshot => ({
    connections: group.states(),
    downSince: group.downSince,
    counts: { ...counts },
    lastKeepAliveAt,
    tally: ids.tally,
    taughtBy,
  });

  /** Writes what other servers and a restart have to know, while it changes; now and then in any case. */
  async function keepRecords(signal: AbortSignal): Promise<void> {
    let written = '';
    let writtenAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const current = snapshot();
      const text = JSON.stringify(current);
      // A server that had the carrier before may write its last word late.
      if (text !== written || clock.monotonic() - writtenAt >= recordAgainMs) {
        await records.write(id, current);
        written = text;
        writtenAt = clock.monotonic();
      }
      await wait(recordEveryMs, signal);
    }
    await records.write(id, { ...snapshot(), connections: [], downSince: clock.now() });
  }

  /** Without its records a link would begin to count anew, so it waits for the database. */
  async function resume(signal: AbortSignal): Promise<void> {
    const read = async () => {
      const former = await records.read(id);
      Object.assign(counts, former?.counts);
      if (former?.taughtBy === taughtBy) ids.resume(former.tally);
    };
    while (!(await unlessUnavailable(read())) && !signal.aborted) await wait(recordEveryMs, signal);
  }

  return {
    id,
    name: `carrier ${name}`,
    simulated: false,
    rate: rate ?? undefined,
    mostUnanswered: isOnce ? 1 : mostUnanswered,
    get window() {
      return group.window;
    },
    get downSince() {
      return group.downSince;
    },

    async submit(part) {
      const result = submitAll(part);
      underWay.add(result);
      try {
        return await result;
      } finally {
        underWay.delete(result);
      }
    },

    async run(signal) {
      await resume(signal);
      // Its connections are down from now on, however long another server has had the carrier.
      group = newGroup();
      await Promise.all([group.run(signal), keepRecords(signal)]);
    },
  };
}

/** The same text or number fails at every submit to this carrier. */
function unfit(error: unknown): SubmitResult {
  const words = error instanceof Error ? error.message : String(error);
  return { kind: 'refused', reason: `it cannot be sent to this carrier: ${words}` };
}
