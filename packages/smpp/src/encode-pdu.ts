import { commandIds } from './command-id.ts';
import { writeBody } from './pdu-body.ts';
import { SmppFault } from './smpp-fault.ts';
import type { SmppPdu } from './smpp-pdu.ts';
import { SmppWriter } from './smpp-writer.ts';

/** A message_payload of 64 KiB, and a submit_multi with all its destinations around it. */
export const longestPdu = 72 * 1024;

/** The reverse of `decodePdu`. @throws SmppFault that names the field which its value does not fit (SMPP 3.4 §4, §5) */
export function encodePdu(pdu: SmppPdu): Uint8Array {
  const writer = new SmppWriter();
  writer.uint32('command_length', 0);
  writer.uint32('command_id', commandIds[pdu.command]);
  writer.uint32('command_status', pdu.status);
  writer.uint32('sequence_number', pdu.sequence);
  writeBody(writer, pdu);
  writer.tlvs(pdu.tlvs);
  const octets = writer.finish();
  if (octets.length > longestPdu) throw new SmppFault('too-long', 'pdu');
  return octets;
}
