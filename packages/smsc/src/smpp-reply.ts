/** Messages that people write, as a carrier hands them to its client. */
import { contentFields, contentPieces } from '@waxwing/smpp/content-pieces.ts';
import type { SmppAddress } from '@waxwing/smpp/smpp-address.ts';
import type { DeliverSm } from '@waxwing/smpp/smpp-pdu.ts';
import { inOrder } from './segment-order.ts';
import { smppDeliver } from './smpp-receipt.ts';
import type { ReplyPlan } from './smsc-script.ts';

interface Between {
  readonly source: SmppAddress;
  readonly destination: SmppAddress;
}

/** The most that a reference of one octet can tell apart. */
const references = 256;

/** One deliver_sm for each segment. @param random from 0 to 1 */
export function smppReplies(between: Between, { text, long, order }: ReplyPlan, random: () => number): DeliverSm[] {
  const { alphabet, texts } = contentPieces(
    { text, encoding: 'gsm', isPart: false },
    { defaultAlphabet: 'gsm7', long },
  );
  const reference = texts.length > 1 ? Math.floor(random() * references) : 0;
  const segments = texts.map((piece, index) => {
    const concatenation = texts.length > 1 ? { reference, total: texts.length, sequence: index + 1 } : undefined;
    return smppDeliver({ ...between, ...contentFields(piece, alphabet, long, concatenation) });
  });
  return [...inOrder(segments, order, random)];
}
