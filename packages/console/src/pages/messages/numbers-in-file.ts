/** Phone numbers in a file that somebody has exported: one a line, or a column of a table. Pure. */

/** What has as many figures as a number has at least and at most (E.164), and nothing but what numbers are written with. */
const numberForm = /^\+?[\d\s().-]+$/;
const [fewestFigures, mostFigures] = [5, 15];

function isNumber(cell: string): boolean {
  const figures = cell.replace(/\D/g, '').length;
  return numberForm.test(cell) && figures >= fewestFigures && figures <= mostFigures;
}

/** Each once, in their order; names, headings and other columns are left out. */
export function numbersInFile(text: string): readonly string[] {
  const cells = text.split(/[\n\r,;，；、\t]+/).map((cell) => cell.trim().replace(/^["']+|["']+$/g, ''));
  return [...new Set(cells.filter(isNumber))];
}
