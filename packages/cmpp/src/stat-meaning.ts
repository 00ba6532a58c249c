/** What a Stat says of a message. */
export interface StatMeaning {
  /** As `message_state` of SMPP 3.4 §5.2.28: 1 and 6 are not final. */
  readonly state: number;
  /** The Stat, if the message failed. Empty ones tell nothing. */
  readonly networkError: string | undefined;
}

/** `message_state` of SMPP 3.4 §5.2.28. */
const states = {
  enroute: 1,
  delivered: 2,
  expired: 3,
  deleted: 4,
  undeliverable: 5,
  accepted: 6,
  rejected: 8,
} as const;

/** CMPP 3.0.0 §8.4.5.1, table 1. */
const statesOfStats: ReadonlyMap<string, number> = new Map([
  ['DELIVRD', states.delivered],
  ['EXPIRED', states.expired],
  ['DELETED', states.deleted],
  ['UNDELIV', states.undeliverable],
  ['REJECTD', states.rejected],
  ['ACCEPTD', states.accepted],
  ['ENROUTE', states.enroute],
  // State 7 of SMPP, unknown, would be final. Here a gateway that does not know yet may still report.
  ['UNKNOWN', states.enroute],
]);

/**
 * Every other Stat (MA:xxxx, CB:xxxx, … and each gateway's own) tells which system on the way failed, and with what
 * code: the message is undeliverable.
 * @param stat as the report has it; case and blanks around it do not matter
 */
export function statMeaning(stat: string): StatMeaning {
  const state = statesOfStats.get(stat.trim().toUpperCase()) ?? states.undeliverable;
  const isFailure = state !== states.delivered && state !== states.accepted && state !== states.enroute;
  return { state, networkError: isFailure && stat.trim() !== '' ? stat.trim() : undefined };
}
