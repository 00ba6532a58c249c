import { hash } from 'node:crypto';
import type { DownloadType } from '@waxwing/contract/retrieval-api.ts';
import type { ChangeFeed } from '../../database/change-feed.ts';
import { provenForMs } from '../../database/fact-memory.ts';
import { toProblem } from '../../http/error-handler.ts';
import type { WindowLimit } from '../../http/request/window-limit.ts';
import { ageOf, type Clock, type Moment } from '../../runtime/clock.ts';
import { Problem } from '../../runtime/problem.ts';
import { unavailable } from '../../runtime/unavailable.ts';
import { TooSlow, within } from '../../runtime/wait.ts';
import { SealError } from '../../secrets/envelope.ts';
import { parseToken } from '../../secrets/token.ts';
import { type AccessRequest, access } from './access.ts';
import { isNotModified, type Representation } from './entity-tag.ts';
import type { Retrieval, RetrievalRecords } from './hand-out-records.ts';
import type { KnownDeployment, KnownToken, RetrievalFacts } from './known-tokens.ts';
import { emptyBody, type RetrievalBodies, type RetrievalBody } from './opened-keys.ts';
import type { RetrievableVersion } from './prepared-version.ts';

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
  readonly records: Pick<RetrievalRecords, 'handOut' | 'success' | 'refusal' | 'news'>;
  readonly wrongTokens: WindowLimit;
  /** Requests a minute of deployments that have a limit. */
  readonly requestRate: Pick<WindowLimit, 'count'>;
  readonly bodies: RetrievalBodies;
  /** @throws SealError when it is known already that the version's private key will not open. */
  readonly checkKey: (version: RetrievableVersion) => void;
  readonly clock: Clock;
  readonly metrics: RetrievalMetrics;
}

/** So long after a deployment was made somebody may be waiting for its first request. */
const awaitedMs = 3_600_000;

/** What a request may have. */
interface Grant {
  readonly organizationId: string;
  readonly deployment: KnownDeployment;
  readonly version: RetrievableVersion;
  readonly type: DownloadType;
  /** When what it was decided on was last proven true. */
  readonly proof: Moment;
}

/**
 * Answers one retrieval. A private key leaves only after its record is on disk, and while what allows it is proven.
 * @throws Problem with the code of the first check that fails, in the order of the error table.
 */
export type RetrieveCertificate = (request: RetrievalRequest) => Promise<RetrievalAnswer>;

export function createRetrieveCertificate(needs: RetrieveCertificateNeeds): RetrieveCertificate {
  const { facts, feed, records, wrongTokens, requestRate, bodies, checkKey, clock, metrics } = needs;
  let proving: Promise<void> | undefined;

  /**
   * One question for all requests that need proof at the moment: while the database stalls, one a second waits for it.
   * An answer that took longer than it is good for is no proof.
   */
  async function prove(): Promise<void> {
    proving ??= within(provenForMs, 'the database did not answer', feed.sync()).finally(() => {
      proving = undefined;
    });
    await orRefused(proving);
  }

  async function lookUp(text: string, hash: string, request: RetrievalRequest): Promise<KnownToken | undefined> {
    // A typing error needs no look-up.
    if (parseToken(text) === undefined) return undefined;
    const isSuspect = wrongTokens.isReached(addressOf(request), clock.monotonic());
    return orRefused(facts.load(hash, request.versions[0], isSuspect));
  }

  /** @throws Problem with the code of the first check that fails */
  async function decide(request: RetrievalRequest): Promise<Grant> {
    const { credential } = request;
    if (credential.kind !== 'token') {
      throw refuse(credential.kind === 'none' ? 'missing_token' : 'invalid_token', request);
    }
    if (!feed.isProven(provenForMs)) await prove();
    const proof = feed.provenAt();
    const text = credential.token.reveal();
    const key = hash('sha256', text, 'hex');
    // Nearly always memory holds all of it, and there is nothing to wait for.
    const known = facts.find(key, request.versions[0]) ?? (await lookUp(text, key, request));
    const decision = access<RetrievableVersion>(known, request, clock.now());
    if (!decision.allow) throw refuse(decision.deny, request, known);
    const { organizationId, deployment } = known as KnownToken & { deployment: KnownDeployment };
    return { organizationId, deployment, version: decision.version, type: decision.type, proof };
  }

  /**
   * A key whose record took long leaves only if it still may: a revocation meanwhile is known by now. Its record then
   * stands for a hand-out that did not happen, which is the safe side.
   */
  async function decideAgain(request: RetrievalRequest, recorded: RetrievableVersion): Promise<void> {
    const { version, proof } = await decide(request);
    if (isOld(proof)) throw unavailable(new TooSlow('what was proven grew old before the key could leave'));
    // The client comes again for the next version.
    if (version.id !== recorded.id) throw unavailable(new Error('there is a new version meanwhile'));
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
    tellIfAwaited(organizationId, deployment);
  }

  function tellIfAwaited(organizationId: string, { id, createdAt }: KnownDeployment): void {
    if (clock.now() - createdAt < awaitedMs) records.news(organizationId, id);
  }

  async function retrieve(request: RetrievalRequest): Promise<RetrievalAnswer> {
    const { organizationId, deployment, version, type, proof } = await decide(request);
    const { requestsPerMinute } = deployment;
    const retryAfterSeconds =
      requestsPerMinute === null ? undefined : requestRate.count(deployment.id, clock.monotonic(), requestsPerMinute);
    if (retryAfterSeconds !== undefined) {
      metrics.refused('too_many_requests');
      countRefusal(organizationId, deployment, 'too_many_requests', addressOf(request));
      throw new Problem('too_many_requests', { retryAfterSeconds });
    }

    const representation = request.operation === 'info' ? 'info' : type;
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
      await orRefused(records.handOut(retrieval));
      if (isOld(proof)) await decideAgain(request, version);
    }
    // The key is opened when it may leave, not while its record is written.
    const body = notModified ? emptyBody : orElsewhere(() => bodies(version, representation));
    records.success(retrieval, notModified);
    tellIfAwaited(organizationId, deployment);
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

function addressOf({ address }: RetrievalRequest): string {
  return address?.text ?? 'unknown';
}

/** Nothing leaves without proof, facts and record: whatever fails there is a 503, and the client comes again. */
async function orRefused<T>(work: Promise<T>): Promise<T> {
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
