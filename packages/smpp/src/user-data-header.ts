/** The header in front of a short message's text (3GPP TS 23.040 §9.2.3.24). */

/** Concatenation, ports and others: an identifier, a length, a value. */
export interface HeaderElement {
  readonly id: number;
  readonly data: Uint8Array;
}

export interface UserDataHeader {
  readonly elements: readonly HeaderElement[];
  /** Octets, with the one that tells the length of the others. The text begins behind them. */
  readonly length: number;
}

/** @throws RangeError if an element or the header has more than 255 octets */
export function writeUserDataHeader(elements: readonly HeaderElement[]): Uint8Array {
  const body = elements.flatMap(({ id, data }) => [id, data.length, ...data]);
  if (body.length > 0xff) throw new RangeError('the user data header is too long');
  return Uint8Array.of(body.length, ...body);
}

/** Undefined if the lengths do not fit. The data are views. */
export function readUserDataHeader(octets: Uint8Array): UserDataHeader | undefined {
  const length = 1 + (octets[0] ?? 0xff);
  if (length > octets.length) return undefined;
  const elements: HeaderElement[] = [];
  let at = 1;
  while (at < length) {
    const [id, size] = [octets[at], octets[at + 1]];
    const end = at + 2 + (size ?? 0);
    if (id === undefined || size === undefined || end > length) return undefined;
    elements.push({ id, data: octets.subarray(at + 2, end) });
    at = end;
  }
  return { elements, length };
}
