import type { AcmeFailure } from '../protocol/acme-port.ts';
import { backOff } from '../renewal/back-off.ts';
import { orderSpacingMs } from './next-step.ts';

type Failure = Pick<AcmeFailure, 'type' | 'temporary' | 'retryAfterMs'>;

export interface FailedRequest {
  readonly failure: Failure;
  /** How many authorities it may ask. */
  readonly authorities: number;
  /** The place of the one that failed. */
  readonly authorityIndex: number;
  /** Orders in a row that have failed, this one included. */
  readonly attempts: number;
  /** Failures in a row of the authority that failed, this one included. */
  readonly authorityFailures: number;
  /** When an order for these names was last placed with the authority that comes next; null: never. */
  readonly lastIntentAt: (authorityIndex: number) => number | null;
}

export interface NextTry {
  readonly authorityIndex: number;
  readonly at: number;
  /** Until when the authority that failed is not asked for any certificate; null: it is. */
  readonly authorityAt: number | null;
  /** Whether every authority of the list has had its turn: then people are told that it failed. */
  readonly isRoundOver: boolean;
}

/** Where several authorities have failed, none of their reasons says when the first is to be asked again. */
const ofCertificate: Failure = { type: 'refused', temporary: false, retryAfterMs: null };

/** When an order follows one that failed, and with which authority. @param random from [0, 1) */
export function afterFailure(request: FailedRequest, now: number, random: () => number): NextTry {
  const { failure, authorities, attempts, authorityFailures } = request;
  const authorityIndex = (request.authorityIndex + 1) % authorities;
  const isRoundOver = attempts % authorities === 0;
  const failures = { certificate: Math.ceil(attempts / authorities), authority: authorityFailures };
  const { certificateAt, authorityAt } = backOff(failure, failures, now, random);
  const whole = authorities === 1 ? certificateAt : backOff(ofCertificate, failures, now, random).certificateAt;
  const last = request.lastIntentAt(authorityIndex);
  const spaced = last === null ? 0 : last + orderSpacingMs;
  return { authorityIndex, at: Math.max(isRoundOver ? whole : now, spaced), authorityAt, isRoundOver };
}
