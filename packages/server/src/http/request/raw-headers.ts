const none: readonly string[] = Object.freeze([]);

/**
 * Every line of a header, in the order received, without surrounding blanks. Node's `headers` keeps only the first
 * Authorization and joins other repeated lines, which hides that a header came twice.
 * @param rawHeaders name, value, name, value … as `IncomingMessage.rawHeaders`
 * @param name in lower case
 */
export function headerLines(rawHeaders: readonly string[], name: string): readonly string[] {
  let lines: string[] | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] as string;
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
    const value = trimBlanks(rawHeaders[index + 1] as string);
    if (lines === undefined) lines = [value];
    else lines.push(value);
  }
  return lines ?? none;
}

/**
 * Without the blanks that HTTP allows around a value (RFC 9110 §5.6.3: space and tab). `String.trim` would also take
 * U+00A0, a byte that a field value may legitimately begin with.
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
