import {
  type CertificateFaultCode,
  type CertificateFaultParameters,
  certificateFaults,
} from '@waxwing/contract/management-api/certificate-faults.ts';

type Parameters = Readonly<Record<string, string | number>>;

/** One fault of the imported material: where it is, what is wrong, and what to do. */
export interface CertificateFault {
  readonly field: string;
  /** In English. */
  readonly message: string;
  readonly code: CertificateFaultCode;
  /** The values for the placeholders of the sentence. */
  readonly parameters: Parameters;
}

/** The arguments after a code: its parameters, or nothing if it has none. */
export type FaultParametersOf<Code extends CertificateFaultCode> = keyof CertificateFaultParameters<Code> extends never
  ? readonly []
  : readonly [parameters: CertificateFaultParameters<Code>];

/** @param field `certificate`, `key`, `password` or a file's name */
export function certificateFault<Code extends CertificateFaultCode>(
  field: string,
  code: Code,
  ...[given]: FaultParametersOf<Code>
): CertificateFault {
  const parameters: Parameters = given ?? {};
  return { field, message: faultSentence(code, parameters), code, parameters };
}

export function faultSentence(code: CertificateFaultCode, parameters: Parameters): string {
  const { certificate, serial } = parameters;
  const values = certificate === '' ? { ...parameters, certificate: `with serial ${serial}` } : parameters;
  return certificateFaults[code].replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(values[name] ?? ''));
}
