/** What a cell may show; null and undefined are nothing. */
export type Cell = string | number | boolean | null | undefined;

/**
 * Aligned columns below their titles, for people. Without rows: the sentence `nothing`.
 * @param columns title → what a row shows there
 */
export function textTable<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  nothing: string,
): string {
  if (rows.length === 0) return nothing;
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((column) => column(row)))];
  return align(lines.map((line) => line.map(toText)));
}

/** One fact per line, its name before it. */
export function textFacts(facts: Readonly<Record<string, Cell>>): string {
  return align(Object.entries(facts).map(([name, value]) => [name, toText(value)]));
}

function align(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  const pad = (text: string, column: number): string => text + ' '.repeat((widths[column] ?? 0) - widthOf(text));
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}

function toText(cell: Cell): string {
  if (cell === null || cell === undefined || cell === '') return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return plainText(String(cell));
}

/** What a terminal obeys instead of showing it. */
const obeyed = /\p{Cc}|\p{Bidi_Control}/gu;

/** Names come from other people: a control character in one must not reach the terminal. */
export function plainText(text: string): string {
  return text.replaceAll(obeyed, '\uFFFD');
}

/** JSON for scripts, that people look at too: the same value, with such characters as escapes, of which JSON demands only some. */
export function jsonText(value: unknown, indent?: number): string {
  const escaped = (character: string) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replaceAll(obeyed, escaped);
}

/** The beginning of a text, for a cell of a list. */
export function excerpt(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}

/** In terminal cells: East Asian wide characters take two (Unicode Standard Annex #11). */
function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + (wide.test(character) ? 2 : 1), 0);
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
