/** Characters. */
const longestLine = 8192;

/**
 * A JSON log line of bounded length. A longer one keeps the first fields that fit, and `line_length` tells its length.
 */
export function boundLine(line: string): string {
  if (line.length <= longestLine) return line;
  const kept: Record<string, unknown> = { line_length: line.length };
  let room = longestLine - JSON.stringify(kept).length;
  for (const [name, value] of Object.entries(JSON.parse(line) as Record<string, unknown>)) {
    const length = JSON.stringify({ [name]: value }).length + 1;
    if (length > room) continue;
    kept[name] = value;
    room -= length;
  }
  return JSON.stringify(kept);
}

/**
 * A JSON log line for people: time, level, message, fields as `name=value`, and an error's stack below. Escapes control
 * characters, so that no field can fake a line or move the cursor.
 */
export function toTextLine(line: string): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${plainOrQuoted(value)}`);
  const head = [time, String(level).padEnd(5), printable(String(msg ?? '')), ...pairs].join(' ').trimEnd();
  const trace = describeTrace(err);
  return trace === '' ? head : `${head}\n${trace}`;
}

function plainOrQuoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(typeof value !== 'string' || /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));
}

function describeTrace(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, type, message, cause } = error as Record<string, unknown>;
  const text = typeof stack === 'string' && stack !== '' ? stack : `${type}: ${message}`;
  const own = text.split('\n').map((row) => `    ${printable(row)}`);
  const below = describeTrace(cause);
  return [...own, ...(below === '' ? [] : ['    caused by', below])].join('\n');
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
