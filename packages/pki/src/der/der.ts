import { damaged } from './unreadable.ts';

/** One element of DER (X.690). `encoded` is all of it, `content` its inside; both are views of the input. */
export interface DerElement {
  /** The identifier octet: class, constructed bit and number. Numbers above 30 do not occur in these formats. */
  readonly tag: number;
  readonly content: Buffer;
  readonly encoded: Buffer;
  /** Whether the laxer rules of BER applied. */
  readonly ber: boolean;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** [n] constructed (EXPLICIT, or IMPLICIT of a constructed type), and [n] primitive. */
export const context = (n: number): number => 0xa0 | n;
export const contextPrimitive = (n: number): number => 0x80 | n;

/** Elements of indefinite length nest. PKCS#12 around a nested PKCS#7, the deepest honest input, stays below this. */
const maxDepth = 24;

/** Reads exactly one element. @param rules `ber` also accepts what some programs write. @throws Unreadable `damaged` */
export function readDer(bytes: Buffer, rules: 'der' | 'ber' = 'der'): DerElement {
  const element = readElement(bytes, 0, rules === 'ber', 0);
  if (element.encoded.length !== bytes.length) throw damaged('encoding_extra_bytes');
  return element;
}

/** The element at the start of the bytes, or undefined. */
export function leadingElement(bytes: Buffer): DerElement | undefined {
  try {
    return readElement(bytes, 0, true, 0);
  } catch {
    return undefined;
  }
}

function readElement(bytes: Buffer, start: number, ber: boolean, depth: number): DerElement {
  const tag = octet(bytes, start);
  if ((tag & 0x1f) === 0x1f) throw damaged('encoding_unknown_tag');
  const first = octet(bytes, start + 1);
  if (first === 0x80 && ber && (tag & 0x20) !== 0) return readIndefinite(bytes, start, depth);
  const { length, size } = readLength(bytes, start + 1, first, ber);
  const contentStart = start + 1 + size;
  const end = contentStart + length;
  if (end > bytes.length) throw damaged('encoding_cut_off');
  return { tag, content: bytes.subarray(contentStart, end), encoded: bytes.subarray(start, end), ber };
}

function readLength(bytes: Buffer, at: number, first: number, ber: boolean): { length: number; size: number } {
  if (first < 0x80) return { length: first, size: 1 };
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw damaged('encoding_impossible_length');
  let length = 0;
  for (let i = 1; i <= count; i++) length = length * 256 + octet(bytes, at + i);
  const minimal = length >= 0x80 && octet(bytes, at + 1) !== 0;
  if (!minimal && !ber) throw damaged('encoding_overlong_length');
  return { length, size: 1 + count };
}

function readIndefinite(bytes: Buffer, start: number, depth: number): DerElement {
  if (depth >= maxDepth) throw damaged('encoding_nested_too_deeply');
  let at = start + 2;
  while (octet(bytes, at) !== 0 || octet(bytes, at + 1) !== 0) {
    at += readElement(bytes, at, true, depth + 1).encoded.length;
  }
  const content = bytes.subarray(start + 2, at);
  return { tag: octet(bytes, start), content, encoded: bytes.subarray(start, at + 2), ber: true };
}

function octet(bytes: Buffer, at: number): number {
  const value = bytes[at];
  if (value === undefined) throw damaged('encoding_cut_off');
  return value;
}

export function children(element: DerElement): DerElement[] {
  if ((element.tag & 0x20) === 0) throw damaged('encoding_value_for_structure');
  const list: DerElement[] = [];
  for (let at = 0; at < element.content.length; ) {
    const child = readElement(element.content, at, element.ber, 0);
    list.push(child);
    at += child.encoded.length;
  }
  return list;
}

/** Reads the fields of a SEQUENCE in order. */
export class DerFields {
  readonly #fields: readonly DerElement[];
  #next = 0;

  /** @throws Unreadable unless the element has the tag and is well-formed inside */
  constructor(element: DerElement, tag: number = tags.sequence) {
    this.#fields = children(expectTag(element, tag));
  }

  /** The next field. It must exist, and have this tag if one is given. */
  take(tag?: number): DerElement {
    const field = this.#fields[this.#next];
    if (field === undefined) throw damaged('encoding_lacks_field');
    if (tag !== undefined) expectTag(field, tag);
    this.#next += 1;
    return field;
  }

  /** The next field if it has this tag. */
  optional(tag: number): DerElement | undefined {
    return this.peek() === tag ? this.take() : undefined;
  }

  peek(): number | undefined {
    return this.#fields[this.#next]?.tag;
  }

  rest(): readonly DerElement[] {
    const left = this.#fields.slice(this.#next);
    this.#next = this.#fields.length;
    return left;
  }

  end(): void {
    if (this.#next < this.#fields.length) throw damaged('encoding_field_too_many');
  }
}

export function expectTag(element: DerElement, tag: number): DerElement {
  if (element.tag !== tag) throw damaged('encoding_other_type');
  return element;
}

/** The one element inside an EXPLICIT tag. */
export function inner(element: DerElement): DerElement {
  const [only, ...more] = children(element);
  if (only === undefined || more.length > 0) throw damaged('encoding_not_one_value');
  return only;
}
