/** What a Result says of a submitted or delivered message (CMPP 3.0.0 §8.4.3.2, §8.4.5.2; 2.0 knows 0 to 8). */
export const cmppResults = {
  ok: 0,
  wrongStructure: 1,
  wrongCommand: 2,
  repeatedSequence: 3,
  wrongLength: 4,
  wrongFeeCode: 5,
  tooLong: 6,
  wrongServiceId: 7,
  flowControl: 8,
  foreignFeeNumber: 9,
  wrongSourceId: 10,
  wrongMessageSource: 11,
  wrongFeeTerminal: 12,
  wrongDestination: 13,
} as const;

const words: Readonly<Record<number, string>> = {
  [cmppResults.ok]: 'accepted',
  [cmppResults.wrongStructure]: 'wrong message structure',
  [cmppResults.wrongCommand]: 'wrong command',
  [cmppResults.repeatedSequence]: 'repeated sequence number',
  [cmppResults.wrongLength]: 'wrong message length',
  [cmppResults.wrongFeeCode]: 'wrong fee code',
  [cmppResults.tooLong]: 'longer than allowed',
  [cmppResults.wrongServiceId]: 'wrong service id',
  [cmppResults.flowControl]: 'too many messages',
  [cmppResults.foreignFeeNumber]: 'the gateway does not serve the number that pays',
  [cmppResults.wrongSourceId]: 'wrong source number (Src_Id)',
  [cmppResults.wrongMessageSource]: 'wrong enterprise code (Msg_src)',
  [cmppResults.wrongFeeTerminal]: 'wrong number that pays (Fee_terminal_Id)',
  [cmppResults.wrongDestination]: 'wrong destination number (Dest_terminal_Id)',
};

/** Its number and meaning. 100 to 199 are each gateway's own (§8.7.2). */
export function resultWords(result: number): string {
  const isOfGateway = result >= 100 && result <= 199;
  return `${result} ${words[result] ?? (isOfGateway ? 'a code of this gateway' : 'unknown')}`;
}

/** `refused` is for ever. `failed` concerns this carrier or this moment: the same message may be submitted again. */
export type SubmitVerdict = 'accepted' | 'throttled' | 'refused' | 'failed';

/**
 * What becomes of a message that was submitted. Most codes blame the settings of the link (fee, service, source), which
 * an operator can mend or another carrier does not have. A wrong destination stays wrong everywhere.
 */
export function submitVerdict(result: number): SubmitVerdict {
  switch (result) {
    case cmppResults.ok:
      return 'accepted';
    case cmppResults.flowControl:
      return 'throttled';
    case cmppResults.wrongDestination:
      return 'refused';
    default:
      return 'failed';
  }
}
