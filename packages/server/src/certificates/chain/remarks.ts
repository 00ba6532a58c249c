import type { CertificateFaultCode } from '@waxwing/contract/management-api/certificate-faults.ts';
import { type CertificateFault, faultSentence } from '@waxwing/pki/certificate-fault.ts';

/** A stored fault: the sentence follows from its code. */
type Remark = Omit<CertificateFault, 'message'>;

/** The remarks on a version, as its row holds them. */
export function writeRemarks(faults: readonly CertificateFault[]): string {
  return JSON.stringify(faults.map(({ code, field, parameters }): Remark => ({ code, field, parameters })));
}

/** @param json null where the version has not been judged yet */
export function readRemarks(json: string | null): CertificateFault[] {
  if (json === null) return [];
  return (JSON.parse(json) as Remark[]).map((remark) => ({
    ...remark,
    message: faultSentence(remark.code as CertificateFaultCode, remark.parameters),
  }));
}
