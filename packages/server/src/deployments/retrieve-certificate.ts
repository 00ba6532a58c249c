import { hash } from 'node:crypto';
import type { ChangeFeed } from '../database/change-feed.ts';
import { toProblem } from '../http/error-handler.ts';
import type { WindowLimit } from '../http/window-limit.ts';
import { BatcherFull } from '../runtime/batcher.ts';
import { ageOf, type Clock, type Moment } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import { SealError } from '../secrets/envelope.ts';
import { parseToken } from '../secrets/token.ts';
import { type AccessRequest, access } from './access.ts';
import { isNotModified, type Representation } from './entity-tag.ts';
import type { RequestRate } from './request-rate.ts';
import { emptyBody, type RetrievalBodies, type RetrievalBody } from './retrieval-bodies.ts';
import { type RetrievalDeadline, TooSlow } from './retrieval-deadline.ts';
import type { KnownDeployment, KnownToken, RetrievalFacts } from './retrieval-facts.ts';
import type { Retrieval, RetrievalRecords } from './retrieval-records.ts';
import type { RetrievableCertificate, RetrievableVersion } from './retrieval-version.ts';

export interface RetrievalRequest extends AccessRequest {
  /** Which of the two operations. */
  readonly operation: 'info' | 'download';
  /** HEAD: the same answer, whose body never leaves. */
  readonly headOnly: boolean;
  readonly ifNoneMatch: string | undefined;
  readonly userAgent: string;
}

export interface RetrievalAnswer {
  readonly status: 200 | 304;
  readonly representation: Representation;
  readonly version: RetrievableVersion;
  readonly tag: string;
  /** Empty with 304. */
  readonly body: RetrievalBody;
}

export interface RetrievalMetrics {
  answered(representation: Representation, status: 200 | 304): void;
  refused(code: string): void;
}

export interface RetrieveCertificateNeeds {
  readonly facts: RetrievalFacts;
  readonly feed: Pick<ChangeFeed, 'isProven' | 'provenAt' | 'sync'>;
  readonly records: Pick<RetrievalRecords, 'handOut' | 'success' | 'refusal'>;
  readonly wrongTokens: WindowLimit;
  readonly requestRate: RequestRate;
  readonly bodies: RetrievalBodies;
  /** @throws SealError when it is known already that the version's private key will not open. */
  readonly checkKey: (version: RetrievableVersion) => void;
  readonly clock: Clock;
  readonly metrics: RetrievalMetrics;
  /** Bounds the wait for proof; of `provenForMs` at most, so that what was waited for is still proof. */
  readonly proofDeadline: RetrievalDeadline;
}

/** What is in memory may decide for so long after it was last proven true (contract §1, "Revocation is never stale"). */
export const provenForMs = 1_000;

/**
 * Answers one retrieval. A private key leaves only after its record is on disk, and while what allows it is proven.
 * @throws Problem with the code of the first check that fails, in the order of the error table.
 */
export type RetrieveCertificate = (request: RetrievalRequest) => Promise<RetrievalAnswer>;

export function createRetrieveCertificate(needs: RetrieveCertificateNeeds): RetrieveCertificate {
  const { facts, feed, records, wrongTokens, requestRate, bodies, checkKey, clock, metrics, proofDeadline } = needs;
  let proving: Promise<void> | undefined;

  /** One question for all who need proof at the moment: while the database stalls, only one a second waits for it. */
  function prove(): Promise<void> {
    proving ??= proofDeadline.within(feed.sync()).finally(() => {
      proving = undefined;
    });
    return proving;
  }

  async function loadToken(text: string, key: string, address: string): Promise<KnownToken | undefined> {
    // A typing error needs no look-up.
    if (parseToken(text) === undefined) return undefined;
    return orUnavailable(facts.load(key, wrongTokens.isReached(address, clock.monotonic())));
  }

  /** All that the decision needs, as the database knows it when memory does not. */
  async function lookUp(text: string, key: string, request: RetrievalRequest): Promise<KnownToken | undefined> {
    const known = facts.find(key) ?? (await loadToken(text, key, addressOf(request)));
    const certificate = known?.deployment?.certificate;
    if (certificate !== undefined && asksForFormer(certificate, request)) {
      await orUnavailable(facts.loadFormer(certificate));
    }
    return known;
  }

  /**
   * Decides once more when `proof`, which the key would leave by, has grown old while its record was written: what was revoked
   * meanwhile is known here by now. The record stands then for a hand-out that did not happen, which is the safe side.
   */
  async function decideAgain(text: string, key: string, request: RetrievalRequest, recorded: string): Promise<void> {
    if (isOld(feed.provenAt())) await orUnavailable(prove());
    const proof = feed.provenAt();
    const known = await lookUp(text, key, request);
    const decision = access<RetrievableVersion>(known, request, clock.now());
    if (!decision.allow) throw refuse(decision.deny, request, known);
    if (isOld(proof)) throw unavailable(new TooSlow('what was proven grew old before the key could leave'));
    // The record names the version that was the current one then. The client comes again for the next.
    if (decision.version.id !== recorded) throw unavailable(new Error('there is a new version meanwhile'));
  }

  const isOld = (proof: Moment): boolean => ageOf(proof, clock) > provenForMs;

  function refuse(
    code: Parameters<typeof metrics.refused>[0] & Problem['code'],
    request: RetrievalRequest,
    known?: KnownToken,
  ): Problem {
    metrics.refused(code);
    const address = addressOf(request);
    if (known?.deployment !== undefined) countRefusal(known.organizationId, known.deployment, code, address);
    if (code === 'invalid_token' && known === undefined) {
      const retryAfterSeconds = wrongTokens.count(address, clock.monotonic());
      if (retryAfterSeconds !== undefined) return new Problem('too_many_requests', { retryAfterSeconds });
    }
    return new Problem(code);
  }

  function countRefusal(
    organizationId: string,
    deployment: KnownDeployment,
    code: Problem['code'],
    address: string,
  ): void {
    records.refusal(organizationId, deployment.id, code as Parameters<typeof records.refusal>[2], address);
  }

  async function retrieve(request: RetrievalRequest): Promise<RetrievalAnswer> {
    const { credential } = request;
    if (credential.kind !== 'token')
      throw refuse(credential.kind === 'none' ? 'missing_token' : 'invalid_token', request);
    if (!feed.isProven(provenForMs)) await orUnavailable(prove());
    const text = credential.token.reveal();
    const key = hash('sha256', text, 'hex');
    const proof = feed.provenAt();
    const held = facts.find(key);
    const certificate = held?.deployment?.certificate;
    // Nearly always memory holds all of it, and there is nothing to wait for.
    const isMissing = held === undefined || (certificate !== undefined && asksForFormer(certificate, request));
    const known = isMissing ? await lookUp(text, key, request) : held;
    const decision = access<RetrievableVersion>(known, request, clock.now());
    if (!decision.allow) throw refuse(decision.deny, request, known);
    const { version } = decision;
    const { organizationId, deployment } = known as KnownToken & { deployment: KnownDeployment };
    const retryAfterSeconds = requestRate.take(deployment.id, deployment.requestsPerMinute, clock.monotonic());
    if (retryAfterSeconds !== undefined) {
      metrics.refused('too_many_requests');
      countRefusal(organizationId, deployment, 'too_many_requests', addressOf(request));
      throw new Problem('too_many_requests', { retryAfterSeconds });
    }

    const representation = request.operation === 'info' ? 'info' : decision.type;
    const tag = version.tags[representation];
    const retrieval: Retrieval = {
      organizationId,
      deploymentId: deployment.id,
      certificateId: deployment.certificateId,
      versionId: version.id,
      as: representation,
      address: addressOf(request),
      userAgent: request.userAgent,
    };
    const notModified = isNotModified(request.ifNoneMatch, tag);
    const handsOutKey = !notModified && !request.headOnly && representation !== 'certificate';
    if (handsOutKey) {
      // What cannot be handed out is not recorded either.
      orElsewhere(() => checkKey(version));
      try {
        await records.handOut(retrieval);
      } catch (cause) {
        throw unavailable(cause);
      }
      if (isOld(proof)) await decideAgain(text, key, request, version.id);
    }
    // The key is opened when it may leave, not while its record is written.
    const body = notModified ? emptyBody : orElsewhere(() => bodies(version, representation));
    records.success(retrieval, notModified);
    const status = notModified ? 304 : 200;
    metrics.answered(representation, status);
    return { status, representation, version, tag, body };
  }

  return async (request) => {
    try {
      return await retrieve(request);
    } catch (error) {
      const { code, status } = toProblem(error);
      // The others were counted where they were decided.
      if (status >= 500) metrics.refused(code);
      throw error;
    }
  };
}

function asksForFormer({ formerId }: RetrievableCertificate, { versions }: RetrievalRequest): boolean {
  return formerId !== undefined && versions[0] === formerId;
}

function addressOf({ address }: RetrievalRequest): string {
  return address?.text ?? 'unknown';
}

/** Whatever keeps us from proving, reading or recording is a 503: the client comes again, and nothing leaks. */
async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** A master key that this server lacks, others hold, and it may hold soon: not so secrets that open nowhere. */
function orElsewhere<T>(open: () => T): T {
  try {
    return open();
  } catch (cause) {
    throw cause instanceof SealError && cause.reason === 'unknown-key' ? unavailable(cause) : cause;
  }
}

function unavailable(cause: unknown): Problem {
  return new Problem('service_unavailable', { cause, retryAfterSeconds: cause instanceof BatcherFull ? 1 : 2 });
}
