/** Phone numbers in a file that somebody has exported: one a line, or a column of a table. Pure. */

/** What has as many figures as a number has at least and at most (E.164), and nothing but what numbers are written with. */
const numberForm = /^\+?[\d\s().-]+$/;
const [fewestFigures, mostFigures] = [5, 15];

/** What else is written with no other signs: dates either way round, decimals, and addresses of machines. */
const otherForms = /^(?:\d{4}([-.])\d{1,2}\1\d{1,2}|\d{1,2}([-.])\d{1,2}\2\d{4}|-?\d+\.\d+|\d{1,3}(?:\.\d{1,3}){3})$/;

/** What the column of the numbers is called, the surest first: an order has a number as well, so that word has to stand alone. */
const headings = [/mobile|手机|msisdn/i, /phone|电话/i, /^(?:numbers?|号码)$/i];

function isNumber(cell: string): boolean {
  const figures = cell.replace(/\D/g, '').length;
  const hasForm = numberForm.test(cell) && !otherForms.test(cell);
  return hasForm && figures >= fewestFigures && figures <= mostFigures;
}

/** Each once, in their order. Of a table those of one column: in the others are orders, dates and amounts. */
export function numbersInFile(text: string): readonly string[] {
  const lines = text.split(/[\n\r]+/).filter((line) => line.trim() !== '');
  const cells = lines.flatMap((line) => line.split(/[,;，；、\t]+/).map(bare)).filter((cell) => cell !== '');
  const found = cells.every(isNumber) ? cells : numbersInTable(lines);
  return [...new Set(found)];
}

function numbersInTable(lines: readonly string[]): readonly string[] {
  const [first = ''] = lines;
  const separator = ['\t', ';', '；', ',', '，', '、'].find((sign) => first.includes(sign));
  // One column: what is no number among them is a heading or a name.
  if (separator === undefined) return lines.map(bare).filter(isNumber);
  const rows = lines.map((line) => cellsOf(line, separator));
  const columns = (rows[0] ?? []).map((heading, index) => {
    const cells = rows.map((row) => row[index] ?? '').filter((cell) => cell !== '');
    const below = isNumber(heading) || heading === '' ? cells : cells.slice(1);
    return { heading, numbers: cells.filter(isNumber), isAllNumbers: below.every(isNumber) };
  });
  const possible = columns.filter(({ numbers }) => numbers.length > 0);
  const named = headings.map((form) => possible.find(({ heading }) => form.test(heading)));
  const chosen = named.find((column) => column !== undefined) ?? possible.find(({ isAllNumbers }) => isAllNumbers);
  return chosen?.numbers ?? [];
}

/** A cell in quotation marks may hold the separator. */
function cellsOf(line: string, separator: string): readonly string[] {
  const form = new RegExp(`${separator} *("(?:[^"]|"")*"|[^${separator}]*)`, 'g');
  return [...(separator + line).matchAll(form)].map(([, cell = '']) => bare(cell));
}

/** Without its quotation marks, or the apostrophe by which a spreadsheet keeps figures as they are. */
function bare(cell: string): string {
  return cell
    .trim()
    .replace(/^["']+|["']+$/g, '')
    .trim();
}
