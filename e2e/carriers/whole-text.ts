import type { ForeignPdu, ForeignText } from './foreign-smpp.ts';

/** The text that submits carry together, as npm `smpp` reads it: in one, or joined by user data headers or SAR. */
export function wholeText(submits: readonly ForeignPdu[]): string {
  return submits
    .toSorted((one, other) => numberOf(one) - numberOf(other))
    .map((submit) => textOf(submit).message)
    .join('');
}

function textOf({ short_message, message_payload }: ForeignPdu): ForeignText {
  return message_payload ?? short_message;
}

/** The number of a segment is the last octet of its element (3GPP TS 23.040 §9.2.3.24.1, §9.2.3.24.8). */
function numberOf(submit: ForeignPdu): number {
  return submit.sar_segment_seqnum ?? textOf(submit).udh?.[0]?.at(-1) ?? 1;
}
