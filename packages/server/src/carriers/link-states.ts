import type { ListedCarrier } from '@waxwing/contract/management-api/operations/carrier-operations.ts';

/** What is known of a carrier's link at the moment. */
export type LinkState = Pick<
  ListedCarrier,
  | 'state'
  | 'connections'
  | 'submitted'
  | 'accepted'
  | 'refused'
  | 'throttled'
  | 'answered'
  | 'answer_ms'
  | 'receipts'
  | 'unmatched_receipts'
  | 'last_keep_alive_at'
>;

/** Reads the states of links, on whichever server they run. Carriers whose link nobody runs are missing. */
export type ReadLinkStates = (carrierIds: readonly string[]) => Promise<ReadonlyMap<string, LinkState>>;

/** Of a carrier whose link nobody runs. */
export const noLink: LinkState = {
  state: 'connecting',
  connections: [],
  ...{
    submitted: 0,
    accepted: 0,
    refused: 0,
    throttled: 0,
    answered: 0,
    answer_ms: 0,
    receipts: 0,
    unmatched_receipts: 0,
  },
  last_keep_alive_at: null,
};
