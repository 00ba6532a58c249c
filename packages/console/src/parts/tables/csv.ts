/** Tables as CSV (RFC 4180). Pure. */

/** The beginnings of a formula in a spreadsheet, also in full width, as East Asian keyboards write it. */
const formula = /^[=+\-@＝＋－＠\t\r\n]/;

/**
 * One cell. A text that a spreadsheet would run as a formula gets an apostrophe in front, which spreadsheets hide.
 * Numbers stay numbers.
 */
export function csvCell(value: string | number | null | undefined): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const harmless = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function csvLine(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Excel recognizes UTF-8 by this mark. */
export const byteOrderMark = '\u{feff}';
