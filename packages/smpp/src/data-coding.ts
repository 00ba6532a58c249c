/** data_coding: which alphabet a text has (SMPP 3.4 §5.2.19, 3GPP TS 23.038 §4). */

export type ReadableAlphabet = 'ascii' | 'latin1' | 'iso-8859-5' | 'iso-8859-8' | 'ucs2';

/** SMPP's own codings. The others of this group (pictograms, JIS, KS C 5601) are read as the default alphabet. */
const smppCodings: ReadonlyMap<number, ReadableAlphabet> = new Map([
  [0x01, 'ascii'],
  [0x02, 'latin1'],
  [0x03, 'latin1'],
  [0x04, 'latin1'],
  [0x06, 'iso-8859-5'],
  [0x07, 'iso-8859-8'],
  [0x08, 'ucs2'],
]);

/**
 * Undefined is the carrier's default alphabet, also for codings that are reserved, as TS 23.038 §4 has it. Binary data
 * are read as Latin-1, which keeps every octet.
 */
export function alphabetOf(dataCoding: number): ReadableAlphabet | undefined {
  switch (dataCoding >> 4) {
    case 0x0:
      return smppCodings.get(dataCoding);
    // With a message class, not compressed: a "flash" message.
    case 0x1:
      return [undefined, 'latin1', 'ucs2', undefined][(dataCoding >> 2) & 3] as ReadableAlphabet | undefined;
    // Message waiting, in UCS-2.
    case 0xe:
      return 'ucs2';
    // Data coding and message class.
    case 0xf:
      return (dataCoding & 4) === 0 ? undefined : 'latin1';
    default:
      return undefined;
  }
}
