import type { DecodedPdu } from '@waxwing/carrier-session/session-protocol.ts';
import { type CommandName, commandName, isResponseId } from './command-id.ts';
import { commandStatus } from './command-status.ts';
import { readPdu } from './pdu-body.ts';
import { bareResponse, genericNack } from './response-pdu.ts';
import { SmppFault } from './smpp-fault.ts';
import type { SmppPdu } from './smpp-pdu.ts';
import { SmppReader } from './smpp-reader.ts';
import { uint32At } from './uint32-at.ts';

/** command_length, command_id, command_status, sequence_number (SMPP 3.4 §3.2). */
export const headSize = 16;

/**
 * Reads one PDU. Strings and TLVs must end where they say, within the PDU; a field that is shorter or longer than the
 * specification has it, but safe, is read. A refusal counts whatever follows its head: some servers leave out the
 * message_id and send TLVs, which cannot be told from one. Never throws.
 * @param octets one PDU. Octet strings of the result are views of them.
 */
export function decodePdu(octets: Uint8Array): DecodedPdu<SmppPdu> {
  if (octets.length < headSize || uint32At(octets, 0) !== octets.length) return wrongLength(octets);
  const id = uint32At(octets, 4);
  const status = uint32At(octets, 8);
  const sequence = uint32At(octets, 12);
  const command = commandName(id);
  const isResponse = isResponseId(id);
  const malformed = (reason: string, answer: SmppPdu): DecodedPdu<SmppPdu> => {
    return { kind: 'malformed', reason, sequence, isResponse, answer: isResponse ? undefined : answer };
  };
  if (command === undefined) {
    const hex = id.toString(16).padStart(8, '0');
    return malformed(`The command 0x${hex} is unknown.`, genericNack(sequence, commandStatus.ESME_RINVCMDID));
  }
  try {
    return { kind: 'pdu', pdu: readPdu(command, { sequence, status }, new SmppReader(octets, headSize)) };
  } catch (error) {
    if (!(error instanceof SmppFault)) throw error;
    if (isResponse && status !== 0) return { kind: 'pdu', pdu: bareResponse(requestOf(command), sequence, status) };
    const sentence = `The ${command} is malformed: ${describe(error)}.`;
    return malformed(sentence, bareResponse(command, sequence, statusOf(error)));
  }
}

function requestOf(response: CommandName): CommandName {
  return response.replace(/_resp$/, '') as CommandName;
}

/** The session hands over as many octets as are claimed, so this is a fault of the caller, answered like the peer's. */
function wrongLength(octets: Uint8Array): DecodedPdu<SmppPdu> {
  const hasHead = octets.length >= headSize;
  const sequence = hasHead ? uint32At(octets, 12) : 0;
  const isResponse = hasHead && isResponseId(uint32At(octets, 4));
  return {
    kind: 'malformed',
    reason: 'The command_length is not that of the PDU.',
    sequence,
    isResponse,
    answer: isResponse ? undefined : genericNack(sequence, commandStatus.ESME_RINVCMDLEN),
  };
}

function describe({ code, field }: SmppFault): string {
  switch (code) {
    case 'cut-off':
      return `it ends within its ${field}`;
    case 'unterminated':
      return `its ${field} has no end within the length of the field`;
    case 'tlv':
      return 'a TLV is longer than what follows';
    default:
      return `its ${field} has an impossible value`;
  }
}

/** SMPP 3.4 §5.1.3 */
function statusOf({ code }: SmppFault): number {
  switch (code) {
    case 'cut-off':
      return commandStatus.ESME_RINVCMDLEN;
    case 'tlv':
      return commandStatus.ESME_RINVOPTPARSTREAM;
    case 'kind':
      return commandStatus.ESME_RINVDESTFLAG;
    default:
      return commandStatus.ESME_RINVPARLEN;
  }
}
