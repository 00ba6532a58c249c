/**
 * Why a piece of input could not be used: it is not what it claims to be, it is of a kind we do not take, it would cost
 * more work than an honest file does, or the password does not open it.
 */
export type UnreadableReason = 'damaged' | 'unsupported' | 'too_costly' | 'password_missing' | 'password_wrong';

/** What the readers of hostile bytes throw. The message is a clause for people ("the … is …") and holds no secret. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export const damaged = (message: string): Unreadable => new Unreadable('damaged', message);
export const unsupported = (message: string): Unreadable => new Unreadable('unsupported', message);
