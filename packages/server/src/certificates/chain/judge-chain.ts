import type { CertificateFault } from '@waxwing/pki/certificate-fault.ts';
import { type ChainCompletion, completeChain, type FetchIssuer } from '@waxwing/pki/complete-chain.ts';
import { judgeStored, type StoredJudgement } from '@waxwing/pki/judge-stored.ts';
import type { KnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { WorkQueue } from '../../runtime/work-queue.ts';

/** A chain and the root that was given with it, as PEM. */
export interface ChainWithRoot {
  readonly chain: string;
  readonly givenRoot: string | undefined;
}

export interface ChainNeeds {
  readonly clock: Pick<Clock, 'now'>;
  readonly known: KnownAuthorities;
  readonly fetchIssuer: FetchIssuer;
  /** Takes turns by organization: see `createCompletionQueue`. */
  readonly completions: WorkQueue<string>;
}

/** The remarks on a chain today. */
export function judgeChain(
  { clock, known }: Pick<ChainNeeds, 'clock' | 'known'>,
  chain: ChainWithRoot,
): Promise<StoredJudgement> {
  return judgeStored({ ...chain, known, now: clock.now() });
}

/** Adds what is missing from a chain. It may ask strangers' servers, so few do it at once. */
export function completedChain(
  { clock, known, fetchIssuer: fetch, completions }: ChainNeeds,
  organizationId: string,
  chain: ChainWithRoot,
  signal: AbortSignal | undefined,
): Promise<ChainCompletion> {
  const complete = () => completeChain({ ...chain, known, now: clock.now(), fetch, signal });
  return completions.run(complete, organizationId, signal);
}

export function tellsMissingIntermediate(warnings: readonly CertificateFault[]): boolean {
  return warnings.some(({ code }) => code === 'missing_intermediate');
}
