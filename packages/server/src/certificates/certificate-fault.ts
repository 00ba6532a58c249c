import {
  type CertificateFaultCode,
  type CertificateFaultParameters,
  certificateFaults,
} from '@waxwing/contract/management-api/certificate-faults.ts';
import type { Fault } from '../runtime/problem.ts';

type Parameters = Readonly<Record<string, string | number>>;

/** The parameters of a fault, as what follows its code; nothing for one that has none. */
export type FaultParametersOf<Code extends CertificateFaultCode> = keyof CertificateFaultParameters<Code> extends never
  ? readonly []
  : readonly [parameters: CertificateFaultParameters<Code>];

/** @param field `certificate`, `key`, `password` or a file's name */
export function certificateFault<Code extends CertificateFaultCode>(
  field: string,
  code: Code,
  ...[given]: FaultParametersOf<Code>
): Fault {
  const parameters: Parameters = given ?? {};
  return { field, message: faultSentence(code, parameters), code, parameters };
}

/** The English sentence of a fault. */
export function faultSentence(code: CertificateFaultCode, parameters: Parameters): string {
  const { certificate, serial } = parameters;
  const values = certificate === '' ? { ...parameters, certificate: `with serial ${serial}` } : parameters;
  return certificateFaults[code].replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(values[name] ?? ''));
}
