/**
 * Message ids of carriers that write one number in two ways: decimal in the answer to a submit and hexadecimal in the
 * receipt, or the other way round. Answers are stored under one key. A receipt is looked up under one key for each form
 * that its carrier may have.
 */

/** What the id of the receipt is, seen from that of the submit answer. */
export const messageIdForms = ['text', 'decimal-to-hex', 'hex-to-decimal'] as const;

export type MessageIdForm = (typeof messageIdForms)[number];

/** The setting of a carrier. */
export type MessageIdSetting = 'auto' | MessageIdForm;

/** How many receipts matched by each form alone. */
export type FormTally = Readonly<Record<MessageIdForm, number>>;

export interface ReceiptKey {
  readonly form: MessageIdForm;
  readonly key: string;
}

export const noMatches: FormTally = { text: 0, 'decimal-to-hex': 0, 'hex-to-decimal': 0 };

/** So many matches by one form are no coincidence, if there is none by another. Each of those asks for as many again. */
const enoughMatches = 3;
/** Longer ids are no numbers. Conversion takes time that grows faster than the length. */
const longestNumber = 64;

/** The key under which the id of a submit answer is stored: without leading zeros, in lower case. */
export function messageIdKey(submitId: string): string {
  return submitId
    .trim()
    .toLowerCase()
    .replace(/^0+(?=.)/, '');
}

/**
 * The forms under which a receipt's id is looked up, the most probable first. While the form is not known, several may
 * match, each another message: the right one is that whose recipient the receipt names.
 */
export function formsToTry(setting: MessageIdSetting, tally: FormTally): readonly MessageIdForm[] {
  if (setting !== 'auto') return [setting];
  const learned = learnedForm(tally);
  return learned === undefined ? byMatches(tally) : [learned];
}

/** The keys for a receipt's id, without forms that the id cannot have and without repetitions. */
export function receiptKeys(receiptId: string, forms: readonly MessageIdForm[]): readonly ReceiptKey[] {
  const keys: ReceiptKey[] = [];
  for (const form of forms) {
    const key = keyIn(form, messageIdKey(receiptId));
    if (key !== undefined && !keys.some((other) => other.key === key)) keys.push({ form, key });
  }
  return keys;
}

/** The forms by which a receipt's id has this key: several for small numbers, which prove nothing. */
export function formsOf(receiptId: string, key: string): readonly MessageIdForm[] {
  return messageIdForms.filter((form) => keyIn(form, messageIdKey(receiptId)) === key);
}

/**
 * What a receipt teaches about its carrier. A receipt that several forms would match teaches nothing.
 * @param matched the forms of the keys under which a submit answer was found
 */
export function learnForm(tally: FormTally, matched: readonly MessageIdForm[]): FormTally {
  const [form, ...others] = matched;
  if (form === undefined || others.length > 0) return tally;
  return { ...tally, [form]: tally[form] + 1 };
}

/** Undefined until one form has matched often enough, measured by the others. */
export function learnedForm(tally: FormTally): MessageIdForm | undefined {
  const [form, ...others] = byMatches(tally);
  const coincidences = others.reduce((sum, other) => sum + tally[other], 0);
  return form !== undefined && tally[form] >= enoughMatches * (1 + coincidences) ? form : undefined;
}

/** Sorting keeps the order of forms that matched equally often. */
function byMatches(tally: FormTally): readonly MessageIdForm[] {
  return messageIdForms.toSorted((one, other) => tally[other] - tally[one]);
}

function keyIn(form: MessageIdForm, id: string): string | undefined {
  if (form === 'text') return id;
  if (id.length > longestNumber) return undefined;
  if (form === 'decimal-to-hex') return /^[0-9a-f]+$/.test(id) ? BigInt(`0x${id}`).toString(10) : undefined;
  return /^[0-9]+$/.test(id) ? BigInt(id).toString(16) : undefined;
}
