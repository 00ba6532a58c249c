/** Which message a receipt means, where its carrier may write ids in another way than in the answer to the submit. */
import {
  type FormTally,
  formsOf,
  formsToTry,
  learnedForm,
  learnForm,
  type MessageIdSetting,
  messageIdKey,
  noMatches,
  receiptKeys,
} from '@waxwing/smpp/message-id-form.ts';

export interface ReceiptIds {
  /** What receipts have taught so far. */
  readonly tally: FormTally;
  /** Goes on with what was learned before. */
  resume(tally: FormTally): void;
  /**
   * A submit was accepted. @returns the id under which its receipts find it
   * @param pieceIds of the messages before it that carry the same part
   */
  accepted(submitId: string, destination: string, pieceIds?: readonly string[]): string;
  /** The id of the part of which a message with this id is a piece. Undefined: it is none, as far as remembered. */
  partOfPiece(id: string): string | undefined;
  /**
   * The id under which a receipt's message was stored. Undefined: no submit that is remembered fits, so an answer
   * under way may; `assumed` is the most probable one then.
   */
  find(receiptId: string, recipient: string): string | undefined;
  assumed(receiptId: string): string;
  /** All ids under which a receipt's message may be stored. */
  candidates(receiptId: string): readonly string[];
}

/** So many answers are remembered while the form is not known, and so many pieces. */
const mostRemembered = 10_000;

export function createReceiptIds(setting: MessageIdSetting): ReceiptIds {
  let tally = noMatches;
  /** The destinations of accepted submits, by their keys, oldest first. */
  const recent = new Map<string, string>();
  /** The last message of each piece's part. */
  const pieces = new Map<string, string>();
  const isKnown = () => setting !== 'auto' || learnedForm(tally) !== undefined;
  const keysOf = (receiptId: string) => receiptKeys(receiptId, formsToTry(setting, tally));

  return {
    get tally() {
      return tally;
    },
    resume(former) {
      tally = former;
    },
    accepted(submitId, destination, pieceIds = []) {
      const key = messageIdKey(submitId);
      // Carriers use ids again.
      pieces.delete(key);
      for (const piece of pieceIds) pieces.set(messageIdKey(piece), key);
      while (pieces.size > mostRemembered) pieces.delete(pieces.keys().next().value as string);
      if (isKnown()) recent.clear();
      else {
        recent.set(key, digitsOf(destination));
        if (recent.size > mostRemembered) recent.delete(recent.keys().next().value as string);
      }
      return key;
    },
    partOfPiece: (id) => pieces.get(id),
    find(receiptId, recipient) {
      const keys = keysOf(receiptId);
      if (isKnown()) return keys[0]?.key ?? messageIdKey(receiptId);
      const found = keys.filter(({ key }) => recent.has(key));
      const named = found.filter(({ key }) => isSameNumber(recent.get(key) ?? '', digitsOf(recipient)));
      const matched = found.length > 1 && named.length > 0 ? named : found;
      tally = learnForm(
        tally,
        matched.flatMap(({ key }) => formsOf(receiptId, key)),
      );
      return matched[0]?.key;
    },
    assumed: (receiptId) => keysOf(receiptId)[0]?.key ?? messageIdKey(receiptId),
    candidates: (receiptId) => keysOf(receiptId).map(({ key }) => key),
  };
}

function digitsOf(number: string): string {
  return number.replace(/\D/g, '').replace(/^0+/, '');
}

/** Carriers write numbers with or without the code of the country. */
function isSameNumber(one: string, other: string): boolean {
  return other !== '' && (one.endsWith(other) || other.endsWith(one));
}
