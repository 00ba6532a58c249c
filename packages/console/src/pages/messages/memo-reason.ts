/** Reasons of our own refusals, which the server gives in English, and the text that says what to do about each. Pure. */

const known = [
  ['recipient opted out', 'recipientOptedOut'],
  ['number blocked', 'numberBlocked'],
  ['blocked word', 'blockedWord'],
  ['no carrier', 'noCarrier'],
  ['daily quota exceeded', 'dailyQuotaExceeded'],
] as const;

export type MemoReason = (typeof known)[number][1];

/** Undefined for the words of a carrier: they say it themselves. */
export function memoReason(memo: string | undefined): MemoReason | undefined {
  // A blocked word follows behind a colon.
  return known.find(([text]) => memo === text || memo?.startsWith(`${text}: `) === true)?.[1];
}
