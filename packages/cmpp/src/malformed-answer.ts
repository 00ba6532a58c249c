import type { BodyFault } from './body-codec.ts';
import type { CmppCommand, CmppPdu } from './cmpp-pdu.ts';
import { CmppReader } from './cmpp-reader.ts';
import { cmppResults } from './cmpp-result.ts';
import type { CmppVersion } from './cmpp-version.ts';

const headerSize = 12;
const noAuthenticator = Buffer.alloc(16);

/** What CMPP wants to be answered to a message that cannot be read. Undefined where it has no word for that. */
export function malformedAnswer(
  command: CmppCommand,
  octets: Uint8Array,
  sequence: number,
  fault: BodyFault,
  version: CmppVersion,
): CmppPdu | undefined {
  const result = fault === 'length' ? cmppResults.wrongLength : cmppResults.wrongStructure;
  switch (command) {
    case 'connect':
      return {
        command: 'connect_resp',
        sequence,
        status: cmppResults.wrongStructure,
        authenticator: noAuthenticator,
        version: version.octet,
      };
    case 'submit':
      return { command: 'submit_resp', sequence, messageId: '0', result };
    case 'deliver':
      return { command: 'deliver_resp', sequence, messageId: deliveredId(octets), result };
    case 'cancel':
      return { command: 'cancel_resp', sequence, result: 1 };
    default:
      return undefined;
  }
}

/** By Msg_Id, the gateway knows which message was refused. */
function deliveredId(octets: Uint8Array): string {
  return octets.length < headerSize + 8 ? '0' : new CmppReader(octets, headerSize).messageId();
}
