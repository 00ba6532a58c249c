import type { MessageIdStyle } from './smsc-script.ts';

/** The id of one message, as the carrier writes it in two places. */
export interface SmppMessageId {
  readonly inAnswer: string;
  readonly inReceipt: string;
}

/** More than any number that is given. */
const paddedLength = 18;

/** @param number a positive whole number */
export function smppMessageId(number: number, style: MessageIdStyle): SmppMessageId {
  const [decimal, hex] = [number.toString(), number.toString(16)];
  switch (style) {
    case 'decimal':
      return both(decimal);
    case 'hex':
      return both(hex);
    case 'decimal-to-hex':
      return { inAnswer: decimal, inReceipt: hex };
    case 'hex-to-decimal':
      return { inAnswer: hex, inReceipt: decimal };
    case 'leading-zeros':
      return { inAnswer: decimal, inReceipt: decimal.padStart(paddedLength, '0') };
    case 'upper-case':
      return { inAnswer: hex, inReceipt: hex.toUpperCase() };
    case 'text':
      return both(`smsc-${number.toString(36)}`);
  }
}

function both(id: string): SmppMessageId {
  return { inAnswer: id, inReceipt: id };
}

/** The first number of a carrier that starts now: above all that one gave which started a second or more before. */
export function firstMessageNumber(now: number): number {
  return Math.floor(now / 1000) * mostPerSecond;
}

/** More messages than a carrier takes in a second. */
const mostPerSecond = 100_000;
