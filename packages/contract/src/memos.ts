/** Why a message was rejected, as `memo` says it. Customers match on these texts, and the console translates them. */

/** The service's own reasons. The blocked word follows its text after a colon. */
export const refusalMemos = {
  numberBlocked: 'number blocked',
  optedOut: 'recipient opted out',
  blockedWord: 'blocked word',
  noCarrier: 'no carrier',
  dailyQuota: 'daily quota exceeded',
} as const;

/** What a carrier's receipt reported. The network's code follows the text of a network error. */
export const networkMemos = {
  networkError: 'network error',
  networkRejected: 'rejected by the network',
  noReason: 'no reason given',
} as const;
