/** CMPP messages as octets: a header of 12 (CMPP 3.0.0 §8.3), then the body of the command. */
import type { DecodedPdu } from '@waxwing/carrier-session/session-protocol.ts';
import type { BodyCodec, BodyFault } from './body-codec.ts';
import { cmppCommands, commandWithId, responseBit } from './cmpp-command.ts';
import type { CmppPdu } from './cmpp-pdu.ts';
import { CmppReader } from './cmpp-reader.ts';
import type { CmppVersion } from './cmpp-version.ts';
import { CmppWriter } from './cmpp-writer.ts';
import { malformedAnswer } from './malformed-answer.ts';

export const cmppHeaderSize = 12;

const reasons: Readonly<Record<BodyFault, string>> = {
  length: 'has more or fewer octets than its fields take',
  structure: 'names no receiver, or too many',
};

/**
 * Reads a message. Responses whose Status, Result or Success_Id has the size of the other version are read, too.
 * @param octets from the header on. Never throws, whatever they are
 */
export function decodeCmpp(octets: Uint8Array, version: CmppVersion): DecodedPdu<CmppPdu> {
  const reader = new CmppReader(octets, 0);
  if (octets.length < cmppHeaderSize) return cutOff;
  const [totalLength, id, sequence] = [reader.uint32(), reader.uint32(), reader.uint32()];
  const isResponse = id >= responseBit;
  const command = commandWithId(id);
  if (command === undefined) {
    return { kind: 'malformed', reason: `The command ${hex(id)} is unknown.`, sequence, isResponse, answer: undefined };
  }
  const body: BodyCodec<CmppPdu> = cmppCommands[command].body;
  const pdu = totalLength === octets.length ? body.read(reader, sequence, version) : 'length';
  if (typeof pdu !== 'string') return { kind: 'pdu', pdu };
  const answer = malformedAnswer(command, octets, sequence, pdu, version);
  return { kind: 'malformed', reason: `The ${command} ${reasons[pdu]}.`, sequence, isResponse, answer };
}

const cutOff: DecodedPdu<CmppPdu> = {
  kind: 'malformed',
  reason: 'The message is shorter than its header.',
  sequence: 0,
  isResponse: false,
  answer: undefined,
};

function hex(id: number): string {
  return `0x${id.toString(16).padStart(8, '0')}`;
}

/** @throws CmppFieldFault */
export function encodeCmpp(pdu: CmppPdu, version: CmppVersion): Buffer {
  const { id, body }: { readonly id: number; readonly body: BodyCodec<CmppPdu> } = cmppCommands[pdu.command];
  const writer = new CmppWriter();
  writer.uint32('Total_Length', 0);
  writer.uint32('Command_Id', id);
  writer.uint32('Sequence_Id', pdu.sequence);
  body.write(writer, pdu, version);
  return writer.finish();
}
