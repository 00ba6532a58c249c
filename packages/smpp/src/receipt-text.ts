/** The text of a delivery receipt (SMPP 3.4 appendix B), as carriers write it. */

export interface ReceiptText {
  readonly id: string | undefined;
  /** message_state, 0 to 9. */
  readonly state: number | undefined;
  /** The carrier's code, if it is one of an error. */
  readonly error: string | undefined;
}

/** Longer texts begin with the fields as well; what follows is the message that was sent. */
const longestHead = 1_000;
const fieldNames = /(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text)\s*:/giy;
const boundary = /[\s,;|\0]/;

/** The words for message_state (SMPP 3.4 §5.2.28) that carriers write, each as a whole: DELIVERY_FAILED is no delivery. */
const statesByWord: readonly (readonly [words: RegExp, state: number])[] = [
  [/^SCHED(?:ULED|LD|ULE)?$/, 0],
  [/^(?:EN_?ROUTE|BUFF(?:RE|ERE)?D|SUBMIT(?:D|ED|TED)?|SENT)$/, 1],
  [/^(?:DELIV(?:RD|ERD|ERED)?|DLVRD)$/, 2],
  [/^EXP(?:IRED|IRD)?$/, 3],
  [/^DELET(?:E?D|E)$/, 4],
  [/^(?:UNDELIV(?:RD|ERED|ERABLE)?|UNDLV(?:RD)?)$/, 5],
  [/^(?:ACCEPT(?:E?D)?|ACKED)$/, 6],
  [/^UNKN(?:OWN)?$/, 7],
  [/^REJ(?:ECTE?D|ECT)?$/, 8],
  [/^SKIP(?:PE?D)?$/, 9],
  // Whatever failed: FAILED, DELIVERY_FAILED.
  [/FAIL/, 5],
];

/**
 * Fields may be missing, in any order and case, with or without blanks, commas or padding. Those in the quoted message
 * itself, behind `text:`, do not count.
 */
export function readReceiptText(text: string): ReceiptText {
  // Carriers that use the GSM alphabet write the underscore of an id as this control character.
  const fields = fieldsOf(text.slice(0, longestHead).replaceAll('\u0011', '_'));
  return {
    id: firstWord(fields.get('id')),
    state: stateOf(firstWord(fields.get('stat'))),
    error: errorOf(firstWord(fields.get('err'))),
  };
}

/** message_state of a word such as DELIVRD. Undefined if it is none that is known. */
export function stateOf(word: string | undefined): number | undefined {
  const upper = word?.toUpperCase().replace(/\W+$/, '') ?? '';
  return statesByWord.find(([words]) => words.test(upper))?.[1];
}

/** Undefined for codes that tell of no error: zeros, and words such as `null`. */
export function errorOf(word: string | undefined): string | undefined {
  return word === undefined || /^(?:0*|null|none|nil|n\/a)$/i.test(word) ? undefined : word;
}

/** The first value of each name. */
function fieldsOf(head: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let open: { readonly name: string; readonly start: number } | undefined;
  const close = (end: number) => {
    if (open !== undefined && !fields.has(open.name)) fields.set(open.name, head.slice(open.start, end));
  };
  for (let at = 0; at < head.length; at++) {
    if (at > 0 && !boundary.test(head.charAt(at - 1))) continue;
    fieldNames.lastIndex = at;
    const name = fieldNames.exec(head)?.[1]?.toLowerCase();
    if (name === undefined) continue;
    close(at);
    open = { name, start: fieldNames.lastIndex };
    if (name === 'text') return fields;
  }
  close(head.length);
  return fields;
}

/** Some carriers pad values with NULs. */
function firstWord(value: string | undefined): string | undefined {
  return value?.split(/[\s,;|\0]+/).find((word) => word !== '');
}
