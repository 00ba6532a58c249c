/** What a link has done since it was first started. */
export interface LinkCounts {
  submitted: number;
  accepted: number;
  refused: number;
  throttled: number;
  /** Submits that were answered, and how long all these answers took together, ms. */
  answered: number;
  answer_ms: number;
  receipts: number;
}

export const noCounts: Readonly<LinkCounts> = {
  submitted: 0,
  accepted: 0,
  refused: 0,
  throttled: 0,
  answered: 0,
  answer_ms: 0,
  receipts: 0,
};
