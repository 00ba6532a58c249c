/** What a link has done since it was first started. */
export interface LinkCounts {
  submitted: number;
  accepted: number;
  refused: number;
  throttled: number;
  receipts: number;
}

export const noCounts: Readonly<LinkCounts> = { submitted: 0, accepted: 0, refused: 0, throttled: 0, receipts: 0 };
