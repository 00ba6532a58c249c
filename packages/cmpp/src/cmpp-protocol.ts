import type { SessionProtocol } from '@waxwing/carrier-session/session-protocol.ts';
import { cmppHeaderSize, decodeCmpp, encodeCmpp } from './cmpp-codec.ts';
import { cmppCommands, responseBit } from './cmpp-command.ts';
import type { CmppPdu } from './cmpp-pdu.ts';
import { asBuffer } from './cmpp-reader.ts';
import { type CmppVersion, cmpp2, cmpp3 } from './cmpp-version.ts';

/** The longest that can be meant has 3618 octets: a submit of 3.0 to 100 receivers with a content of 255. */
const longestPdu = 4096;

function cmppProtocol(version: CmppVersion): SessionProtocol<CmppPdu> {
  return {
    name: version.name,
    headLength: 4,
    shortestPdu: cmppHeaderSize,
    longestPdu,
    lastSequence: 0xffff_ffff,
    claimedLength: (head) => asBuffer(head).readUInt32BE(0),
    decode: (octets) => decodeCmpp(octets, version),
    encode: (pdu) => encodeCmpp(pdu, version),
    // CMPP has no answer to what is no message.
    lengthFault: () => undefined,
    isResponse: (pdu) => cmppCommands[pdu.command].id >= responseBit,
    canAnswer: (response, request) =>
      cmppCommands[response.command].id === cmppCommands[request.command].id + responseBit,
    keepAlive: (sequence) => ({ command: 'active_test', sequence }),
    farewell: (sequence) => ({ command: 'terminate', sequence }),
    isFarewell: (pdu) => pdu.command === 'terminate',
    ownAnswer,
  };
}

/** Queries and cancellations belong to no role of ours, but every request has to be answered (CMPP 3.0.0 §7.4). */
function ownAnswer(request: CmppPdu): CmppPdu | undefined {
  const { sequence } = request;
  switch (request.command) {
    case 'active_test':
      return { command: 'active_test_resp', sequence };
    case 'terminate':
      return { command: 'terminate_resp', sequence };
    case 'cancel':
      return { command: 'cancel_resp', sequence, result: 1 };
    case 'query':
      // CMPP cannot refuse a query, and nothing is counted here.
      return { ...request, ...noCounts, command: 'query_resp' };
    default:
      return undefined;
  }
}

const noCounts = {
  submittedMessages: 0,
  submittedDestinations: 0,
  forwarded: 0,
  waiting: 0,
  failed: 0,
  delivered: 0,
  deliveryWaiting: 0,
  deliveryFailed: 0,
};

export const cmpp2Protocol: SessionProtocol<CmppPdu> = cmppProtocol(cmpp2);
export const cmpp3Protocol: SessionProtocol<CmppPdu> = cmppProtocol(cmpp3);
