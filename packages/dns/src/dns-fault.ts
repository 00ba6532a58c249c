/** What is wrong with bytes, or with what is to become bytes. */
export type DnsFaultCode =
  /** They end in the middle of something. */
  | 'cut-off'
  /** A name is too long, or a label empty or of an unknown kind. */
  | 'name'
  /** A pointer does not lead back to an earlier place. */
  | 'pointer'
  /** The data of a record is not that of its type. */
  | 'data'
  /** Something follows the last record. */
  | 'trailing'
  /** A message has more questions and records than are read. */
  | 'too-many'
  /** A message does not fit into its 65535 bytes. */
  | 'too-long';

export class DnsFault extends Error {
  readonly code: DnsFaultCode;

  constructor(code: DnsFaultCode) {
    super(code);
    this.name = 'DnsFault';
    this.code = code;
  }
}
