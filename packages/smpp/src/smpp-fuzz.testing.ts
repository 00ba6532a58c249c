import assert from 'node:assert/strict';
import { type FuzzOptions, type FuzzReport, fuzzProtocol } from '@waxwing/carrier-session/protocol-fuzz.testing.ts';
import fc from 'fast-check';
import { concatenationOf } from './concatenation.ts';
import { contentFields } from './content-pieces.ts';
import { readReceipt } from './delivery-receipt.ts';
import { contentOf, type MessagePdu, textOf } from './message-content.ts';
import { messageIdForms, receiptKeys } from './message-id-form.ts';
import { SmppFault } from './smpp-fault.ts';
import type { SmppPdu } from './smpp-pdu.ts';
import { commonSubmit, pdusByCommand } from './smpp-pdus.testing.ts';
import { smppProtocol } from './smpp-protocol.ts';
import { integerTlv, textTlv } from './tlv.ts';

const samplesOfEach = 12;

/** Every command, and what real links are full of: messages, parts of messages, receipts. */
function seedPdus(): readonly SmppPdu[] {
  const part = { reference: 7, total: 3, sequence: 2 };
  const receipt =
    'id:0489708364 sub:001 dlvrd:001 submit date:2601151907 done date:2601151907 stat:DELIVRD err:000 text:';
  const tlvs = [textTlv('receipted_message_id', '1d305b4c'), integerTlv('message_state', 2, 1)];
  return [
    ...Object.values<fc.Arbitrary<SmppPdu>>(pdusByCommand).flatMap((pdus) =>
      fc.sample(pdus, { numRuns: samplesOfEach, seed: 34 }),
    ),
    commonSubmit,
    { ...commonSubmit, ...contentFields('Grüße', 'gsm7', 'udh8', part) },
    { ...commonSubmit, ...contentFields('Grüße', 'gsm7-packed', 'udh16', part) },
    { ...commonSubmit, ...contentFields('中文', 'ucs2', 'sar', part) },
    { ...commonSubmit, ...contentFields('中文', 'ucs2', 'payload', undefined) },
    { ...commonSubmit, command: 'deliver_sm', esmClass: 4, shortMessage: Buffer.from(receipt) },
    { ...commonSubmit, command: 'deliver_sm', esmClass: 4, shortMessage: Buffer.from(receipt), tlvs },
  ];
}

/** See `fuzzProtocol`. Content, receipts and ids of what is read are tried as well. */
export function fuzzSmpp(options: FuzzOptions): FuzzReport {
  return fuzzProtocol(smppProtocol, seedPdus().map(smppProtocol.encode), tryPdu, options);
}

function tryPdu(pdu: SmppPdu, octets: Uint8Array): void {
  assert.ok(heldOctets(pdu) <= octets.length, 'a PDU holds no more than its octets');
  tryWriting(pdu);
  if (pdu.command === 'submit_sm' || pdu.command === 'deliver_sm' || pdu.command === 'data_sm') tryMessage(pdu);
}

function heldOctets(pdu: SmppPdu): number {
  const values = pdu.tlvs.reduce((sum, { value }) => sum + 4 + value.length, 0);
  const items = pdu.command === 'submit_multi' ? pdu.destinations.length : 0;
  return values + items + ('shortMessage' in pdu ? pdu.shortMessage.length : 0);
}

/** What is read either has a field that is not written, or is written as octets that are read as the same. */
function tryWriting(pdu: SmppPdu): void {
  let written: Uint8Array;
  try {
    written = smppProtocol.encode(pdu);
  } catch (error) {
    assert.ok(error instanceof SmppFault);
    return;
  }
  const again = smppProtocol.decode(written);
  assert.ok(again.kind === 'pdu');
  assert.ok(Buffer.compare(smppProtocol.encode(again.pdu), written) === 0);
}

function tryMessage(pdu: MessagePdu): void {
  const { octets } = contentOf(pdu);
  for (const alphabet of ['gsm7', 'gsm7-packed'] as const) {
    assert.ok(textOf(pdu, alphabet).length <= Math.ceil((octets.length * 8) / 7));
  }
  const part = concatenationOf(pdu);
  assert.ok(part === undefined || (part.sequence >= 1 && part.sequence <= part.total));
  if (pdu.command === 'submit_sm') return;
  const id = readReceipt(pdu)?.messageId;
  if (id !== undefined) assert.ok(receiptKeys(id, messageIdForms).length > 0);
}
