/** The parts of a Msg_Id, from its highest bits to its lowest (CMPP 3.0.0 §8.4.3.2). */
export interface CmppMessageIdParts {
  /** 4 bits */
  readonly month: number;
  /** 5 bits */
  readonly day: number;
  /** 5 bits */
  readonly hour: number;
  /** 6 bits */
  readonly minute: number;
  /** 6 bits */
  readonly second: number;
  /** 22 bits: which gateway it was. */
  readonly gateway: number;
  /** 16 bits, which start again after the last. */
  readonly sequence: number;
}

const widths = [
  ['month', 4],
  ['day', 5],
  ['hour', 5],
  ['minute', 6],
  ['second', 6],
  ['gateway', 22],
  ['sequence', 16],
] as const;

/** @returns the decimal string that PDUs have. @throws RangeError if a part does not fit into its bits */
export function messageIdOf(parts: CmppMessageIdParts): string {
  let id = 0n;
  for (const [part, width] of widths) {
    const value = parts[part];
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** width) {
      throw new RangeError(`the ${part} of a message id does not fit into ${width} bits`);
    }
    id = (id << BigInt(width)) | BigInt(value);
  }
  return id.toString();
}

/** @param messageId as PDUs have it: the decimal string of an unsigned number of 64 bits */
export function partsOfMessageId(messageId: string): CmppMessageIdParts {
  let rest = BigInt(messageId);
  const parts: Record<keyof CmppMessageIdParts, number> = {
    month: 0,
    day: 0,
    hour: 0,
    minute: 0,
    second: 0,
    gateway: 0,
    sequence: 0,
  };
  for (const [part, width] of widths.toReversed()) {
    parts[part] = Number(BigInt.asUintN(width, rest));
    rest >>= BigInt(width);
  }
  return parts;
}
