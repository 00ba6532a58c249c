/** Septets packed into octets, eight into seven (3GPP TS 23.038 §6.1.2.1). */

const carriageReturn = 0x0d;
/** A short message has 140 octets (TS 23.040 §9.2.3.24), its header among them. */
const fullMessage = 140;

/** The bits between a header and the first septet, which begins at a multiple of 7 (TS 23.040 §9.2.3.24). */
function fillBits(headerLength: number): number {
  return (7 - ((headerLength * 8) % 7)) % 7;
}

/**
 * SMPP tells the length in octets, so 7 spare bits at the end look like one more septet. They become a carriage return,
 * as TS 23.038 §6.1.2.3.1 has it for USSD, because zeros would be shown as `@`.
 * @param headerLength octets of the user data header in front, or 0
 */
export function packSeptets(septets: Uint8Array, headerLength: number): Uint8Array {
  const first = fillBits(headerLength);
  const bits = first + 7 * septets.length;
  const octets = new Uint8Array(Math.ceil(bits / 8));
  const isSpare = 8 * octets.length - bits === 7;
  for (const [index, septet] of (isSpare ? [...septets, carriageReturn] : septets).entries()) {
    const at = first + 7 * index;
    const shifted = septet << (at % 8);
    const place = at >> 3;
    octets[place] = (octets[place] ?? 0) | (shifted & 0xff);
    if (shifted > 0xff) octets[place + 1] = shifted >> 8;
  }
  return octets;
}

/**
 * The reverse of `packSeptets`. Where the last septet may be spare bits, a carriage return is left out. So are zeros,
 * unless the message is full.
 */
export function unpackSeptets(octets: Uint8Array, headerLength: number): Uint8Array {
  const first = fillBits(headerLength);
  const bits = Math.max(0, 8 * octets.length - first);
  const septets = new Uint8Array(Math.floor(bits / 7));
  for (let index = 0; index < septets.length; index++) {
    const at = first + 7 * index;
    const place = at >> 3;
    septets[index] = (((octets[place] ?? 0) | ((octets[place + 1] ?? 0) << 8)) >> (at % 8)) & 0x7f;
  }
  const last = septets.at(-1);
  const isFull = headerLength + octets.length >= fullMessage;
  const isSpare = bits % 7 === 0 && (last === carriageReturn || (last === 0 && !isFull));
  return isSpare ? septets.subarray(0, -1) : septets;
}
