import type { Ground } from '../../audit/ground.ts';
import type { ChangeFeed } from '../../database/change-feed.ts';
import { isChangedMeanwhile } from '../../database/change-log.ts';
import { DatabaseUnavailable, isUnavailable, isUniqueViolation } from '../../database/database.ts';
import type { FactMemory } from '../../database/fact-memory.ts';
import { idempotencyHeader } from '../../http/request/idempotency-key.ts';
import type { Outbox } from '../../push/outbox/outbox.ts';
import { type Batcher, createBatcher } from '../../runtime/batcher.ts';
import { newId } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { orUnavailable } from '../../runtime/unavailable.ts';
import type { PartQueue } from '../delivery/part-queue.ts';
import type { SenderFacts } from '../senders/known-senders.ts';
import { type Acceptance, type Admission, acceptGroup, type CarrierChoice } from './accept-group.ts';
import { findIdempotencyKeys, forgetIdempotencyKey, type IdempotencyRef } from './accept-store.ts';
import { decideKey, fingerprintOf, idempotencyMs } from './idempotency.ts';
import { createSendRate } from './send-rate.ts';
import { hasSendForm, readSendRequest, type SendRequest } from './send-request.ts';

export interface SendCall {
  readonly organizationId: string;
  /** The messaging key; empty when somebody sends without one. */
  readonly keyId: string;
  /** Must still hold when the request is accepted. Left out where nobody had to be let in. */
  readonly admission?: Admission;
  /** The parsed body of the request. */
  readonly body: unknown;
  /** As `readIdempotencyKey` gives it. */
  readonly idempotencyKey: string | undefined;
}

export interface SendMessages {
  /**
   * Accepts a request as a whole. Resolves with its batch's id once it is durable.
   * @throws Problem `invalid_parameter`, `idempotency_conflict`, `too_many_requests`, and the errors of `admission`,
   * which is asked again: nothing is accepted then. Also `service_unavailable`: nothing is accepted either, unless the
   * database vanished in the middle of the commit. The caller cannot tell; a request repeated under its idempotency key
   * is accepted once in either case.
   */
  send(call: SendCall): Promise<string>;
  drain(): Promise<void>;
}

/** The carrier that is to take a message; undefined: nobody does. */
export type ChooseCarrier = (message: {
  readonly organizationId: string;
  /** E.164 with `+`. */
  readonly destination: string;
  readonly sender: string | undefined;
}) => CarrierChoice | undefined;

export interface SendMessagesNeeds extends Pick<Ground, 'database' | 'clock'> {
  /** Asked when changes were made while a request waited for its commit. */
  readonly feed: Pick<ChangeFeed, 'sync'>;
  readonly outbox: Pick<Outbox, 'enqueue'>;
  readonly queue: Pick<PartQueue, 'expect'>;
  readonly facts: { readonly senders: Pick<FactMemory<SenderFacts>, 'find' | 'load'> };
  /** Who takes messages at the moment. */
  readonly carrierChooser: () => Promise<ChooseCarrier>;
  readonly validityMs: number;
  readonly graceMs: number;
  /** Requests that may wait for their commit; of large ones a twentieth. */
  readonly maxWaiting: number;
  readonly onAccepted?: (messages: number, refused: number) => void;
}

/** So that no transaction holds the writer for long: many small requests share one, of large ones only a few. */
const smallRequest = 10;
const smallPerCommit = 250;
/**
 * On PostgreSQL as well, though the second group waits there for the days' usage that the first one has counted: its numbers
 * are looked up meanwhile, and it is at the server when the first has ended. (50 senders of one message each: a twelfth more
 * messages on 4 cores, a twentieth on 2.)
 */
const smallUnderWay = 2;
const largePerCommit = 4;
/** A large request takes as much memory as many small ones. */
const smallForLarge = 20;
/** Keys that are asked for by one query; beyond those that wait there would be no room for their requests either. */
const keysPerQuery = 250;
/** So often who sends is decided again while keys and organizations change faster than requests are committed. */
const decidedAgainAtMost = 3;

export function createSendMessages(needs: SendMessagesNeeds): SendMessages {
  const { database, feed, queue, clock, carrierChooser, onAccepted } = needs;
  const { senders } = needs.facts;
  const rate = createSendRate();
  const underWay = new Map<string, Promise<unknown>>();

  async function write(group: readonly Acceptance[]): Promise<void> {
    const expected = queue.expect(group.map(({ batchId }) => batchId));
    try {
      const { parts, refused } = await acceptGroup(needs, group);
      expected.offer(parts);
      onAccepted?.(
        group.reduce((sum, { request }) => sum + request.recipients.length, 0),
        refused,
      );
    } finally {
      expected.end();
    }
  }

  /** Accepts a group, but for those who may not send any more when it would be committed. @returns why not, for each */
  async function commit(group: readonly Acceptance[]): Promise<(Problem | undefined)[]> {
    const refused = new Map<string, Problem>();
    let admitted = group;
    for (let times = 0; admitted.length > 0; times += 1) {
      try {
        await write(admitted);
        break;
      } catch (error) {
        if (!isChangedMeanwhile(error)) throw error;
        if (times === decidedAgainAtMost) throw new DatabaseUnavailable('who may send changes all the time');
      }
      await feed.sync();
      admitted = await decideAgain(admitted, refused);
    }
    return group.map(({ batchId }) => refused.get(batchId));
  }

  async function decideAgain(group: readonly Acceptance[], refused: Map<string, Problem>): Promise<Acceptance[]> {
    const decided = group.map(async (acceptance) => {
      const { admission, batchId } = acceptance;
      if (admission === undefined) return [acceptance];
      try {
        return [{ ...acceptance, admission: { ...admission, ...(await admission.again()) } }];
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        refused.set(batchId, error);
        return [];
      }
    });
    return (await Promise.all(decided)).flat();
  }

  const batcher = (maxGroup: number, maxWaiting: number, underWay: number): Batcher<Acceptance, Problem | undefined> =>
    createBatcher({ commit, maxGroup, maxWaiting, underWay, isOutage: isUnavailable });
  const small = batcher(smallPerCommit, needs.maxWaiting, smallUnderWay);
  const large = batcher(largePerCommit, Math.ceil(needs.maxWaiting / smallForLarge), database.batchesAtOnce);
  const keys = createBatcher({
    commit: (refs: readonly IdempotencyRef[]) => findIdempotencyKeys(database, refs),
    maxGroup: keysPerQuery,
    maxWaiting: needs.maxWaiting,
    isOutage: isUnavailable,
  });

  async function accept(
    call: SendCall,
    request: SendRequest,
    sender: SenderFacts,
    idempotency: Acceptance['idempotency'],
  ): Promise<string> {
    const retryAfterSeconds = rate.take(
      call.organizationId,
      sender.perSecond,
      request.recipients.length,
      clock.monotonic(),
    );
    if (retryAfterSeconds !== undefined) throw overQuota(retryAfterSeconds);
    const { organizationId } = call;
    const { sender: from } = request;
    const choose = await carrierChooser();
    const at = clock.now();
    const batchId = newId(at);
    const batcher = request.recipients.length <= smallRequest ? small : large;
    const refusal = await batcher.offer({
      admission: call.admission,
      organizationId,
      keyId: call.keyId,
      batchId,
      at,
      request,
      blockedWord: sender.blockedWord(request.content),
      carriers: request.recipients.map(({ number }) => choose({ organizationId, destination: number, sender: from })),
      perDay: sender.perDay,
      idempotency,
    });
    if (refusal !== undefined) throw refusal;
    return batchId;
  }

  /** One attempt under an idempotency key. Undefined: another node has just answered a request with the same key. */
  async function attempt(
    ref: IdempotencyRef,
    fingerprint: string,
    run: (idempotency: Acceptance['idempotency']) => Promise<string>,
  ): Promise<string | undefined> {
    const row = await orUnavailable(keys.offer(ref));
    const record =
      row === undefined
        ? undefined
        : {
            kind: 'answered' as const,
            fingerprint: row.fingerprint,
            batchId: row.batch_id,
            answeredAt: row.answered_at,
          };
    const decision = decideKey(record, fingerprint, clock.now());
    if (decision.kind === 'replay') return decision.batchId;
    if (decision.kind === 'conflict') throw conflict();
    if (record !== undefined) {
      await orUnavailable(forgetIdempotencyKey(database.db, ref, clock.now() - idempotencyMs));
    }
    try {
      return await run({ key: ref.idempotencyKey, fingerprint });
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  /** Twins on this node wait for each other, those on other nodes meet in the database's unique key. */
  async function once(
    ref: IdempotencyRef,
    fingerprint: string,
    run: (idempotency: Acceptance['idempotency']) => Promise<string>,
  ): Promise<string> {
    const id = JSON.stringify([ref.organizationId, ref.keyId, ref.idempotencyKey]);
    for (;;) {
      const before = underWay.get(id);
      if (before !== undefined) {
        // Only its end is awaited: should it fail, its key is free again.
        await before.catch(() => {});
        continue;
      }
      const attempted = attempt(ref, fingerprint, run);
      underWay.set(id, attempted);
      try {
        const batchId = await attempted;
        if (batchId !== undefined) return batchId;
      } finally {
        underWay.delete(id);
      }
    }
  }

  return {
    async send(call) {
      const { organizationId, keyId, body, idempotencyKey } = call;
      const sender = senders.find(organizationId) ?? (await orUnavailable(senders.load(organizationId)));
      if (sender === undefined) throw new TypeError('every organization has facts, with settings or without');
      if (idempotencyKey === undefined) {
        return orUnavailable(accept(call, readSendRequest(body, sender.region), sender, undefined));
      }
      const ref = { organizationId, keyId, idempotencyKey };
      let request: SendRequest;
      try {
        request = readSendRequest(body, sender.region);
      } catch (fault) {
        // Accepted it may have been all the same, while the organization had another default region.
        if (!hasSendForm(body)) throw fault;
        return once(ref, fingerprintOf(body), () => Promise.reject(fault));
      }
      return once(ref, fingerprintOf(request.body), (idempotency) =>
        orUnavailable(accept(call, request, sender, idempotency)),
      );
    },
    async drain() {
      await Promise.all([small.drain(), large.drain()]);
    },
  };
}

function overQuota(retryAfterSeconds: number): Problem {
  return new Problem('too_many_requests', {
    detail: `The organization's messages per second are used up; try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}

function conflict(): Problem {
  return new Problem('idempotency_conflict', {
    field: idempotencyHeader,
    detail: `This ${idempotencyHeader} was used for another request within the last 24 hours; use a new one for each request.`,
  });
}
