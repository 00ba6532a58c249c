/** What a gateway says to CMPP_CONNECT (CMPP 3.0.0 §8.4.1.2). 5 and more are other faults. */
export const connectStatuses = {
  ok: 0,
  wrongStructure: 1,
  unknownSource: 2,
  wrongAuthenticator: 3,
  versionTooHigh: 4,
  other: 5,
} as const;

const words: Readonly<Record<number, string>> = {
  [connectStatuses.ok]: 'connected',
  [connectStatuses.wrongStructure]: 'wrong message structure',
  [connectStatuses.unknownSource]: 'illegal source address',
  [connectStatuses.wrongAuthenticator]: 'authentication failed',
  [connectStatuses.versionTooHigh]: 'version too high',
};

/** Its number and meaning. */
export function connectStatusWords(status: number): string {
  return `${status} ${words[status] ?? 'other error'}`;
}
