import type { CertificateFault } from './certificate-fault.ts';
import { chainAsServed } from './chain.ts';
import type { KnownAuthorities } from './known-authorities.ts';
import { fitsAsIssuer, judgeChain, judgeServedLeaf } from './material-faults.ts';
import { readCertificates } from './x509.ts';

export interface StoredChain {
  /** PEM, as it is served: leaf first. */
  readonly chain: string;
  /** PEM of the root that was given with it. */
  readonly givenRoot?: string | undefined;
  readonly known: KnownAuthorities;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface StoredJudgement {
  /** The remarks now. They change with time, and with the authorities that are known. */
  readonly remarks: readonly CertificateFault[];
  /** Whether nothing proves that an intermediate is missing. */
  readonly isComplete: boolean;
}

/** Judges a chain that was accepted before. @throws Unreadable when it is damaged */
export async function judgeStored({ chain, givenRoot, known, now }: StoredChain): Promise<StoredJudgement> {
  const certificates = readCertificates(chain);
  const [leaf] = certificates;
  const [root] = givenRoot === undefined ? [] : readCertificates(givenRoot);
  const served = await chainAsServed(certificates, root, (issuer) => fitsAsIssuer(issuer, now), known);
  const judgements = [...(leaf === undefined ? [] : [judgeServedLeaf(leaf)]), judgeChain(served, known, now)];
  const remarks = judgements.flatMap(({ faults, warnings }) => [...faults, ...warnings]);
  return { remarks, isComplete: !remarks.some(({ code }) => code === 'missing_intermediate') };
}
