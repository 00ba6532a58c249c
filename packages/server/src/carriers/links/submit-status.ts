import type { SubmitResult } from '../carrier.ts';
import { resultOfStatus } from '../submit-result.ts';

/** Values of `command_status` that an operator has set: `0x45`. */
export interface StatusSettings {
  readonly temporary: readonly string[] | null;
  readonly permanent: readonly string[] | null;
}

/** As `resultOfStatus`, unless the operator knows better what the carrier means. */
export function submitResultOf(status: number, messageId: string, settings: StatusSettings): SubmitResult {
  const result = resultOfStatus(status, messageId);
  if (result.kind === 'accepted') return result;
  const has = (list: readonly string[] | null) => list?.some((each) => Number(each) === status) === true;
  const reason = 'reason' in result ? result.reason : 'too many submits';
  if (has(settings.temporary)) return { kind: 'refused-for-now', reason };
  return has(settings.permanent) ? { kind: 'refused', reason } : result;
}
