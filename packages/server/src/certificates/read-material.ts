import type { CertificateFault } from '@waxwing/pki/certificate-fault.ts';
import type { KnownAuthorities } from '@waxwing/pki/known-authorities.ts';
import { type CertificateMaterial, type ImportFile, readImport } from '@waxwing/pki/read-import.ts';
import type { Clock } from '../runtime/clock.ts';
import { Problem } from '../runtime/problem.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';

export interface GivenMaterial {
  readonly organizationId: string;
  readonly files: readonly ImportFile[];
  readonly password?: string | undefined;
  readonly turn?: Turn | undefined;
}

export interface Turn {
  /** Aborted, with a Problem, when the caller disconnects while waiting. The work then does not begin. */
  readonly signal: AbortSignal;
  /** Called before the work begins. @throws Problem to keep it from beginning */
  begin(): Promise<void>;
}

export interface ReadMaterial {
  readonly material: CertificateMaterial;
  readonly warnings: readonly CertificateFault[];
}

interface Needs {
  readonly clock: Pick<Clock, 'now'>;
  readonly known: KnownAuthorities;
  readonly maxImportBytes: number;
  readonly turns: WorkQueue<string>;
}

/**
 * Certificate, chain and key in files, read when it is the organization's turn.
 * @param incompleteChain a missing intermediate is a warning
 * @throws Problem `certificate_rejected` with every fault; `service_unavailable` when too many wait
 */
export async function readMaterial(
  needs: Needs,
  request: GivenMaterial,
  incompleteChain: boolean,
): Promise<ReadMaterial> {
  const { files, password } = request;
  const { clock, known, maxImportBytes: maxBytes } = needs;
  const read = async () => {
    await request.turn?.begin();
    return readImport({ files, password, now: clock.now(), maxBytes, known, incompleteChain });
  };
  const verdict = await needs.turns.run(read, request.organizationId, request.turn?.signal);
  if (!('faults' in verdict)) return verdict;
  throw rejected(verdict.faults);
}

export function rejected(faults: readonly CertificateFault[]): Problem {
  return new Problem('certificate_rejected', {
    detail: `The certificate was not accepted, and nothing was stored: ${faults.length} fault(s).`,
    faults,
  });
}
