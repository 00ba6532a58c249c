import type { SessionProtocol } from '@waxwing/carrier-session/session-protocol.ts';
import { commandIds, isResponseId } from './command-id.ts';
import { commandStatus } from './command-status.ts';
import { decodePdu, headSize } from './decode-pdu.ts';
import { encodePdu, longestPdu } from './encode-pdu.ts';
import { bareResponse, genericNack } from './response-pdu.ts';
import type { SmppPdu } from './smpp-pdu.ts';
import { uint32At } from './uint32-at.ts';

/** SMPP 3.4 for sessions, of a client or of a server: requests of the wrong side are decoded like all others. */
export const smppProtocol: SessionProtocol<SmppPdu> = {
  name: 'smpp',
  // The length stands in the first 4 octets, but a generic_nack needs the sequence number as well.
  headLength: headSize,
  shortestPdu: headSize,
  longestPdu,
  lastSequence: 0x7fff_ffff,
  claimedLength(head) {
    return uint32At(head, 0);
  },
  decode: decodePdu,
  encode: encodePdu,
  lengthFault(head) {
    return genericNack(uint32At(head, 12), commandStatus.ESME_RINVCMDLEN);
  },
  isResponse(pdu) {
    return isResponseId(commandIds[pdu.command]);
  },
  canAnswer(response, request) {
    return response.command === 'generic_nack' || response.command === `${request.command}_resp`;
  },
  keepAlive(sequence) {
    return { command: 'enquire_link', sequence, status: 0, tlvs: [] };
  },
  farewell(sequence) {
    return { command: 'unbind', sequence, status: 0, tlvs: [] };
  },
  isFarewell(pdu) {
    return pdu.command === 'unbind';
  },
  ownAnswer({ command, sequence }) {
    if (command !== 'enquire_link' && command !== 'unbind') return undefined;
    return bareResponse(command, sequence, commandStatus.ESME_ROK);
  },
};
