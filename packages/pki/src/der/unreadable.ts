import type { CertificateFaultCode } from '@waxwing/contract/management-api/certificate-faults.ts';
import { type FaultParametersOf, faultSentence } from '../certificate-fault.ts';

/** Why input could not be used. `too_costly` is more work than any honest file needs. */
type UnreadableReason = 'damaged' | 'unsupported' | 'too_costly' | 'password_missing' | 'password_wrong';

/** The error of the readers of hostile bytes. Its sentence is for people and holds no secret. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly reason: UnreadableReason;
  readonly code: CertificateFaultCode;
  readonly parameters: Readonly<Record<string, string | number>>;

  constructor(
    reason: UnreadableReason,
    code: CertificateFaultCode,
    parameters: Readonly<Record<string, string | number>> = {},
  ) {
    super(faultSentence(code, parameters));
    this.reason = reason;
    this.code = code;
    this.parameters = parameters;
  }
}

export function damaged<Code extends CertificateFaultCode>(
  code: Code,
  ...[parameters]: FaultParametersOf<Code>
): Unreadable {
  return new Unreadable('damaged', code, parameters);
}

export function unsupported<Code extends CertificateFaultCode>(
  code: Code,
  ...[parameters]: FaultParametersOf<Code>
): Unreadable {
  return new Unreadable('unsupported', code, parameters);
}
