/** Status reports: the content of a CMPP_DELIVER whose Registered_Delivery is 1 (CMPP 3.0.0 §8.4.5.1). */
import type { CmppDeliver } from './cmpp-pdu.ts';
import { CmppReader } from './cmpp-reader.ts';
import type { CmppVersion } from './cmpp-version.ts';
import { cmpp2, cmpp3 } from './cmpp-version.ts';
import { CmppWriter } from './cmpp-writer.ts';

export interface StatusReport {
  /** Msg_Id of the response to the submit. */
  readonly messageId: string;
  /** One of 7 octets, such as DELIVRD or MA:0001. */
  readonly stat: string;
  /** YYMMDDHHMM, as is `doneTime`. Empty if the gateway left it out. */
  readonly submitTime: string;
  readonly doneTime: string;
  readonly destination: string;
  /** SMSC_sequence: the number of the report at the short message centre. 0 if it cannot be told where it stands. */
  readonly smscSequence: number;
}

const idAndStatSize = 8 + 7;
const timesSize = 10 + 10;
const sequenceSize = 4;

export function isStatusReport({ registeredDelivery }: CmppDeliver): boolean {
  return registeredDelivery === 1;
}

/**
 * Reads a report by its length, whatever the version of the link: gateways send that of 2.0 on a link of 3.0, and some
 * cut or add octets at the end. Undefined if Msg_Id and Stat are not there. Never throws.
 */
export function readStatusReport(content: Uint8Array): StatusReport | undefined {
  const reader = new CmppReader(content, 0);
  if (reader.remaining < idAndStatSize) return undefined;
  const [messageId, stat] = [reader.messageId(), reader.text(7).trim()];
  const hasTimes = reader.remaining >= timesSize;
  const [submitTime, doneTime] = hasTimes ? [reader.text(10), reader.text(10)] : ['', ''];
  return { messageId, stat, submitTime, doneTime, ...readDestination(reader, hasTimes) };
}

function readDestination(reader: CmppReader, hasTimes: boolean): Pick<StatusReport, 'destination' | 'smscSequence'> {
  if (!hasTimes) return { destination: '', smscSequence: 0 };
  const size = reader.remaining - sequenceSize;
  if (size === cmpp2.terminalSize || size === cmpp3.terminalSize) {
    return { destination: reader.text(size), smscSequence: reader.uint32() };
  }
  // The number ends where no digit follows. What stands behind it cannot be told.
  const [destination = ''] = /^\+?\d*/.exec(reader.text(reader.remaining)) ?? [];
  return { destination, smscSequence: 0 };
}

/** @returns the content of the CMPP_DELIVER. @throws CmppFieldFault */
export function writeStatusReport(report: StatusReport, { terminalSize }: CmppVersion): Uint8Array {
  const writer = new CmppWriter();
  writer.messageId('Msg_Id', report.messageId);
  writer.text('Stat', report.stat, 7);
  writer.text('Submit_time', report.submitTime, 10);
  writer.text('Done_time', report.doneTime, 10);
  writer.text('Dest_terminal_Id', report.destination, terminalSize);
  writer.uint32('SMSC_sequence', report.smscSequence);
  return writer.octets();
}
