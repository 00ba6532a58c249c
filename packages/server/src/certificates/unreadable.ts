import type { CertificateFaultCode } from '@waxwing/contract/management-api/certificate-faults.ts';
import { type FaultParametersOf, faultSentence } from './certificate-fault.ts';

/**
 * Why a piece of input could not be used: it is not what it claims to be, it is of a kind we do not take, it would cost
 * more work than an honest file does, or the password does not open it.
 */
export type UnreadableReason = 'damaged' | 'unsupported' | 'too_costly' | 'password_missing' | 'password_wrong';

/** What the readers of hostile bytes throw. Its sentence is for people and holds no secret. */
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
