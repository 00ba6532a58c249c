/** Phone numbers in an exported file: one per line, or a column of a table. Pure. */

/** The signs of a phone number, and how many digits it has (E.164). */
const numberForm = /^\+?[\d\s().-]+$/;
const [fewestFigures, mostFigures] = [5, 15];

/** Other things with the same signs: dates, decimals, IP addresses. */
const otherForms = /^(?:\d{4}([-.])\d{1,2}\1\d{1,2}|\d{1,2}([-.])\d{1,2}\2\d{4}|-?\d+\.\d+|\d{1,3}(?:\.\d{1,3}){3})$/;

/** Headings of the column with the numbers, the surest first. "Number" must stand alone: orders have numbers too. */
const headings = [/mobile|手机|msisdn/i, /phone|电话/i, /^(?:numbers?|号码)$/i];

function isNumber(cell: string): boolean {
  const figures = cell.replace(/\D/g, '').length;
  const hasForm = numberForm.test(cell) && !otherForms.test(cell);
  return hasForm && figures >= fewestFigures && figures <= mostFigures;
}

/** Without duplicates, in their order. In a table only one column holds phone numbers. */
export function numbersInFile(text: string): readonly string[] {
  const lines = text.split(/[\n\r]+/).filter((line) => line.trim() !== '');
  const cells = lines.flatMap((line) => line.split(/[,;，；、\t]+/).map(bare)).filter((cell) => cell !== '');
  const found = cells.every(isNumber) ? cells : numbersInTable(lines);
  return [...new Set(found)];
}

function numbersInTable(lines: readonly string[]): readonly string[] {
  const [first = ''] = lines;
  const separator = ['\t', ';', '；', ',', '，', '、'].find((sign) => first.includes(sign));
  // In a single column, other entries are headings or names.
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

/** Without quotation marks and the apostrophe that spreadsheets put before digits. */
function bare(cell: string): string {
  return cell
    .trim()
    .replace(/^["']+|["']+$/g, '')
    .trim();
}
