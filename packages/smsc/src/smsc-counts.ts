/** What a simulated carrier has done since it started. */
export interface SmscDeeds {
  binds: number;
  refused_binds: number;
  submits: number;
  accepted: number;
  throttled: number;
  refused: number;
  /** Submits that were never answered, as the script wants it. */
  unanswered: number;
  /** Receipts and replies that were made. */
  receipts: number;
  replies: number;
  /** Receipts and replies that a client has acknowledged. */
  acknowledged: number;
  /** Times that one was sent again. */
  resent: number;
  malformed: number;
}

/** What a person sees. */
export interface SmscCounts extends SmscDeeds {
  /** Receipts and replies that are promised, and not acknowledged yet. */
  readonly waiting: number;
}

export function noDeeds(): SmscDeeds {
  return {
    binds: 0,
    refused_binds: 0,
    submits: 0,
    accepted: 0,
    throttled: 0,
    refused: 0,
    unanswered: 0,
    receipts: 0,
    replies: 0,
    acknowledged: 0,
    resent: 0,
    malformed: 0,
  };
}

/** One line, such as `submits 3, accepted 2, …`. */
export function countsLine(counts: SmscCounts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name.replaceAll('_', ' ')} ${count}`)
    .join(', ');
}
