/** What is wrong with octets, or with a value that is to become octets. */
export type SmppFaultCode =
  /** The PDU ends within the field. */
  | 'cut-off'
  /** The C-octet string has no NUL within its longest length. */
  | 'unterminated'
  /** A TLV claims more octets than follow it. */
  | 'tlv'
  /** A destination of a submit_multi is neither an address nor a list. */
  | 'kind'
  /** The value is longer than the field. */
  | 'too-long'
  /** The value is no integer of the field's size. */
  | 'range'
  /** The text has a NUL, or a character beyond U+00FF. */
  | 'character';

export class SmppFault extends Error {
  readonly code: SmppFaultCode;
  /** As the specification names it, or `tlv` or `pdu`. */
  readonly field: string;

  constructor(code: SmppFaultCode, field: string) {
    super(`${field}: ${code}`);
    this.name = 'SmppFault';
    this.code = code;
    this.field = field;
  }
}
