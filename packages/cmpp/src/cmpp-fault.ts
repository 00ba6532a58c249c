/** A value that its field cannot hold. The message names the field and never the value. */
export class CmppFieldFault extends Error {
  /** As the standard names it. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.name = 'CmppFieldFault';
    this.field = field;
  }
}
